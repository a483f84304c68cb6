//! The batch queue of a pool: it assigns batches to agents. It never waits and starts nothing.

use std::collections::{BTreeMap, HashMap};

use bench_harness::Inputs;
use tokio::sync::mpsc;

use crate::message::{Batch, BatchEvent, StudySetup};
use crate::transport::{AssignedBatch, BatchKernels};

/// The maximum size in bytes of the inputs on all agents' devices. One agent may always open its
/// inputs.
const MAX_RESIDENT_BYTES: u64 = 4 << 30;

/// A position in the queue: studies in their order of arrival, and the batches of each.
type QueuePosition = (u64, u64);

/// An owner, and the number of a study.
type OwnedStudy = (String, i64);

/// The receiver of a study's events.
struct Listener {
    /// The number of the study in order of arrival.
    turn: u64,
    sender: mpsc::UnboundedSender<BatchEvent>,
}

/// A batch that no agent has.
struct WaitingBatch {
    given: AssignedBatch,
    /// The size of its inputs in bytes.
    bytes: u64,
}

#[derive(Default)]
pub(super) struct BatchQueue {
    pub(super) is_closed: bool,
    waiting: BTreeMap<QueuePosition, WaitingBatch>,
    listeners: HashMap<OwnedStudy, Listener>,
    /// The number of studies so far.
    turns: u64,
    /// The study for which each agent's device is open, with the size of its inputs in bytes.
    open: Vec<Option<(StudySetup, u64)>>,
    alive: usize,
    /// The number of batches that are being built ahead.
    building: usize,
}

impl BatchQueue {
    /// Sets the number of agents.
    pub(super) fn agents(&mut self, count: usize) {
        self.open.resize_with(count, || None);
        self.alive = count;
    }

    /// Removes an agent. After the last one, all event channels close.
    pub(super) fn leave(&mut self, agent: usize) {
        self.close(agent);
        self.alive -= 1;
        if self.alive == 0 {
            self.listeners.clear();
        }
    }

    /// Records that an agent's device holds no inputs.
    pub(super) fn close(&mut self, agent: usize) {
        self.open[agent] = None;
    }

    /// Subscribes to a study's events. Returns `None` if another director has subscribed already.
    pub(super) fn listen(
        &mut self,
        key: &OwnedStudy,
    ) -> Option<mpsc::UnboundedReceiver<BatchEvent>> {
        if self.listeners.contains_key(key) {
            return None;
        }
        let (sender, events) = mpsc::unbounded_channel();
        if self.alive > 0 {
            self.turns += 1;
            let turn = self.turns;
            self.listeners
                .insert(key.clone(), Listener { turn, sender });
        }
        Some(events)
    }

    /// Ends the subscription to a study and drops its waiting batches.
    pub(super) fn forget(&mut self, key: &OwnedStudy) {
        if let Some(Listener { turn, .. }) = self.listeners.remove(key) {
            self.waiting.retain(|place, _| place.0 != turn);
        }
    }

    /// Sends an event to its subscriber. Returns true if there is one.
    pub(super) fn tell(&self, event: BatchEvent) -> bool {
        let key = (event.batch.owner.clone(), event.batch.study);
        let listener = self.listeners.get(&key);
        listener.is_some_and(|listener| listener.sender.send(event).is_ok())
    }

    /// Queues a batch, unless nobody listens.
    pub(super) fn put(&mut self, batch: Batch, built: Option<BatchKernels>) {
        let key = (batch.id.owner.clone(), batch.id.study);
        if let Some(listener) = self.listeners.get(&key) {
            let place = (listener.turn, batch.id.number);
            // The agent refuses inputs that are too large when it makes them.
            let bytes = Inputs::bytes_of(&batch.job.problem).unwrap_or(0);
            let given = AssignedBatch { batch, built };
            self.waiting.insert(place, WaitingBatch { given, bytes });
        }
    }

