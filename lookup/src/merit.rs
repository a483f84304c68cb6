//! Merit: the trials that may be served, and the better of two. The search and the lookup share
//! this decision.

use std::cmp::Ordering;

use configgen::Generator;
use store::{Status, Ties, Trial, TrialOutcome};

/// Returns whether a configuration of `generator` with this verdict may be served. A generator
/// that does not promise the fold's tie-break may also serve [`Status::Tie`].
pub fn is_served(status: Status, generator: Generator) -> bool {
    match status {
        Status::Right => true,
        Status::Tie => !generator.promises_fold(),
        Status::Wrong | Status::Failed | Status::Timed => false,
    }
}

/// Returns whether a configuration with this verdict ranks behind all correct ones, regardless of
/// time.
pub fn is_behind(status: Status, ties: Ties) -> bool {
    ties == Ties::Fold && status == Status::Tie
}

/// The merit of a configuration that may be served; the lesser is the better. Another tie-break
/// ranks behind all correct configurations, unless any index is acceptable. Then the time counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Merit {
    /// The result of [`is_behind`].
    pub is_behind: bool,
    /// The time in microseconds.
    pub time_us: f64,
}

impl Merit {
    /// Returns the merit of a trial; `None` if it may not be served.
    pub fn of(trial: &Trial, generator: Generator, ties: Ties) -> Option<Merit> {
        let status = trial.outcome.status();
        let timing = trial.outcome.timing();
        let timing = timing.filter(|_| is_served(status, generator))?;
        Some(Merit {
            is_behind: is_behind(status, ties),
            time_us: timing.time_us,
        })
    }

    /// Returns the merit of a trial for a search, or none if it learns only that the trial failed.
    ///
    /// A search also learns from trials that are timed and not verified.
    pub fn for_search(trial: &Trial, generator: Generator, ties: Ties) -> Option<Merit> {
        match &trial.outcome {
            TrialOutcome::Timed(timing) => Some(Merit {
                is_behind: false,
                time_us: timing.time_us,
            }),
            _ => Merit::of(trial, generator, ties),
        }
    }

    /// Compares two merits: the better one is less.
    pub fn compare(&self, other: &Merit) -> Ordering {
        let by_verdict = self.is_behind.cmp(&other.is_behind);
        by_verdict.then(self.time_us.total_cmp(&other.time_us))
    }
}
