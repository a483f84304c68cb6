//! The desk of a pool: which batch goes to whom. It waits for nobody and starts nothing.

use std::collections::{BTreeMap, HashMap};

use bench_harness::Inputs;
use tokio::sync::mpsc;

use crate::carrier::{Built, Given};
use crate::message::{Batch, Event, Job};

/// Bytes of inputs that all agents together put on their devices at most; one agent there is always room for.
const MAX_RESIDENT_BYTES: u64 = 4 << 30;

/// Studies in the order in which they came, and in each its batches.
type Place = (u64, u64);

/// An owner, and the number of a study.
type Key = (String, i64);

/// Who is told of a study.
struct Listener {
    /// Counts studies.
    turn: u64,
    sender: mpsc::UnboundedSender<Event>,
}

/// A batch that nobody has.
struct Waiting {
    given: Given,
    /// Of its inputs.
    bytes: u64,
}

#[derive(Default)]
pub(super) struct Desk {
    pub(super) is_closed: bool,
    waiting: BTreeMap<Place, Waiting>,
    listeners: HashMap<Key, Listener>,
    /// Studies that there have been.
    turns: u64,
    /// What lies on the device of each agent, and its bytes.
    open: Vec<Option<(Job, u64)>>,
    alive: usize,
    /// Batches that are being built by those who build ahead.
    building: usize,
}

impl Desk {
    /// So many agents come.
    pub(super) fn agents(&mut self, count: usize) {
        self.open.resize_with(count, || None);
        self.alive = count;
    }

    /// An agent is gone. When all are, nobody has anything to say any more.
    pub(super) fn leave(&mut self, agent: usize) {
        self.close(agent);
        self.alive -= 1;
        if self.alive == 0 {
            self.listeners.clear();
        }
    }

    /// Nothing lies on an agent's device any more.
    pub(super) fn close(&mut self, agent: usize) {
        self.open[agent] = None;
    }

    /// Someone wants to be told of a study.
    pub(super) fn listen(&mut self, key: Key, sender: mpsc::UnboundedSender<Event>) {
        if self.alive > 0 {
            self.turns += 1;
            let turn = self.turns;
            self.listeners.insert(key, Listener { turn, sender });
        }
    }

    /// Nobody wants to be told of a study any more.
    pub(super) fn forget(&mut self, key: &Key) {
        if let Some(Listener { turn, .. }) = self.listeners.remove(key) {
            self.waiting.retain(|place, _| place.0 != turn);
        }
    }

    /// Tells whom it concerns; whether anybody listens.
    pub(super) fn tell(&self, event: Event) -> bool {
        let key = (event.batch.owner.clone(), event.batch.study);
        let listener = self.listeners.get(&key);
        listener.is_some_and(|listener| listener.sender.send(event).is_ok())
    }

    /// Lays a batch on the desk, unless nobody listens.
    pub(super) fn put(&mut self, batch: Batch, built: Option<Built>) {
        let key = (batch.id.owner.clone(), batch.id.study);
        if let Some(listener) = self.listeners.get(&key) {
            let place = (listener.turn, batch.id.number);
            // What is too large is refused by whoever makes the inputs.
            let bytes = Inputs::bytes_of(&batch.job.problem).unwrap_or(0);
            let given = Given { batch, built };
            self.waiting.insert(place, Waiting { given, bytes });
        }
    }

    /// The next batch for an agent: of the job that it is at before others, built before not built, and then in the order
    /// in which studies and batches came; of another job only where its inputs have room.
    pub(super) fn take(&mut self, agent: usize) -> Option<Given> {
        let others = self.open.iter().enumerate().filter(|(n, _)| *n != agent);
        let resident: u64 = others.filter_map(|(_, open)| Some(open.as_ref()?.1)).sum();
        let at = self.open[agent].as_ref().map(|(job, _)| job);
        let rank = |(place, waiting): (&Place, &Waiting)| {
            let is_other = Some(&waiting.given.batch.job) != at;
            let has_room = resident == 0 || resident + waiting.bytes <= MAX_RESIDENT_BYTES;
            let is_possible = !is_other || has_room;
            is_possible.then_some((is_other, waiting.given.built.is_none(), *place))
        };
        let (.., place) = self.waiting.iter().filter_map(rank).min()?;
        let Waiting { given, bytes } = self.waiting.remove(&place)?;
        self.open[agent] = Some((given.batch.job.clone(), bytes));
        Some(given)
    }

    /// The next batch for one who builds ahead, where fewer than `most` are built or being built.
    pub(super) fn take_to_build(&mut self, most: usize) -> Option<Batch> {
        let is_built = |waiting: &&Waiting| waiting.given.built.is_some();
        let built = self.waiting.values().filter(is_built).count();
        if built + self.building >= most {
            return None;
        }
        let mut all = self.waiting.iter();
        let (&place, _) = all.find(|(_, waiting)| !is_built(waiting))?;
        self.building += 1;
        Some(self.waiting.remove(&place)?.given.batch)
    }

    /// One that was taken to be built is built, or will not be.
    pub(super) fn built_one(&mut self) {
        self.building -= 1;
    }
}
