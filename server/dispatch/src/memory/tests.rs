//! The queue in memory behaves like a list that is searched from its beginning each time.

use std::time::Duration;

use bytes::Bytes;
use proptest::prelude::*;
use tokio::time::{Instant, advance};

use super::MemoryBroker;
use crate::{AckHandle, Queue as _, QueueItem, Topic, Urgency};

const PATIENCE: u64 = 10;
const WINDOW: u64 = 25;

#[derive(Debug, Clone)]
enum Step {
    Put {
        line: u8,
        lane: Urgency,
        name: u8,
    },
    /// Takes an item of these topics, with a wait of so many seconds.
    Next {
        lines: Vec<u8>,
        wait: u64,
    },
    /// For the delivery with this number, counted from the first.
    Stay(prop::sample::Index),
    Done(prop::sample::Index),
    GiveBack(prop::sample::Index, u64),
    Pass(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let lane = prop::bool::ANY.prop_map(|urgent| {
        if urgent {
            Urgency::Urgent
        } else {
            Urgency::Normal
        }
    });
    let lines = prop::sample::subsequence(vec![0_u8, 1, 2], 0..=3).prop_shuffle();
    let delivery = any::<prop::sample::Index>;
    prop_oneof![
        4 => (0..3_u8, lane, 0..12_u8).prop_map(|(line, lane, name)| Step::Put { line, lane, name }),
        5 => (lines, 0..15_u64).prop_map(|(lines, wait)| Step::Next { lines, wait }),
        1 => delivery().prop_map(Step::Stay),
        2 => delivery().prop_map(Step::Done),
        2 => (delivery(), 0..20_u64).prop_map(|(delivery, after)| Step::GiveBack(delivery, after)),
        2 => (0..12_u64).prop_map(Step::Pass),
    ]
}

/// An item of the list; times are in seconds.
#[derive(Debug)]
struct Row {
    line: u8,
    lane: Urgency,
    name: u8,
    put: u64,
    /// The time from which it is available.
    free: u64,
    deliveries: u64,
    is_done: bool,
}

#[derive(Default)]
struct Model {
    rows: Vec<Row>,
    now: u64,
}

impl Model {
    fn put(&mut self, line: u8, lane: Urgency, name: u8) {
        let now = self.now;
        let is_known = |row: &Row| row.line == line && row.name == name && row.put + WINDOW > now;
        if !self.rows.iter().any(is_known) {
            self.rows.push(Row {
                line,
                lane,
                name,
                put: now,
                free: now,
                deliveries: 0,
                is_done: false,
            });
        }
    }

    /// Returns the number of the item that is taken, as time passes.
    fn next(&mut self, lines: &[u8], wait: u64) -> Option<usize> {
        for second in self.now..=self.now + wait {
            self.now = second;
            for lane in Urgency::ALL {
                for line in lines {
                    let is_free = |row: &Row| {
                        !row.is_done && row.free <= second && row.line == *line && row.lane == lane
                    };
                    if let Some(number) = self.rows.iter().position(is_free) {
                        let row = &mut self.rows[number];
                        row.deliveries += 1;
                        row.free = second + PATIENCE;
                        return Some(number);
                    }
                }
            }
        }
        None
    }

    /// Sets the time from which a held item is available. An available item stays available.
    fn hold(&mut self, number: usize, until: u64) {
        let now = self.now;
        let row = &mut self.rows[number];
        if row.free > now {
            row.free = until;
        }
    }
}

fn line(number: u8) -> Topic {
    Topic {
        kind: "measure".parse().unwrap(),
        class: number.to_string().parse().unwrap(),
    }
}

async fn run(steps: Vec<Step>) {
    let begun = Instant::now();
    let second = Duration::from_secs;
    let memory = MemoryBroker::new(second(PATIENCE), second(WINDOW));
    let mut model = Model::default();
    // Ack handles, and the numbers of their items.
    let mut taken: Vec<(AckHandle, usize)> = Vec::new();
    for step in steps {
        match step {
            Step::Put {
                line: class,
                lane,
                name,
            } => {
                model.put(class, lane, name);
                let work = QueueItem {
                    topic: line(class),
                    urgency: lane,
                    name: name.to_string().parse().unwrap(),
                    payload: Bytes::from(vec![name]),
                };
                memory.put(work).await.unwrap();
            }
            Step::Next { lines, wait } => {
                let expected = model.next(&lines, wait);
                let lines: Vec<Topic> = lines.into_iter().map(line).collect();
                let delivery = memory.next(&lines, second(wait)).await.unwrap();
                let found = delivery
                    .as_ref()
                    .map(|it| (it.payload.to_vec(), it.deliveries));
                let row = expected.map(|number| &model.rows[number]);
                assert_eq!(found, row.map(|row| (vec![row.name], row.deliveries)));
                taken.extend(
                    delivery
                        .zip(expected)
                        .map(|(it, number)| (it.ack_handle, number)),
                );
            }
            Step::Pass(seconds) => {
                model.now += seconds;
                advance(second(seconds)).await;
            }
            Step::Stay(_) | Step::Done(_) | Step::GiveBack(..) if taken.is_empty() => {}
            Step::Stay(which) => {
                let (receipt, number) = which.get(&taken);
                model.hold(*number, model.now + PATIENCE);
                memory.renew(receipt).await.unwrap();
            }
            Step::Done(which) => {
                let (receipt, number) = which.get(&taken);
                model.rows[*number].is_done = true;
                memory.acknowledge(receipt).await.unwrap();
            }
            Step::GiveBack(which, after) => {
                let (receipt, number) = which.get(&taken);
                model.hold(*number, model.now + after);
                memory.give_back(receipt, second(after)).await.unwrap();
            }
        }
        assert_eq!(begun.elapsed().as_secs(), model.now);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_steps_go_as_in_a_list(steps in prop::collection::vec(step(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(run(steps));
    }
}
