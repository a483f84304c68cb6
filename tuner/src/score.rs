//! Scores: by what a trial is better than another.

use std::cmp::Ordering;

use configgen::Generator;
use store::{Ties, Trial};

/// How good a configuration is that may be served: the less the better. One that gives another index on ties than the
/// fold is behind all that are right, unless any index will do; then the time counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Score {
    pub(crate) is_behind: bool,
    pub(crate) time_us: f64,
}

impl Score {
    /// The score of a trial; none where it is not to be served.
    pub(crate) fn of(trial: &Trial, generator: Generator, ties: Ties) -> Option<Score> {
        let status = trial.outcome.status();
        let timing = trial.outcome.timing();
        let timing = timing.filter(|_| status.is_served(generator))?;
        Some(Score {
            is_behind: ties.puts_behind(status),
            time_us: timing.time_us,
        })
    }

    /// The better one is less.
    pub(crate) fn compare(&self, other: &Score) -> Ordering {
        let by_verdict = self.is_behind.cmp(&other.is_behind);
        by_verdict.then(self.time_us.total_cmp(&other.time_us))
    }
}
