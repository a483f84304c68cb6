//! Leases that are held: who is at what. It is shown to people; the queue decides by itself who has what.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use tuner::{Batch, BatchContent};

use crate::agent_registry::{PRESENCE, TOLD};

/// Leases that are remembered at most: agents say themselves how many they take.
const MOST: usize = 10_000;

/// What the holder of a lease does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeaseActivity {
    /// It builds kernels that another will try.
    Build,
    /// It tries configurations.
    Try,
    /// It measures those that were best against each other.
    Finals,
}

impl LeaseActivity {
    /// Everything that a holder may do.
    pub const ALL: [LeaseActivity; 3] = [Self::Build, Self::Try, Self::Finals];

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
pub struct LeaseSummary {
    /// The study.
    pub study: i64,
    /// What is done for it.
    pub doing: LeaseActivity,
    /// Configurations that it is about.
    pub configurations: u32,
    /// When it was given out.
    pub since: SystemTime,
}

impl LeaseSummary {
    /// What is given out now.
    pub(crate) fn of(batch: &Batch, is_build: bool) -> LeaseSummary {
        let (doing, count) = match &batch.work {
            BatchContent::Try(candidates) if is_build => (LeaseActivity::Build, candidates.len()),
            BatchContent::Try(candidates) => (LeaseActivity::Try, candidates.len()),
            BatchContent::Finals { finalists, .. } => (LeaseActivity::Finals, finalists.len()),
        };
        LeaseSummary {
            study: batch.id.study,
            doing,
            configurations: u32::try_from(count).unwrap_or(u32::MAX),
            since: SystemTime::now(),
        }
    }
}

/// What a lease is of; sealed into its token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SealedLease {
    pub(crate) agent: String,
    /// Hash of what is to be done, which the holder shows with what came of it.
    pub(crate) digest: String,
    pub(crate) task: LeaseSummary,
}

struct LeaseSighting {
    task: LeaseSummary,
    at: Instant,
    told: Instant,
}

/// Who holds it, and the hash of what it is of.
type LeaseKey = (String, String);

/// Leases by their holders and what they are of.
#[derive(Default)]
pub(crate) struct LeaseRegistry(Mutex<BTreeMap<LeaseKey, LeaseSighting>>);

impl LeaseRegistry {
    fn seen(&self) -> MutexGuard<'_, BTreeMap<LeaseKey, LeaseSighting>> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|_, lease| lease.at.elapsed() < PRESENCE);
        seen
    }

    /// Another replica says that a lease is held.
    pub(crate) fn heard(&self, held: SealedLease) {
        note(&mut self.seen(), held);
    }

    /// The holder of a lease is at it; whether the other replicas are to hear of it from this one.
    pub(crate) fn worked(&self, held: &SealedLease) -> bool {
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
    pub(crate) fn by_agent(&self) -> BTreeMap<String, Vec<LeaseSummary>> {
        let mut leases: BTreeMap<String, Vec<LeaseSummary>> = BTreeMap::new();
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

fn key(agent: &str, digest: &str) -> LeaseKey {
    (agent.to_owned(), digest.to_owned())
}

/// Notes that a lease is held; whether there is room for it.
fn note(seen: &mut BTreeMap<LeaseKey, LeaseSighting>, held: SealedLease) -> bool {
    let key = (held.agent, held.digest);
    let has_room = seen.len() < MOST || seen.contains_key(&key);
    if has_room {
        let at = Instant::now();
        let task = held.task;
        seen.insert(key, LeaseSighting { task, at, told: at });
    }
    has_room
}
