//! Plans: the task of a study, and its progress.

use configgen::Problem;
use search::strategy::Strategy;
use serde::{Deserialize, Serialize};
use store::Ties;

/// The task of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The problem that the kernels compute.
    pub problem: Problem,
    /// The strategy of the search.
    pub strategy: Strategy,
    /// The seed of the strategy.
    pub seed: u64,
    /// The maximum number of trials, including the default; at least 1.
    pub budget: u32,
    /// The wanted tie-break. Kernels with another one rank behind all that have it.
    pub ties: Ties,
}

/// The progress of a study.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TuneProgress {
    /// The number of finished trials.
    pub done: u64,
    /// The number of them that this run has not made: an earlier run or another process made
    /// them.
    pub others: u64,
    /// The expected number of trials.
    pub total: u64,
    /// The time of the default in microseconds.
    pub default_us: Option<f64>,
    /// The best time so far in microseconds.
    pub best_us: Option<f64>,
    /// True if all trials have ended and the finals compare the best of them with the default.
    pub finals: bool,
}
