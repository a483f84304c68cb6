//! The rule that stops a search before its budget is spent.
//!
//! It decides only between two generations, when the search has all results. The end of a study
//! therefore does not depend on the number of workers.

use lookup::Merit;

use crate::plan::{Effort, is_at_bound};

/// The rule of a study.
#[derive(Debug)]
pub(super) struct StopRule {
    bound_us: f64,
    least_gain: f32,
    /// The best verified time with the wanted tie-break.
    best_us: f64,
}

impl StopRule {
    /// Creates the rule of an effort; `None` if it never stops early.
    pub(super) fn new(effort: Option<Effort>, bound_us: f64) -> Option<StopRule> {
        Some(StopRule {
            bound_us,
            least_gain: effort?.least_gain()?,
            best_us: f64::INFINITY,
        })
    }

    /// Records the score of a verified trial.
    pub(super) fn record(&mut self, verified: &Merit) {
        if !verified.is_behind {
            self.best_us = self.best_us.min(verified.time_us);
        }
    }

    /// Returns whether the best time is so near to the bound that no other trial is worth it.
    pub(super) fn is_at_bound(&self) -> bool {
        is_at_bound(self.best_us, self.bound_us)
    }

    /// Returns whether a generation with this expected gain is not worth its trials. A search
    /// without a model goes on.
    pub(super) fn is_too_small(&self, gain: Option<f32>) -> bool {
        gain.is_some_and(|gain| gain < self.least_gain)
    }
}
