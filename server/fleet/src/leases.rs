//! Leases that are held: who is at what. It is shown to people; the queue decides by itself who has what.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use tuner::{Batch, Work};

use crate::agents::{PRESENCE, TOLD};

/// Leases that are remembered at most: agents say themselves how many they take.
const MOST: usize = 10_000;

/// What the holder of a lease does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Doing {
    /// It builds kernels that another will try.
    Build,
    /// It tries configurations.
    Try,
    /// It measures those that were best against each other.
    Finals,
}

impl Doing {
    /// Everything that a holder may do.
    pub const ALL: [Doing; 3] = [Self::Build, Self::Try, Self::Finals];

    /// Its name in metrics, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Try => "try",
            Self::Finals => "finals",
        }
    }
}

/// What a lease is of, for people.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Task {
    /// The study.
    pub study: i64,
    /// What is done for it.
    pub doing: Doing,
    /// Configurations that it is about.
    pub configurations: u32,
    /// When it was given out.
    pub since: SystemTime,
}

impl Task {
    /// What is given out now.
    pub(crate) fn of(batch: &Batch, is_build: bool) -> Task {
        let (doing, count) = match &batch.work {
            Work::Try(candidates) if is_build => (Doing::Build, candidates.len()),
            Work::Try(candidates) => (Doing::Try, candidates.len()),
            Work::Finals { finalists, .. } => (Doing::Finals, finalists.len()),
        };
        Task {
            study: batch.id.study,
            doing,
            configurations: u32::try_from(count).unwrap_or(u32::MAX),
            since: SystemTime::now(),
        }
    }
}

/// What a lease is of; sealed into its token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Held {
    pub(crate) agent: String,
    /// Hash of what is to be done, which the holder shows with what came of it.
    pub(crate) digest: String,
    pub(crate) task: Task,
}

struct Seen {
    task: Task,
    at: Instant,
    told: Instant,
}

/// Who holds it, and the hash of what it is of.
type Key = (String, String);

/// Leases by their holders and what they are of.
#[derive(Default)]
pub(crate) struct Leases(Mutex<BTreeMap<Key, Seen>>);

impl Leases {
    fn seen(&self) -> MutexGuard<'_, BTreeMap<Key, Seen>> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|_, lease| lease.at.elapsed() < PRESENCE);
        seen
    }

    /// Another replica says that a lease is held.
    pub(crate) fn heard(&self, held: Held) {
        note(&mut self.seen(), held);
    }

    /// The holder of a lease is at it; whether the other replicas are to hear of it from this one.
    pub(crate) fn worked(&self, held: &Held) -> bool {
        let mut seen = self.seen();
        match seen.get_mut(&key(&held.agent, &held.digest)) {
            Some(known) if known.told.elapsed() < TOLD => {
                known.at = Instant::now();
                false
            }
            _ => note(&mut seen, held.clone()),
        }
    }

    /// A lease is over.
    pub(crate) fn end(&self, agent: &str, digest: &str) {
        self.seen().remove(&key(agent, digest));
    }

    /// What is held, by who holds it, the oldest first.
    pub(crate) fn by_agent(&self) -> BTreeMap<String, Vec<Task>> {
        let mut leases: BTreeMap<String, Vec<Task>> = BTreeMap::new();
        for ((agent, _), lease) in self.seen().iter() {
            leases
                .entry(agent.clone())
                .or_default()
                .push(lease.task.clone());
        }
        for tasks in leases.values_mut() {
            tasks.sort_by_key(|task| task.since);
        }
        leases
    }
}

fn key(agent: &str, digest: &str) -> Key {
    (agent.to_owned(), digest.to_owned())
}

/// Notes that a lease is held; whether there is room for it.
fn note(seen: &mut BTreeMap<Key, Seen>, held: Held) -> bool {
    let key = (held.agent, held.digest);
    let has_room = seen.len() < MOST || seen.contains_key(&key);
    if has_room {
        let at = Instant::now();
        let task = held.task;
        seen.insert(key, Seen { task, at, told: at });
    }
    has_room
}
