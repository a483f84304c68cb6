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
    /// The effort, for an early stop. `None` spends the whole budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// The wanted tie-break. Kernels with another one rank behind all that have it.
    pub ties: Ties,
}

/// The effort of a search: its usual budget, and the gain that is worth another generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// A few trials.
    Quick,
    /// The usual number of trials.
    Normal,
    /// Many trials, as long as the model expects any gain.
    Thorough,
    /// The whole space.
    Exhaustive,
}

impl Effort {
    /// All efforts, the smallest one first.
    pub const ALL: [Effort; 4] = [Self::Quick, Self::Normal, Self::Thorough, Self::Exhaustive];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Normal => "normal",
            Self::Thorough => "thorough",
            Self::Exhaustive => "exhaustive",
        }
    }

    /// Returns the maximum number of trials, unless the caller names one.
    pub fn budget(self) -> u32 {
        match self {
            Self::Quick => 24,
            Self::Normal => 128,
            Self::Thorough => 512,
            Self::Exhaustive => u32::MAX,
        }
    }

    /// Returns the least gain that is worth another generation, as a share of the best time.
    /// `None` never stops early.
    pub fn least_gain(self) -> Option<f32> {
        match self {
            Self::Quick => Some(0.02),
            Self::Normal => Some(0.005),
            Self::Thorough => Some(0.001),
            Self::Exhaustive => None,
        }
    }
}

/// A search stops within this share of the lower bound.
// The bound is modelled, and its own error is about as large.
const BOUND_MARGIN: f64 = 0.03;

/// Returns whether a time is so near to its lower bound that no other trial is worth it.
pub(crate) fn is_at_bound(time_us: f64, bound_us: f64) -> bool {
    time_us <= bound_us * (1.0 + BOUND_MARGIN)
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
