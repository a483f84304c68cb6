//! Lease history: the leases of each batch that ended without its results.
//!
//! A queue also counts deliveries without an agent: while the database is away, or to a dead
//! replica. Only leases speak against a candidate.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use crate::lease_registry::{LeaseActivity, SealedLease};

/// Most batches in memory.
const MOST: usize = 10_000;

/// The leases of a batch that have not ended with its results.
#[derive(Default)]
struct BatchHistory {
    digest: String,
    /// The times at which they began.
    leases: BTreeSet<SystemTime>,
    /// The last reason that an agent gave.
    reason: Option<String>,
}

/// The known leases, by digest of their batch.
///
/// A new replica knows none. A candidate may therefore get more leases than
/// [`crate::DELIVERIES`], never fewer.
#[derive(Default)]
pub(crate) struct LeaseHistory(Mutex<VecDeque<BatchHistory>>);

impl LeaseHistory {
    fn batches(&self) -> MutexGuard<'_, VecDeque<BatchHistory>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a lease has begun. Each lease counts once, however often it is noted.
    pub(crate) fn began(&self, held: &SealedLease) {
        if held.task.doing == LeaseActivity::Build {
            return;
        }
        let mut batches = self.batches();
        let batch = of_digest(&mut batches, &held.digest);
        batch.leases.insert(held.task.since);
    }

    /// Notes the reason that an agent gave for a failure of the batch with this digest.
    pub(crate) fn failed(&self, digest: &str, reason: String) {
        of_digest(&mut self.batches(), digest).reason = Some(reason);
    }

    /// Forgets a lease without a failure.
    pub(crate) fn forget(&self, digest: &str, since: SystemTime) {
        let mut batches = self.batches();
        if let Some(at) = batches.iter().position(|it| it.digest == digest) {
            batches[at].leases.remove(&since);
            if batches[at].leases.is_empty() {
                batches.remove(at);
            }
        }
    }

    /// Returns the number of leases of the batch with this digest.
    pub(crate) fn leases(&self, digest: &str) -> u64 {
        let batches = self.batches();
        let batch = batches.iter().find(|it| it.digest == digest);
        batch.map_or(0, |it| it.leases.len() as u64)
    }

    /// Returns the reason for which the batch with this digest is given up.
    pub(crate) fn reason(&self, digest: &str) -> String {
        let batches = self.batches();
        let batch = batches.iter().find(|it| it.digest == digest);
        let leases = batch.map_or(0, |it| it.leases.len());
        match batch.and_then(|it| it.reason.as_ref()) {
            Some(reason) => format!("given up after {leases} leases; {reason}"),
            None => format!("given up after {leases} leases, none of which ended with a report"),
        }
    }
}

/// Returns the history of the batch with this digest, which is new if there is none.
fn of_digest<'a>(batches: &'a mut VecDeque<BatchHistory>, digest: &str) -> &'a mut BatchHistory {
    let at = match batches.iter().position(|it| it.digest == digest) {
        Some(at) => at,
        None => {
            // The oldest goes, so that a flood of leases does not grow the memory.
            if batches.len() >= MOST {
                batches.pop_front();
            }
            batches.push_back(BatchHistory {
                digest: digest.to_owned(),
                ..BatchHistory::default()
            });
            batches.len() - 1
        }
    };
    &mut batches[at]
}
