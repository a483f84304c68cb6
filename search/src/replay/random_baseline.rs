//! Random search as the baseline of the score, by calculation.
//!
//! Times are ranked in descending order. After M evaluations of N configurations, the expected
//! rank of the best is M (N + 1) / (M + 1). The package autotuning_methodology 1.1.0 rounds it, as
//! does this module. The formula is from Willemsen et al., "A methodology for comparing
//! optimization algorithms for auto-tuning", 2024.

use crate::recorded_space::RecordedTrial;

/// The fractions of the way from the median to the optimum at which a score begins and ends.
const CUTOFFS: (f64, f64) = (0.01, 0.95);

/// The distribution of a recorded space's times and durations.
pub(super) struct RandomBaseline {
    /// The times of all successes, from the longest to the shortest.
    times_ms: Vec<f64>,
    /// The evaluations at which the score begins and ends.
    pub(super) range: (usize, usize),
    /// The mean duration of a trial.
    mean_cost_ms: f64,
    pub(super) median_cost_ms: f64,
}

impl RandomBaseline {
    pub(super) fn new(trials: &[RecordedTrial]) -> RandomBaseline {
        let mut times: Vec<f64> = trials.iter().filter_map(|trial| trial.time_ms).collect();
        times.sort_by(|a, b| b.total_cmp(a));
        let mut costs: Vec<f64> = trials.iter().map(|trial| trial.cost_ms).collect();
        costs.sort_by(f64::total_cmp);
        let first = evaluations_to(&times, CUTOFFS.0);
        RandomBaseline {
            // A range of at least two steps, for a space that random search exhausts at once.
            range: (first, evaluations_to(&times, CUTOFFS.1).max(first + 2)),
            mean_cost_ms: costs.iter().sum::<f64>() / costs.len().max(1) as f64,
            median_cost_ms: median(&costs),
            times_ms: times,
        }
    }

    pub(super) fn optimum_ms(&self) -> f64 {
        self.times_ms.last().copied().unwrap_or(f64::NAN)
    }

    /// Returns the expected best time after some evaluations.
    pub(super) fn after(&self, evaluations: usize) -> f64 {
        let count = self.times_ms.len();
        let rank = evaluations as f64 * (count + 1) as f64 / (evaluations + 1) as f64;
        let last = count.saturating_sub(1);
        // Ties go to the even rank, as in Python. After all N evaluations, the rank is N.
        let rank = (rank.round_ties_even() as usize).min(last);
        self.times_ms.get(rank).copied().unwrap_or(f64::NAN)
    }

    /// Returns the expected best time at a time of the clock.
    pub(super) fn at(&self, clock_ms: f64) -> f64 {
        // No best time is expected before the first trial.
        let evaluations = (clock_ms / self.mean_cost_ms).max(1.0);
        self.after(evaluations.round_ties_even() as usize)
    }
}

/// Returns the expected evaluations of random search to a fraction of the way from the median to
/// the optimum. `times` descend.
fn evaluations_to(times: &[f64], fraction: f64) -> usize {
    let Some(&optimum) = times.last() else {
        return 0;
    };
    let goal = optimum + (median(times) - optimum) * (1.0 - fraction);
    let place = times.partition_point(|&time| time > goal);
    // A score against the optimum itself would divide by zero.
    let place = match times.get(place) {
        Some(&time) if time == optimum => place.saturating_sub(1),
        _ => place,
    };
    (place as f64 / (times.len() + 1 - place) as f64).ceil() as usize
}

fn median(sorted: &[f64]) -> f64 {
    match sorted.len() {
        0 => 0.0,
        count if count % 2 == 1 => sorted[count / 2],
        count => f64::midpoint(sorted[count / 2 - 1], sorted[count / 2]),
    }
}
