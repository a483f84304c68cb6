//! What may be served, and which of two is the better one. It is decided here, once, for whoever searches and whoever asks.

use std::cmp::Ordering;

use configgen::Generator;
use store::{Status, Ties, Trial};

/// Whether a configuration of `generator` with this verdict may be recommended: one whose verdict is all that its generator
/// promises, which may be less than the fold's index among equals.
pub fn is_served(status: Status, generator: Generator) -> bool {
    match status {
        Status::Right => true,
        Status::Tie => !generator.promises_fold(),
        Status::Wrong | Status::Failed => false,
    }
}

/// Whether a configuration with this verdict is behind all that are right, however fast it is.
pub fn is_behind(status: Status, ties: Ties) -> bool {
    ties == Ties::Fold && status == Status::Tie
}

/// How good a configuration is that may be served: the less the better. One that gives another index on ties than the
/// fold is behind all that are right, unless any index will do; then the time counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Merit {
    /// See [`is_behind`].
    pub is_behind: bool,
    /// Its time in microseconds.
    pub time_us: f64,
}

impl Merit {
    /// That of a trial; none where it is not to be served.
    pub fn of(trial: &Trial, generator: Generator, ties: Ties) -> Option<Merit> {
        let status = trial.outcome.status();
        let timing = trial.outcome.timing();
        let timing = timing.filter(|_| is_served(status, generator))?;
        Some(Merit {
            is_behind: is_behind(status, ties),
            time_us: timing.time_us,
        })
    }

    /// The better one is less.
    pub fn compare(&self, other: &Merit) -> Ordering {
        let by_verdict = self.is_behind.cmp(&other.is_behind);
        by_verdict.then(self.time_us.total_cmp(&other.time_us))
    }
}
