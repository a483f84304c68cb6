//! What the stream, its subjects and its consumers are called.
//!
//! Work is put at `wavetune.work.KIND.CLASS.LANE`, and the put is told to all replicas at `wavetune.put.KIND.CLASS`.
//! What else they tell each other is said at `wavetune.word`.
//!
//! A consumer is named after the stream that it reads, too. A stream whose data was lost is made anew and counts its messages
//! from 1 again. nats-server acknowledges by that number alone, so a receipt of the lost stream would take out work of the
//! new one that nobody has done. With its own name a consumer of the lost stream is missing, and the receipt reaches nobody.

use std::fmt;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::stream;

use super::JetStreamSettings;
use crate::{AckHandle, QueueItem, SubjectToken, Topic, Urgency};

/// The stream that keeps the work.
pub(super) const STREAM: &str = "WAVETUNE_WORK";

pub(super) fn stream(settings: &JetStreamSettings, id: StreamId) -> stream::Config {
    stream::Config {
        name: STREAM.to_owned(),
        description: Some(format!("{OF_STREAM}{id}")),
        subjects: vec![ALL_WORK.to_owned()],
        retention: stream::RetentionPolicy::WorkQueue,
        storage: stream::StorageType::File,
        duplicate_window: settings.window,
        num_replicas: settings.copies,
        ..stream::Config::default()
    }
}

const WORK: &str = "wavetune.work.";
/// The subjects of all work.
pub(super) const ALL_WORK: &str = "wavetune.work.>";

/// Where work of a lane is put.
pub(super) fn subject(line: &Topic, lane: Urgency) -> String {
    format!("{WORK}{line}.{}", lane.name())
}

/// The line of the work that is put at a subject.
pub(super) fn line_of_work(subject: &str) -> Option<Topic> {
    let mut tokens = subject.strip_prefix(WORK)?.split('.');
    Some(Topic {
        kind: SubjectToken::from_engine(tokens.next()?),
        class: SubjectToken::from_engine(tokens.next()?),
    })
}

/// What the stream knows work by: names are those of a line.
pub(super) fn message_id(work: &QueueItem) -> String {
    format!("{}.{}", work.topic, work.name)
}

/// Where it is told that something was put into a line.
pub(super) fn notice(line: &Topic) -> String {
    format!("{NOTICES}{line}")
}

/// The line that a notice is of, in the words of the engine.
pub(super) fn line_of_notice(subject: &str) -> Option<&str> {
    subject.strip_prefix(NOTICES)
}

const NOTICES: &str = "wavetune.put.";
/// Where all of them are.
pub(super) const ALL_NOTICES: &str = "wavetune.put.*.*";

/// Where replicas say what all should hear.
pub(super) const WORDS: &str = "wavetune.word";

const OF_STREAM: &str = "wavetune ";

/// Identity of a stream: two streams with the same name differ in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StreamId(u64);

impl StreamId {
    /// A new identity.
    pub(super) fn new() -> Self {
        Self(rand::random())
    }

    /// Returns the identity that a stream was made with; none of a stream that an older version made. It is in the
    /// description: nats-server 2.9.10 tells another time of creation after its first restart.
    pub(super) fn of(stream: &stream::Info) -> Option<Self> {
        let number = stream
            .config
            .description
            .as_ref()?
            .strip_prefix(OF_STREAM)?;
        u64::from_str_radix(number, 16).ok().map(Self)
    }
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", self.0)
    }
}

/// The consumer of a lane of this stream, for the whole fleet.
pub(super) fn consumer(line: &Topic, lane: Urgency, stream: StreamId) -> String {
    format!("{}~{stream}", lane_prefix(line, lane))
}

/// Returns whether a consumer reads this lane, of whichever stream it was made. Older versions have no stream in the name.
pub(super) fn reads(consumer: &str, line: &Topic, lane: Urgency) -> bool {
    let rest = consumer.strip_prefix(&lane_prefix(line, lane));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('~'))
}

fn lane_prefix(line: &Topic, lane: Urgency) -> String {
    // Tokens have `-`, too: `a-b.c` and `a.b-c` would be one without the sign that no token has.
    format!("{}~{}~{}", line.kind, line.class, lane.name())
}

pub(super) fn consumer_config(
    line: &Topic,
    lane: Urgency,
    stream: StreamId,
    patience: Duration,
) -> pull::Config {
    pull::Config {
        durable_name: Some(consumer(line, lane, stream)),
        filter_subject: subject(line, lane),
        ack_policy: AckPolicy::Explicit,
        ack_wait: patience,
        // How often is too often is for the server to say.
        max_deliver: -1,
        // What is out was asked for by somebody: there is never more than there are takers.
        max_ack_pending: -1,
        ..pull::Config::default()
    }
}

