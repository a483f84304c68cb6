//! What waits to be done, and who has what.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;

use crate::{AckHandle, QueueError, SubjectToken};

/// What sort of work, for which class of devices: who can do one work of a line can do all.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Topic {
    /// What is to be done, such as to measure.
    pub kind: SubjectToken,
    /// By what, such as a model of GPU.
    pub class: SubjectToken,
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.kind, self.class)
    }
}

/// How soon work is taken, compared with other work of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Urgency {
    /// Before the others.
    Urgent,
    /// In its turn.
    Normal,
}

impl Urgency {
    /// Both, in the order in which they are looked into.
    pub const ALL: [Urgency; 2] = [Urgency::Urgent, Urgency::Normal];

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Urgency::Urgent => "urgent",
            Urgency::Normal => "normal",
        }
    }
}

/// What is put into a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueItem {
    /// Where it waits.
    pub topic: Topic,
    /// How soon it is wanted.
    pub urgency: Urgency,
    /// What tells it from the rest of its line.
    pub name: SubjectToken,
    /// What is to be done.
    pub payload: Bytes,
}

/// Work in the hands of who took it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// What is to be done.
    pub payload: Bytes,
    /// By which the queue is told what becomes of it. It names the work: that of an earlier delivery is as good.
    pub ack_handle: AckHandle,
    /// 1 for the first time. Those count, too, whose taker went away while it was on the way.
    pub deliveries: u64,
}

/// A wait of any length is this at most: times of engines overflow.
pub(crate) const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// A queue of work.
///
/// Work of a lane is delivered in the order in which it was put, but for what is delivered again, which comes before what
/// never was. It is delivered at least once, and again until it is done. A future that is dropped loses no work: what it
/// would have had is delivered to another, if need be after [`Queue::patience`].
///
/// A queue may lose its data, as with a disk: then all work that was put before is gone, and every receipt of it is `Lost`.
/// Whoever put work keeps some work of their own in the queue, and puts all again when that is lost.
///
/// Nothing is taken out but by who has it: what is wanted no more, as of a study that was cancelled, is told to be done when
/// it is delivered. (JetStream can purge subjects. But in nats-server 2.9.10 a consumer then passes over other work of its
/// lane: `purge` in its `server/stream.go` gives it the first number behind the stream.)
#[async_trait]
pub trait Queue: Send + Sync {
    /// Puts work into its lane. When this returns, the queue has it. Of two with one name that are put into one line within
    /// the queue's window the second is dropped, whatever became of the first: what is to be done anew gets another name.
    ///
    /// # Errors
    ///
    /// `TooLarge`; `Refused`, as where there is no room; `Silent`, and then it may be there: putting it again is safe.
    async fn put(&self, work: QueueItem) -> Result<(), QueueError>;

    /// The next work of these lines: what is urgent in any of them, then the others, and of several lines the first that has
    /// some. Where there is none it is waited for, at most so long. Lines are for the caller to check: an engine keeps something
    /// for each that was ever asked for.
    ///
    /// # Errors
    ///
    /// `Silent`; `Refused`.
    async fn next(&self, lines: &[Topic], wait: Duration) -> Result<Option<Delivery>, QueueError>;

    /// Who has it is still at it, and keeps it for [`Queue::patience`] from now on. For work that is done it means nothing.
    ///
    /// # Errors
    ///
    /// `Lost`; `Receipt`; `Silent`.
    async fn renew(&self, receipt: &AckHandle) -> Result<(), QueueError>;

    /// It is done, and what came of it is stored: when this returns, the queue has said that it will not be delivered again.
    /// May be said twice. JetStream writes that to its disk within a tenth of a second (`flushLoop` of consumers in
    /// nats-server's `server/filestore.go`): what it was told in the last moment before it is killed, it delivers once more.
    ///
    /// # Errors
    ///
    /// As [`Queue::stay`].
    async fn acknowledge(&self, receipt: &AckHandle) -> Result<(), QueueError>;

    /// It is given back, to be delivered again after a while.
    ///
    /// # Errors
    ///
    /// As [`Queue::stay`].
    async fn give_back(&self, receipt: &AckHandle, after: Duration) -> Result<(), QueueError>;

    /// Counts the work of each line that is not done, work in somebody's hands as well. Lines without work may be left out.
    ///
    /// # Errors
    ///
    /// `Silent`; `Refused`.
    async fn count(&self) -> Result<BTreeMap<Topic, u64>, QueueError>;

    /// How long who has work may be silent.
    fn patience(&self) -> Duration;
}
