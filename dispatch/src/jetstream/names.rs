//! What the stream, its subjects and its consumers are called.
//!
//! Work is put at `wavetune.work.KIND.CLASS.LANE`, and the put is told to all replicas at `wavetune.put.KIND.CLASS`.
//! What else they tell each other is said at `wavetune.word`.

use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::stream;

use super::Settings;
use crate::{Lane, Line, Receipt, Work};

/// The stream that keeps the work.
pub(super) const STREAM: &str = "WAVETUNE_WORK";

pub(super) fn stream(settings: &Settings) -> stream::Config {
    stream::Config {
        name: STREAM.to_owned(),
        subjects: vec!["wavetune.work.>".to_owned()],
        retention: stream::RetentionPolicy::WorkQueue,
        storage: stream::StorageType::File,
        duplicate_window: settings.window,
        num_replicas: settings.copies,
        ..stream::Config::default()
    }
}

/// Where work of a lane is put.
pub(super) fn subject(line: &Line, lane: Lane) -> String {
    format!("wavetune.work.{line}.{}", lane.name())
}

/// What the stream knows work by: names are those of a line.
pub(super) fn message_id(work: &Work) -> String {
    format!("{}.{}", work.line, work.name)
}

/// Where it is told that something was put into a line.
pub(super) fn notice(line: &Line) -> String {
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

/// The consumer of a lane, for the whole fleet.
pub(super) fn consumer(line: &Line, lane: Lane) -> String {
    // Tokens have `-`, too: `a-b.c` and `a.b-c` would be one without the sign that no token has.
    format!("{}~{}~{}", line.kind, line.class, lane.name())
}

pub(super) fn consumer_config(line: &Line, lane: Lane, patience: Duration) -> pull::Config {
    pull::Config {
        durable_name: Some(consumer(line, lane)),
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

/// Whether what is to be published on is where work of our stream is acknowledged. A receipt was sealed by the server; this
/// is for the day when it was not.
pub(super) fn is_ours(receipt: &Receipt) -> bool {
    let mut tokens = receipt.as_str().split('.');
    // As in nats-server's `jsAckPre`; with a domain and an account before the stream there are eleven or twelve (its ADR-15).
    let starts = tokens.next() == Some("$JS") && tokens.next() == Some("ACK");
    let rest: Vec<&str> = tokens.collect();
    let stream = match rest.len() {
        7 => rest[0],
        9 | 10 => rest[2],
        _ => return false,
    };
    let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '*' | '>');
    let is_word = |token: &&str| !token.is_empty() && token.chars().all(plain);
    starts && stream == STREAM && rest.iter().all(is_word)
}

#[cfg(test)]
mod tests {
    use super::{consumer, is_ours};
    use crate::{Lane, Line, Receipt};

    #[track_caller]
    fn check(receipt: &str, expected: bool) {
        assert_eq!(is_ours(&Receipt::new(receipt.to_owned())), expected);
    }

    #[test]
    fn receipts_are_where_our_work_is_acknowledged() {
        check(
            "$JS.ACK.WAVETUNE_WORK.measure~mi300x~urgent.1.2.3.4.5",
            true,
        );
        check("$JS.ACK.WAVETUNE_WORK.emulated=3Ami300x.1.2.3.4.5", true);
        check("$JS.ACK._.hash.WAVETUNE_WORK.a.1.2.3.4.5", true);
        check("$JS.ACK.hub.hash.WAVETUNE_WORK.a.1.2.3.4.5.random", true);
        check("", false);
        check("1-2", false);
        check("$JS.ACK.OTHER.a.1.2.3.4.5", false);
        check("$JS.ACK.WAVETUNE_WORK.a.1.2.3.4", false);
        check("$JS.ACK.WAVETUNE_WORK.a.1.2.3.4.5.6", false);
        check("$JS.ACK.WAVETUNE_WORK.*.1.2.3.4.5", false);
        check("$JS.ACK.WAVETUNE_WORK.a.1.2.3.4.>", false);
        check("$JS.ACK.WAVETUNE_WORK.a.1.2.3.4.5 x", false);
        check("$JS.ACK.WAVETUNE_WORK.a.1.2.3.4.5\r\nPUB x", false);
        check("$JS.ACK.WAVETUNE_WORK..1.2.3.4.5", false);
        check("$JS.API.STREAM.DELETE.WAVETUNE_WORK", false);
        check("wavetune.work.measure.mi300x.urgent.1", false);
    }

    #[test]
    fn lanes_have_consumers_of_their_own() {
        let line = |kind: &str, class: &str| Line {
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
            .flat_map(|line| Lane::ALL.map(|lane| consumer(line, lane)));
        let names: std::collections::BTreeSet<String> = lanes.collect();
        assert_eq!(names.len(), 8);
    }
}
