//! The queue: items that wait, and their deliveries.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;

use crate::{AckHandle, QueueError, SubjectToken};

/// A kind of work for a class of devices. A taker that can do one item of a topic can do all.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Topic {
    /// The kind of work, such as to measure.
    pub kind: SubjectToken,
    /// The class of devices, such as a model of GPU.
    pub class: SubjectToken,
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.kind, self.class)
    }
}

/// The urgency of an item, compared with others of its topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Urgency {
    /// Before the others.
    Urgent,
    /// In its turn.
    Normal,
}

impl Urgency {
    /// Both, in the order in which a queue serves them.
    pub const ALL: [Urgency; 2] = [Urgency::Urgent, Urgency::Normal];

    /// Returns its name in subjects.
    pub fn name(self) -> &'static str {
        match self {
            Urgency::Urgent => "urgent",
            Urgency::Normal => "normal",
        }
    }
}

/// An item of a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueItem {
    /// Its topic.
    pub topic: Topic,
    /// Its urgency.
    pub urgency: Urgency,
    /// Its name, unique within the topic.
    pub name: SubjectToken,
    /// Its content.
    pub payload: Bytes,
}

/// An item in the hands of its taker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The content of the item.
    pub payload: Bytes,
    /// The ack handle. It names the item: that of an earlier delivery is as good.
    pub ack_handle: AckHandle,
    /// The number of deliveries, from 1. It includes deliveries that a vanished taker never
    /// received.
    pub deliveries: u64,
}

/// Longest time that the queue accepts: longer ones overflow in the brokers.
pub(crate) const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// A queue of items.
///
/// The queue delivers items of a topic and urgency in their order, at least once, and again until
/// they are acknowledged. A redelivery comes before items without one. A dropped future loses no
/// item: another taker gets it, after [`Queue::patience`] at the latest.
///
/// A queue may lose its data, as with a disk: all earlier items are gone, and every ack handle of
/// them is `Lost`. A caller keeps an item of its own in the queue, and puts everything again when
/// that item is lost.
///
/// Only the holder of a delivery can remove an item. If nobody wants it any more, as after the
/// cancellation of a study, the holder acknowledges it at its delivery. JetStream can purge
/// subjects, but in nats-server 2.9.10 a consumer then skips other items. The cause is `purge` in
/// its `server/stream.go`: it gives the consumer the first number behind the stream.
#[async_trait]
pub trait Queue: Send + Sync {
    /// Puts an item into its topic. When this returns, the queue has stored it. The queue drops a
    /// second item with the same name and topic within the duplicate window, also after the first
    /// was acknowledged. An item that is to be done again needs another name.
    ///
    /// # Errors
    ///
    /// `TooLarge`; `Refused`, for example without space; `Silent`: the item may be stored, and it
    /// is safe to put it again.
    async fn put(&self, work: QueueItem) -> Result<(), QueueError>;

    /// Returns the next item of these topics, after a wait of at most `wait`. Urgent items of any
    /// topic come first, then normal ones, in the order of `lines`. The caller validates the
    /// topics, because a broker stores state for each that it was ever asked for.
    ///
    /// # Errors
    ///
    /// `Silent`; `Refused`.
    async fn next(&self, lines: &[Topic], wait: Duration) -> Result<Option<Delivery>, QueueError>;

    /// Renews a delivery: its holder keeps the item for [`Queue::patience`] from now on. Has no
    /// effect on an acknowledged item.
    ///
    /// # Errors
    ///
    /// `Lost`; `Receipt`; `Silent`.
    async fn renew(&self, receipt: &AckHandle) -> Result<(), QueueError>;

    /// Acknowledges a delivery after its result is stored. When this returns, the queue has
    /// confirmed that it will not deliver the item again. A repetition is harmless. JetStream
    /// writes it to disk within 0.1 s (`flushLoop` of consumers in nats-server's
    /// `server/filestore.go`): a killed server may deliver the last items once more.
    ///
    /// # Errors
    ///
    /// As [`Queue::renew`].
    async fn acknowledge(&self, receipt: &AckHandle) -> Result<(), QueueError>;

    /// Gives an item back, for another delivery after this time.
    ///
    /// # Errors
    ///
    /// As [`Queue::renew`].
    async fn give_back(&self, receipt: &AckHandle, after: Duration) -> Result<(), QueueError>;

    /// Counts the items of each topic, including held ones. Topics without items may be missing.
    ///
    /// # Errors
    ///
    /// `Silent`; `Refused`.
    async fn count(&self) -> Result<BTreeMap<Topic, u64>, QueueError>;

    /// Returns the longest silence of a holder of a delivery.
    fn patience(&self) -> Duration;
}