    /// Takes the next batch for an agent. Batches of its current study precede others, and built
    /// ones precede unbuilt ones. Then the order of arrival decides. Another study's batch needs
    /// room for its inputs.
    pub(super) fn take(&mut self, agent: usize) -> Option<AssignedBatch> {
        let others = self.open.iter().enumerate().filter(|(n, _)| *n != agent);
        let resident: u64 = others.filter_map(|(_, open)| Some(open.as_ref()?.1)).sum();
        let at = self.open[agent].as_ref().map(|(job, _)| job);
        let rank = |(place, waiting): (&QueuePosition, &WaitingBatch)| {
            let is_other = Some(&waiting.given.batch.job) != at;
            // Without this exception a study larger than the limit would never start.
            let has_room = resident == 0 || resident + waiting.bytes <= MAX_RESIDENT_BYTES;
            let is_possible = !is_other || has_room;
            is_possible.then_some((is_other, waiting.given.built.is_none(), *place))
        };
        let (.., place) = self.waiting.iter().filter_map(rank).min()?;
        let WaitingBatch { given, bytes } = self.waiting.remove(&place)?;
        self.open[agent] = Some((given.batch.job.clone(), bytes));
        Some(given)
    }

    /// Takes the next batch to build ahead, if fewer than `most` are built or being built.
    pub(super) fn take_to_build(&mut self, most: usize) -> Option<Batch> {
        let is_built = |waiting: &&WaitingBatch| waiting.given.built.is_some();
        let built = self.waiting.values().filter(is_built).count();
        if built + self.building >= most {
            return None;
        }
        let mut all = self.waiting.iter();
        let (&place, _) = all.find(|(_, waiting)| !is_built(waiting))?;
        self.building += 1;
        Some(self.waiting.remove(&place)?.given.batch)
    }

    /// Records that a batch taken for building is built, or will not be.
    pub(super) fn built_one(&mut self) {
        self.building -= 1;
    }
}

#[cfg(test)]
mod tests {
    use configgen::{Generator, Problem, Target, default_configuration};

    use super::*;
    use crate::build::Choice;
    use crate::message::{BatchContent, BatchEventKind, BatchId};

    const SMALL: &str = "argmax:4x[1000]xf32";
    const OTHER: &str = "argmin:4x[1000]xf32";
    /// Three of these fit into the limit.
    const LARGE: [&str; 4] = [
        "argmax:4x[16777216]xf32",
        "argmin:4x[16777216]xf32",
        "argmax_last:4x[16777216]xf32",
        "argmin_last:4x[16777216]xf32",
    ];

    fn batch(study: i64, number: u64, problem: &str) -> Batch {
        let problem: Problem = problem.parse().unwrap();
        let target = Target::named("gfx942").unwrap();
        let default = default_configuration(&problem, target, Generator::NATIVE).unwrap();
        Batch {
            id: BatchId {
                owner: "us".to_owned(),
                study,
                number,
            },
            job: StudySetup {
                generator: "native".to_owned(),
                input_seed: 0,
                default: Choice::Default(default),
                problem,
            },
            work: BatchContent::Try(Vec::new()),
        }
    }

    fn built() -> Option<BatchKernels> {
        Some(BatchKernels {
            kernels: Vec::new(),
            compile_ms: 1.0,
            elsewhere: false,
        })
    }

    /// Creates a queue with agents and with directors that subscribe to these studies.
    fn desk(
        agents: usize,
        studies: &[i64],
    ) -> (BatchQueue, Vec<mpsc::UnboundedReceiver<BatchEvent>>) {
        let mut desk = BatchQueue::default();
        desk.agents(agents);
        let listen = |study: &i64| desk.listen(&("us".to_owned(), *study)).unwrap();
        let receivers = studies.iter().map(listen).collect();
        (desk, receivers)
    }

    /// Takes an agent's next batch. Returns its study and number.
    fn take(desk: &mut BatchQueue, agent: usize) -> Option<(i64, u64)> {
        let given = desk.take(agent)?;
        Some((given.batch.id.study, given.batch.id.number))
    }

