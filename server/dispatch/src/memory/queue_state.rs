//! Queue state: available and held items, and the times at which held items return. It neither
//! waits nor reads a clock.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use crate::{QueueItem, SubjectToken, Topic, Urgency};

/// The name of an item within its topic.
type ItemKey = (Topic, SubjectToken);

/// All items of a queue, by the number of their order.
pub(super) struct QueueState {
    all: HashMap<u64, StoredItem>,
    next_number: u64,
    /// Items that are available.
    waiting: HashMap<(Topic, Urgency), BTreeSet<u64>>,
    /// Items that are held, with the time of their return.
    held: BTreeSet<(Instant, u64)>,
    names: DuplicateWindow,
}

struct StoredItem {
    work: QueueItem,
    deliveries: u64,
    /// Its time in `held`; `None` while it is available.
    held_until: Option<Instant>,
}

/// An item that was taken.
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

    /// Returns true if an item had this number.
    pub(super) fn gave(&self, number: u64) -> bool {
        number < self.next_number
    }

    pub(super) fn put(&mut self, work: QueueItem, now: Instant) {
        // A caller repeats a put without an answer, and the queue must have the item once.
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
        // Urgent items of every topic go before normal ones of any.
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

    /// Sets the return of a held item to a time from now. An available item stays available.
    pub(super) fn hold(&mut self, number: u64, now: Instant, after: Duration) {
        // An item that is due by now is available to all, and its former holder cannot renew it.
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

    /// Counts the items of each topic.
    pub(super) fn count(&self) -> BTreeMap<Topic, u64> {
        let mut counts = BTreeMap::new();
        for shelved in self.all.values() {
            *counts.entry(shelved.work.topic.clone()).or_default() += 1;
        }
        counts
    }

    /// Returns the time of the next return.
    pub(super) fn next_return(&self) -> Option<Instant> {
        self.held.first().map(|(until, _)| *until)
    }

    /// Makes the held items available that are due.
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

    /// Removes a number from `waiting` or `held`.
    fn unshelve(&mut self, number: u64) -> Option<&mut StoredItem> {
        let shelved = self.all.get_mut(&number)?;
        if let Some(until) = shelved.held_until {
            self.held.remove(&(until, number));
        } else {
            let lane = (shelved.work.topic.clone(), shelved.work.urgency);
            if let Some(numbers) = self.waiting.get_mut(&lane) {
                numbers.remove(&number);
                // Topics are many over time, so no empty set stays.
                if numbers.is_empty() {
                    self.waiting.remove(&lane);
                }
            }
        }
        Some(shelved)
    }
}

/// The names that were put within the duplicate window.
struct DuplicateWindow {
    window: Duration,
    known: HashSet<ItemKey>,
    by_age: VecDeque<(Instant, ItemKey)>,
}

impl DuplicateWindow {
    /// Notes a name. Returns true if it is new.
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
