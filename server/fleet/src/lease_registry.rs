//! Lease registry: the leases and their holders, for display only. The queue itself decides which
//! agent holds a batch.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use tuner::{Batch, BatchContent};

use crate::agent_registry::{PRESENCE, TOLD};

/// Most leases in the registry: agents choose how many they take.
const MOST: usize = 10_000;

/// The activity of a lease holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeaseActivity {
    /// It builds kernels that another agent will try.
    Build,
    /// It tries configurations.
    Try,
    /// It measures the best configurations against each other.
    Finals,
}

impl LeaseActivity {
    /// Every activity.
    pub const ALL: [LeaseActivity; 3] = [Self::Build, Self::Try, Self::Finals];

    /// Returns its name in metrics and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Try => "try",
            Self::Finals => "finals",
        }
    }
}

/// A summary of a lease, for people.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LeaseSummary {
    /// The study.
    pub study: i64,
    /// The activity of its holder.
    pub doing: LeaseActivity,
    /// Number of its configurations.
    pub configurations: u32,
    /// The time at which it began.
    pub since: SystemTime,
}

impl LeaseSummary {
    /// Summarizes a lease that begins now.
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

/// The content that a service seals into a lease token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SealedLease {
    pub(crate) agent: String,
    /// Hash of the batch, which the holder sends with the results.
    pub(crate) digest: String,
    pub(crate) task: LeaseSummary,
}

struct LeaseSighting {
    task: LeaseSummary,
    at: Instant,
    told: Instant,
}

/// The holder, and the hash of its batch.
type LeaseKey = (String, String);

/// Leases by holder and batch.
#[derive(Default)]
pub(crate) struct LeaseRegistry(Mutex<BTreeMap<LeaseKey, LeaseSighting>>);

impl LeaseRegistry {
    fn seen(&self) -> MutexGuard<'_, BTreeMap<LeaseKey, LeaseSighting>> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A holder that died never ends its lease, so silence removes it.
        seen.retain(|_, lease| lease.at.elapsed() < PRESENCE);
        seen
    }

    /// Notes a lease from a message of another replica.
    pub(crate) fn heard(&self, held: SealedLease) {
        note(&mut self.seen(), held);
    }

    /// Notes that the holder of a lease works. Returns true if a message about it to the other
    /// replicas is due.
    pub(crate) fn worked(&self, held: &SealedLease) -> bool {
        let mut seen = self.seen();
        match seen.get_mut(&key(&held.agent, &held.digest)) {
            // The same agent may lease the same batch again.
            Some(known) if known.task == held.task && known.told.elapsed() < TOLD => {
                known.at = Instant::now();
                false
            }
            _ => note(&mut seen, held.clone()),
        }
    }

    /// Removes a lease that is over.
    pub(crate) fn end(&self, agent: &str, digest: &str) {
        self.seen().remove(&key(agent, digest));
    }

    /// Returns the leases by holder, the oldest first.
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

/// Notes a lease. Returns true if there is room for it.
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