    #[test]
    fn an_agent_stays_at_its_job_and_the_first_study_goes_first() {
        // The number of a study is independent of its order of arrival.
        let (mut desk, _listening) = desk(2, &[7, 3]);
        for number in [2, 1, 3] {
            desk.put(batch(3, number, OTHER), None);
        }
        desk.put(batch(7, 1, SMALL), None);
        assert_eq!(take(&mut desk, 0), Some((7, 1)));
        desk.put(batch(7, 2, SMALL), None);
        // This agent's device has no open inputs.
        assert_eq!(take(&mut desk, 1), Some((7, 2)));
        assert_eq!(take(&mut desk, 1), Some((3, 1)));
        desk.put(batch(7, 3, SMALL), None);
        assert_eq!(take(&mut desk, 1), Some((3, 2)));
        assert_eq!(take(&mut desk, 0), Some((7, 3)));
        desk.close(1);
        desk.put(batch(7, 4, SMALL), None);
        assert_eq!(take(&mut desk, 1), Some((7, 4)));
        // Built batches precede unbuilt ones.
        desk.put(batch(7, 5, SMALL), None);
        desk.put(batch(7, 6, SMALL), built());
        assert_eq!(take(&mut desk, 0), Some((7, 6)));
        assert_eq!(take(&mut desk, 0), Some((7, 5)));
        assert_eq!(take(&mut desk, 0), Some((3, 3)));
        assert_eq!(take(&mut desk, 0), None);
    }

    #[test]
    fn inputs_have_room_or_wait() {
        let bytes = Inputs::bytes_of(&LARGE[0].parse().unwrap()).unwrap();
        assert_eq!(MAX_RESIDENT_BYTES / bytes, 3);
        let (mut desk, _listening) = desk(4, &[1, 2, 3, 4, 5]);
        for (study, problem) in (1..).zip(LARGE) {
            desk.put(batch(study, 1, problem), None);
        }
        for agent in 0..3 {
            assert_eq!(take(&mut desk, agent), Some((agent as i64 + 1, 1)));
        }
        assert_eq!(take(&mut desk, 3), None);
        desk.put(batch(5, 1, SMALL), None);
        assert_eq!(take(&mut desk, 3), Some((5, 1)));
        // An agent that changes studies frees its own room.
        assert_eq!(take(&mut desk, 0), Some((4, 1)));
        desk.put(batch(1, 2, LARGE[0]), None);
        assert_eq!(take(&mut desk, 3), None);
        desk.close(1);
        assert_eq!(take(&mut desk, 3), Some((1, 2)));
    }

    #[test]
    fn prefetching_builds_are_bounded() {
        let (mut desk, _listening) = desk(1, &[1]);
        for number in 1..=3 {
            desk.put(batch(1, number, SMALL), None);
        }
        let first = desk.take_to_build(1).unwrap();
        assert_eq!(first.id.number, 1);
        assert!(desk.take_to_build(1).is_none());
        desk.put(first, built());
        desk.built_one();
        assert!(desk.take_to_build(1).is_none());
        assert_eq!(take(&mut desk, 0), Some((1, 1)));
        assert_eq!(desk.take_to_build(1).unwrap().id.number, 2);
    }

    #[test]
    fn listeners_are_notified() {
        let (mut desk, mut receivers) = desk(1, &[1, 2]);
        let event = |study| BatchEvent {
            batch: batch(study, 1, SMALL).id,
            news: BatchEventKind::Done,
        };
        assert!(desk.tell(event(2)));
        assert_eq!(receivers[1].try_recv().unwrap(), event(2));
        assert!(receivers[0].try_recv().is_err());
        // A second subscription to the study is refused.
        assert!(desk.listen(&("us".to_owned(), 2)).is_none());
        assert!(desk.tell(event(2)));
        // Batches of a finished study are dropped.
        desk.put(batch(2, 1, SMALL), None);
        desk.forget(&("us".to_owned(), 2));
        assert!(!desk.tell(event(2)));
        desk.put(batch(2, 2, SMALL), None);
        assert_eq!(take(&mut desk, 0), None);
        // After the last agent has left, all subscriptions end.
        desk.leave(0);
        assert!(!desk.tell(event(1)));
        let mut receiver = desk.listen(&("us".to_owned(), 4)).unwrap();
        assert!(receiver.try_recv().is_err());
        assert!(receivers[0].is_closed() && receiver.is_closed());
    }
}
