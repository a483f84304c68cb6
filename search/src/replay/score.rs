//! The score P of the autotuning methodology: 0 is random search, 1 is the optimum at once.
//!
//! At each point of the range, the score is (R - F) / (R - optimum). R is the expected best time of
//! random search, and F the mean best time of the runs. P is the mean over the points. Before its
//! first success, a run counts as random search.

use super::ReplayRun;
use super::random_baseline::RandomBaseline;

/// The number of points of the clock.
const POINTS: usize = 1000;

/// Returns the score over the evaluations of the baseline's range.
pub(super) fn by_evaluations(runs: &[ReplayRun], baseline: &RandomBaseline) -> Option<f64> {
    let (first, last) = baseline.range;
    mean((first..=last).filter_map(|count| {
        let random = baseline.after(count);
        point(runs.iter().map(|run| run.after(count)), random, baseline)
    }))
}

/// Returns the score over the durations of as many median trials.
pub(super) fn by_time(runs: &[ReplayRun], baseline: &RandomBaseline) -> Option<f64> {
    // Without durations, the clock stands still.
    if baseline.median_cost_ms <= 0.0 {
        return None;
    }
    let (first, last) = baseline.range;
    let (first, last) = (first as f64, last as f64);
    mean((0..POINTS).filter_map(|place| {
        // The last point is the end of the range itself.
        let share = place as f64 / (POINTS - 1) as f64;
        let clock = (first + (last - first) * share) * baseline.median_cost_ms;
        let random = baseline.at(clock);
        point(runs.iter().map(|run| run.at(clock)), random, baseline)
    }))
}

/// Returns the score at a point, or none if random search is at the optimum.
fn point(best: impl Iterator<Item = f64>, random: f64, baseline: &RandomBaseline) -> Option<f64> {
    let best = best.map(|time| if time.is_finite() { time } else { random });
    let gap = random - baseline.optimum_ms();
    let found = mean(best)?;
    // A gap of 0 would divide by zero.
    (gap > 0.0).then(|| (random - found) / gap)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0usize, 0.0), |(count, sum), value| {
        (count + 1, sum + value)
    });
    (count > 0).then(|| sum / count as f64)
}
