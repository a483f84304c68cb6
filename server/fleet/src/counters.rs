//! Counters: trials and leases of this replica since its start.

use std::sync::atomic::{AtomicU64, Ordering};

use store::{Status, Trial};

/// The reason of a lease that ended without its results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseFailure {
    /// The agent reported that it could not do the batch.
    Failed,
    /// The agent reported the end without a result for every trial.
    Incomplete,
    /// The queue had lost the item.
    Lost,
}

impl LeaseFailure {
    /// Every failure.
    pub const ALL: [LeaseFailure; 3] = [Self::Failed, Self::Incomplete, Self::Lost];

    /// Returns its name in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Incomplete => "incomplete",
            Self::Lost => "lost",
        }
    }
}

/// The counters of a replica.
#[derive(Default)]
pub(crate) struct Counters {
    trials: [AtomicU64; Status::ALL.len()],
    given_up: AtomicU64,
    granted: AtomicU64,
    redelivered: AtomicU64,
    failed: [AtomicU64; LeaseFailure::ALL.len()],
}

impl Counters {
    /// Counts reported trials, including repeated reports of a trial.
    pub(crate) fn told(&self, trials: &[Trial]) {
        for trial in trials {
            let status = trial.outcome.status();
            for (counter, one) in self.trials.iter().zip(Status::ALL) {
                add(counter, u64::from(one == status));
            }
        }
    }

    /// Counts trials that no agent could finish.
    pub(crate) fn gave_up(&self, trials: usize) {
        add(&self.given_up, trials as u64);
    }

    /// Counts a lease.
    pub(crate) fn granted(&self) {
        add(&self.granted, 1);
    }

    /// Counts a delivery that follows a lease without its results.
    pub(crate) fn redelivered(&self) {
        add(&self.redelivered, 1);
    }

    /// Counts a lease that ended without its results.
    pub(crate) fn failed(&self, failure: LeaseFailure) {
        for (counter, one) in self.failed.iter().zip(LeaseFailure::ALL) {
            add(counter, u64::from(one == failure));
        }
    }

    pub(crate) fn read(&self) -> CounterSnapshot {
        let all = |counters: &[AtomicU64]| -> Vec<u64> { counters.iter().map(get).collect() };
        CounterSnapshot {
            trials: Status::ALL.into_iter().zip(all(&self.trials)).collect(),
            given_up: get(&self.given_up),
            granted: get(&self.granted),
            redelivered: get(&self.redelivered),
            failed: (LeaseFailure::ALL.into_iter().zip(all(&self.failed))).collect(),
        }
    }
}

fn add(counter: &AtomicU64, count: u64) {
    // Relaxed suffices: each counter is read on its own, and orders no other memory.
    counter.fetch_add(count, Ordering::Relaxed);
}

fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

/// Counts since the start of a replica.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CounterSnapshot {
    /// Reported trials by verdict.
    pub trials: Vec<(Status, u64)>,
    /// Trials that replicas gave up because no agent finished them.
    pub given_up: u64,
    /// Leases.
    pub granted: u64,
    /// Deliveries after an unsuccessful lease.
    pub redelivered: u64,
    /// Leases that ended without their results, by reason.
    pub failed: Vec<(LeaseFailure, u64)>,
}