/// Where the consumer of this name is asked for work.
pub(super) fn pulls(consumer: &str) -> String {
    format!("$JS.API.CONSUMER.MSG.NEXT.{STREAM}.{consumer}")
}

/// Returns the consumer by which a receipt's work was delivered; none where the receipt's subject does not acknowledge work of
/// our stream. A receipt was sealed by the server; this is for the day when it was not.
pub(super) fn consumer_of(receipt: &AckHandle) -> Option<&str> {
    let mut tokens = receipt.as_str().split('.');
    // As in nats-server's `jsAckPre`; with a domain and an account before the stream there are eleven or twelve (its ADR-15).
    let starts = tokens.next() == Some("$JS") && tokens.next() == Some("ACK");
    let rest: Vec<&str> = tokens.collect();
    let (stream, consumer) = match rest.len() {
        7 => (rest[0], rest[1]),
        9 | 10 => (rest[2], rest[3]),
        _ => return None,
    };
    let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '*' | '>');
    let is_word = |token: &&str| !token.is_empty() && token.chars().all(plain);
    (starts && stream == STREAM && rest.iter().all(is_word)).then_some(consumer)
}

#[cfg(test)]
mod tests {
    use super::{StreamId, consumer, consumer_of, reads};
    use crate::{AckHandle, Topic, Urgency};

    #[track_caller]
    fn check(receipt: &str, expected: Option<&str>) {
        assert_eq!(consumer_of(&AckHandle::new(receipt.to_owned())), expected);
    }

    #[test]
    fn receipts_are_where_our_work_is_acknowledged() {
        check(
            "$JS.ACK.WAVETUNE_WORK.measure~mi300x~urgent~18c0.1.2.3.4.5",
            Some("measure~mi300x~urgent~18c0"),
        );
        check(
            "$JS.ACK.WAVETUNE_WORK.emulated=3Ami300x.1.2.3.4.5",
            Some("emulated=3Ami300x"),
        );
        check("$JS.ACK._.hash.WAVETUNE_WORK.a.1.2.3.4.5", Some("a"));
        check(
            "$JS.ACK.hub.hash.WAVETUNE_WORK.a.1.2.3.4.5.random",
            Some("a"),
        );
        check("", None);
        check("1-2", None);
        check("$JS.ACK.OTHER.a.1.2.3.4.5", None);
        check("$JS.ACK.WAVETUNE_WORK.a.1.2.3.4", None);
        check("$JS.ACK.WAVETUNE_WORK.a.1.2.3.4.5.6", None);
        check("$JS.ACK.WAVETUNE_WORK.*.1.2.3.4.5", None);
        check("$JS.ACK.WAVETUNE_WORK.a.1.2.3.4.>", None);
        check("$JS.ACK.WAVETUNE_WORK.a.1.2.3.4.5 x", None);
        check("$JS.ACK.WAVETUNE_WORK.a.1.2.3.4.5\r\nPUB x", None);
        check("$JS.ACK.WAVETUNE_WORK..1.2.3.4.5", None);
        check("$JS.API.STREAM.DELETE.WAVETUNE_WORK", None);
        check("wavetune.work.measure.mi300x.urgent.1", None);
    }

    #[test]
    fn lanes_have_consumers_of_their_own() {
        let line = |kind: &str, class: &str| Topic {
            kind: kind.parse().unwrap(),
            class: class.parse().unwrap(),
        };
        let lines = [
            line("a-b", "c"),
            line("a", "b-c"),
            line("a~b", "c"),
            line("a", "b~c"),
        ];
        let lanes = lines
            .iter()
            .flat_map(|line| Urgency::ALL.map(|lane| consumer(line, lane, StreamId(1))));
        let names: std::collections::BTreeSet<String> = lanes.collect();
        assert_eq!(names.len(), 8);
        let [line, other, ..] = &lines;
        let name = consumer(line, Urgency::Urgent, StreamId(1));
        assert_ne!(consumer(line, Urgency::Urgent, StreamId(2)), name);
        assert!(reads(&name, line, Urgency::Urgent) && !reads(&name, line, Urgency::Normal));
        assert!(!reads(&name, other, Urgency::Urgent));
        assert!(reads("a-b~c~urgent", line, Urgency::Urgent));
        assert!(!reads("a-b~c~urgently~1", line, Urgency::Urgent));
    }
}
