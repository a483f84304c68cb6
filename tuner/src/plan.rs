//! Plans: what a study should do, and how far it is.

use configgen::Problem;
use serde::{Deserialize, Serialize};
use store::Ties;

use crate::strategy::Strategy;

/// What a study should do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// What is computed.
    pub problem: Problem,
    /// Where to look next.
    pub strategy: Strategy,
    /// Seed of the strategy.
    pub seed: u64,
    /// Trials at most, the default among them; at least 1.
    pub budget: u32,
    /// Which index is wanted where elements tie; what gives another is behind all that do not.
    pub ties: Ties,
}

/// How far a study is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TuneProgress {
    /// Trials that have ended.
    pub done: u64,
    /// Of them, those that this run has not made: they were there, or another process made them.
    pub others: u64,
    /// Trials that there will be.
    pub total: u64,
    /// Time of the default in microseconds.
    pub default_us: Option<f64>,
    /// Time of the best so far in microseconds.
    pub best_us: Option<f64>,
    /// Whether all trials have ended and the best of them meet the default in finals.
    pub finals: bool,
}
