//! What waits, what is in somebody's hands, and when it comes back: no waiting and no clock in here.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use crate::{QueueItem, SubjectToken, Topic, Urgency};

/// A work's name in its line.
type ItemKey = (Topic, SubjectToken);

/// All work of a queue, by the number in whose order it was put.
pub(super) struct QueueState {
    all: HashMap<u64, StoredItem>,
    next_number: u64,
    /// What can be taken.
    waiting: HashMap<(Topic, Urgency), BTreeSet<u64>>,
    /// What cannot, with the time from which on it can.
    held: BTreeSet<(Instant, u64)>,
    names: DuplicateWindow,
}

struct StoredItem {
    work: QueueItem,
    deliveries: u64,
    /// Its time in `held`; `None` while it waits.
    held_until: Option<Instant>,
}

/// What was taken.
pub(super) struct TakenItem {
    pub(super) number: u64,
    pub(super) payload: Bytes,
    pub(super) deliveries: u64,
}

impl QueueState {
    pub(super) fn new(window: Duration) -> Self {
        Self {
            all: HashMap::new(),
            next_number: 0,
            waiting: HashMap::new(),
            held: BTreeSet::new(),
            names: DuplicateWindow {
                window,
                known: HashSet::new(),
                by_age: VecDeque::new(),
            },
        }
    }

    /// Whether work had this number.
    pub(super) fn gave(&self, number: u64) -> bool {
        number < self.next_number
    }

    pub(super) fn put(&mut self, work: QueueItem, now: Instant) {
        if !self
            .names
            .is_new((work.topic.clone(), work.name.clone()), now)
        {
            return;
        }
        let number = self.next_number;
        self.next_number += 1;
        let lane = (work.topic.clone(), work.urgency);
        self.waiting.entry(lane).or_default().insert(number);
        let shelved = StoredItem {
            work,
            deliveries: 0,
            held_until: None,
        };
        self.all.insert(number, shelved);
    }

    pub(super) fn take(
        &mut self,
        lines: &[Topic],
        now: Instant,
        patience: Duration,
    ) -> Option<TakenItem> {
        self.bring_back(now);
        let lanes = Urgency::ALL.into_iter();
        let mut lanes = lanes.flat_map(|lane| lines.iter().map(move |line| (line.clone(), lane)));
        let number = lanes.find_map(|lane| self.waiting.get(&lane)?.first().copied())?;
        let shelved = self.unshelve(number)?;
        shelved.deliveries += 1;
        let until = now + patience;
        shelved.held_until = Some(until);
        let taken = TakenItem {
            number,
            payload: shelved.work.payload.clone(),
            deliveries: shelved.deliveries,
        };
        self.held.insert((until, number));
        Some(taken)
    }

    /// Work that is in somebody's hands comes back after a while from now; what waits already goes on waiting.
    pub(super) fn hold(&mut self, number: u64, now: Instant, after: Duration) {
        self.bring_back(now);
        if let Some(shelved) = self.all.get_mut(&number)
            && let Some(until) = &mut shelved.held_until
        {
            self.held.remove(&(*until, number));
            *until = now + after;
            self.held.insert((*until, number));
        }
    }

    pub(super) fn remove(&mut self, number: u64) {
        self.unshelve(number);
        self.all.remove(&number);
    }

    /// Counts the work of each line.
    pub(super) fn count(&self) -> BTreeMap<Topic, u64> {
        let mut counts = BTreeMap::new();
        for shelved in self.all.values() {
            *counts.entry(shelved.work.topic.clone()).or_default() += 1;
        }
        counts
    }

    /// When the next that is held can be taken.
    pub(super) fn next_return(&self) -> Option<Instant> {
        self.held.first().map(|(until, _)| *until)
    }

    /// Whose time has come waits again.
    fn bring_back(&mut self, now: Instant) {
        while let Some((_, number)) = self
            .held
            .first()
            .copied()
            .filter(|(until, _)| *until <= now)
        {
            if let Some(shelved) = self.unshelve(number) {
                shelved.held_until = None;
                let lane = (shelved.work.topic.clone(), shelved.work.urgency);
                self.waiting.entry(lane).or_default().insert(number);
            }
        }
    }

    /// Takes a number out of where it is, `waiting` or `held`.
    fn unshelve(&mut self, number: u64) -> Option<&mut StoredItem> {
        let shelved = self.all.get_mut(&number)?;
        if let Some(until) = shelved.held_until {
            self.held.remove(&(until, number));
        } else {
            let lane = (shelved.work.topic.clone(), shelved.work.urgency);
            if let Some(numbers) = self.waiting.get_mut(&lane) {
                numbers.remove(&number);
                if numbers.is_empty() {
                    self.waiting.remove(&lane);
                }
            }
        }
        Some(shelved)
    }
}

/// The names that were put within the window.
struct DuplicateWindow {
    window: Duration,
    known: HashSet<ItemKey>,
    by_age: VecDeque<(Instant, ItemKey)>,
}

impl DuplicateWindow {
    /// Notes a name, and says whether it had not been there.
    fn is_new(&mut self, name: ItemKey, now: Instant) -> bool {
        let window = self.window;
        while let Some((_, old)) = self.by_age.pop_front_if(|(put, _)| *put + window <= now) {
            self.known.remove(&old);
        }
        let is_new = self.known.insert(name.clone());
        if is_new {
            self.by_age.push_back((now, name));
        }
        is_new
    }
}
