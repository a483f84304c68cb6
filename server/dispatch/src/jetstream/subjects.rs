//! Names of the stream, its subjects and its consumers.
//!
//! The service puts items at `wavetune.work.KIND.CLASS.LANE`, and notifies all replicas at
//! `wavetune.put.KIND.CLASS`. Messages of the bus have the subject `wavetune.word`.
//!
//! The name of a consumer also contains the identity of its stream. A stream that lost its data
//! is created again and counts its messages from 1. The server acknowledges by that number
//! alone, so an ack handle of the lost stream would remove an undone item of the new one. With
//! such names the consumer of the lost stream is missing, and its ack handles reach nobody.

use std::fmt;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::stream;

use super::JetStreamSettings;
use crate::{AckHandle, QueueItem, SubjectToken, Topic, Urgency};

/// The stream that stores the items.
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
/// The subjects of all items.
pub(super) const ALL_WORK: &str = "wavetune.work.>";

/// Returns the subject of items of a topic and urgency.
pub(super) fn subject(line: &Topic, lane: Urgency) -> String {
    format!("{WORK}{line}.{}", lane.name())
}

/// Returns the topic of the items at a subject.
pub(super) fn line_of_work(subject: &str) -> Option<Topic> {
    let mut tokens = subject.strip_prefix(WORK)?.split('.');
    Some(Topic {
        kind: SubjectToken::from_engine(tokens.next()?),
        class: SubjectToken::from_engine(tokens.next()?),
    })
}

/// Returns the message ID of an item for the duplicate window: names are unique per topic.
pub(super) fn message_id(work: &QueueItem) -> String {
    format!("{}.{}", work.topic, work.name)
}

/// Returns the subject of the notices of a topic.
pub(super) fn notice(line: &Topic) -> String {
    format!("{NOTICES}{line}")
}

/// Returns the topic of a notice, as it stands in the subject.
pub(super) fn line_of_notice(subject: &str) -> Option<&str> {
    subject.strip_prefix(NOTICES)
}

const NOTICES: &str = "wavetune.put.";
/// The subjects of all notices.
pub(super) const ALL_NOTICES: &str = "wavetune.put.*.*";

/// The subject of the bus.
pub(super) const WORDS: &str = "wavetune.word";

const OF_STREAM: &str = "wavetune ";

/// Identity of a stream: two streams with the same name differ in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StreamId(u64);

impl StreamId {
    /// Creates a random identity.
    pub(super) fn new() -> Self {
        Self(rand::random())
    }

    /// Returns the identity of a stream; none if an older version created it. It is in the
    /// description, because nats-server 2.9.10 reports another creation time after its first
    /// restart.
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

/// Returns the name of the consumer for a topic and urgency of this stream, shared by the whole
/// fleet.
pub(super) fn consumer(line: &Topic, lane: Urgency, stream: StreamId) -> String {
    format!("{}~{stream}", lane_prefix(line, lane))
}

/// Returns true if a consumer reads this topic and urgency, for any stream. Names of older
/// versions have no stream.
pub(super) fn reads(consumer: &str, line: &Topic, lane: Urgency) -> bool {
    let rest = consumer.strip_prefix(&lane_prefix(line, lane));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('~'))
}

fn lane_prefix(line: &Topic, lane: Urgency) -> String {
    // Tokens may contain `-`, so `a-b.c` and `a.b-c` would collide. No token contains `~`.
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
        // The fleet itself limits deliveries, because it has to store the abandoned trial.
        max_deliver: -1,
        // A puller asks for one item at a time, so there are never more outstanding than pullers.
        max_ack_pending: -1,
        ..pull::Config::default()
    }
}

/// Returns the subject of requests to a consumer.
pub(super) fn pulls(consumer: &str) -> String {
    format!("$JS.API.CONSUMER.MSG.NEXT.{STREAM}.{consumer}")
}

/// Returns the consumer of an ack handle. Returns none if its subject acknowledges no item of
/// this stream. The service seals ack handles, so this check is a second line of defense.
pub(super) fn consumer_of(receipt: &AckHandle) -> Option<&str> {
    let mut tokens = receipt.as_str().split('.');
    // As in nats-server's `jsAckPre`. With a domain and an account before the stream there are
    // eleven or twelve tokens (its ADR-15).
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
    fn ack_subjects_belong_to_our_stream() {
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
