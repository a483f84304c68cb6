//! Counters: trials and leases that this replica has seen since it started.

use std::sync::atomic::{AtomicU64, Ordering};

use store::{Status, Trial};

/// Why a lease ended without its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseFailure {
    /// The agent said that it could not do the work.
    Failed,
    /// The agent said that it was done, and had not told every trial.
    Incomplete,
    /// The queue had lost the work.
    Lost,
}

impl LeaseFailure {
    /// Every failure.
    pub const ALL: [LeaseFailure; 3] = [Self::Failed, Self::Incomplete, Self::Lost];

    /// Its name in metrics.
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
    /// Counts trials that an agent told, also those that it told before.
    pub(crate) fn told(&self, trials: &[Trial]) {
        for trial in trials {
            let status = trial.outcome.status();
            for (counter, one) in self.trials.iter().zip(Status::ALL) {
                add(counter, u64::from(one == status));
            }
        }
    }

    /// Counts trials that no agent could bring to an end.
    pub(crate) fn gave_up(&self, trials: usize) {
        add(&self.given_up, trials as u64);
    }

    /// Counts a lease that is given out.
    pub(crate) fn granted(&self) {
        add(&self.granted, 1);
    }

    /// Counts work that comes again because a lease of it ended without its results.
    pub(crate) fn redelivered(&self) {
        add(&self.redelivered, 1);
    }

    /// Counts a lease that ended without its work.
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
    counter.fetch_add(count, Ordering::Relaxed);
}

fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

/// Counts since a replica started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CounterSnapshot {
    /// Trials that agents told, by verdict.
    pub trials: Vec<(Status, u64)>,
    /// Trials that were given up because no agent brought them to an end.
    pub given_up: u64,
    /// Leases that were given out.
    pub granted: u64,
    /// Work that was delivered again.
    pub redelivered: u64,
    /// Leases that ended without their work.
    pub failed: Vec<(LeaseFailure, u64)>,
}
