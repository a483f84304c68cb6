//! A surrogate's view of a search: expected improvements over a pool of untried configurations.
//!
//! The pool is the whole space, or a random part of a large one with the neighbours of the best.
//! The target is the logarithm of the time, as a difference from the space's estimate. Trials that
//! fail train a second forest, the feasibility model. Its probability of success multiplies the
//! expected improvement.

use configgen::seeded_random::{self, Random};
use ndarray::Array2;

use super::generation::{History, logarithm};
use crate::surrogate::Forest;

/// The number of trees.
const TREES: usize = 32;
/// Random streams of the pool and of the trees.
// Separate streams: the pool does not depend on the number of draws by the trees.
const STREAMS: (u64, u64) = (4, 5);

/// A configuration of the pool with its prediction.
#[derive(Debug, Clone, Copy)]
pub(super) struct RankedCandidate {
    pub(super) rank: u64,
    /// The mean of the logarithm of time.
    pub(super) mean: f32,
    /// The expected improvement on the best logarithm of time.
    pub(super) improvement: f32,
}

/// Returns the largest expected improvement of the candidates, as a share of the best time.
pub(super) fn largest_gain(candidates: &[RankedCandidate]) -> Option<f32> {
    let improvements = candidates.iter().map(|one| one.improvement);
    // The improvement is one of the logarithm of time.
    improvements
        .max_by(f32::total_cmp)
        .map(|it| 1.0 - (-it).exp())
}

/// The model of a search.
pub(super) struct ModelGuide {
    sampling: Random,
    trees: Random,
    /// The maximum number of configurations of the pool.
    most: usize,
    /// The features of the whole space, if the pool is the whole space.
    features: Option<Array2<f32>>,
}

impl ModelGuide {
    pub(super) fn new(seed: u64, most: usize) -> ModelGuide {
        ModelGuide {
            sampling: seeded_random::generator(seed, STREAMS.0),
            trees: seeded_random::generator(seed, STREAMS.1),
            most,
            features: None,
        }
    }

    /// Fits the forests to all results, and predicts the untried configurations of the pool and
    /// those of `extra`. Returns nothing before the first success.
    pub(super) fn predict(&mut self, history: &History, extra: &[u64]) -> Vec<RankedCandidate> {
        let Some((best, _)) = history.scores.first() else {
            return Vec::new();
        };
        let best = logarithm(best) as f32;
        let tried: Vec<u64> = history.scores.iter().map(|one| one.1).collect();
        let estimate = |rank: u64| history.space.estimate(rank);
        let times = history.scores.iter();
        let times = times.map(|one| logarithm(&one.0) as f32 - estimate(one.1));
        let rows = features(history, &tried);
        let targets: Vec<f32> = times.collect();
        let forest = Forest::fit(rows.view(), &targets, TREES, &mut self.trees);
        let feasibility = self.feasibility(history, &tried);
        let mut candidates = Vec::new();
        let mut rank = |ranks: &mut dyn Iterator<Item = u64>, rows: &Array2<f32>| {
            let found = forest.predict(rows);
            let chances = feasibility.as_ref().map(|forest| forest.predict(rows).mean);
            for (row, rank) in ranks.enumerate() {
                if history.is_proposed(rank) {
                    continue;
                }
                let mean = estimate(rank) + found.mean[row];
                let deviation = found.deviation[row];
                let chance = chances
                    .as_ref()
                    .map_or(1.0, |chances| chances[row].clamp(0.0, 1.0));
                candidates.push(RankedCandidate {
                    rank,
                    mean,
                    improvement: chance * expected_improvement(best - mean, deviation),
                });
            }
        };
        let len = history.space.len();
        if len <= self.most as u64 {
            let all = || (0..len).collect::<Vec<u64>>();
            let rows = self
                .features
                .get_or_insert_with(|| features(history, &all()));
            rank(&mut (0..len), rows);
        } else {
            let random = (0..self.most).map(|_| seeded_random::below(&mut self.sampling, len));
            let mut pool: Vec<u64> = random.chain(extra.iter().copied()).collect();
            pool.retain(|&rank| !history.is_proposed(rank));
            // Draws repeat, and `extra` may contain them: each candidate appears once.
            pool.sort_unstable();
            pool.dedup();
            rank(&mut pool.iter().copied(), &features(history, &pool));
        }
        candidates
    }

    /// Fits the feasibility model, if any trial failed.
    fn feasibility(&mut self, history: &History, tried: &[u64]) -> Option<Forest> {
        if history.failures.is_empty() {
            return None;
        }
        let all: Vec<u64> = tried.iter().chain(&history.failures).copied().collect();
        let outcomes: Vec<f32> = (0..all.len())
            // Successes come first in `all`.
            .map(|place| f32::from(u8::from(place < tried.len())))
            .collect();
        let rows = features(history, &all);
        Some(Forest::fit(rows.view(), &outcomes, TREES, &mut self.trees))
    }
}

/// Returns the features of configurations, a row for each.
fn features(history: &History, ranks: &[u64]) -> Array2<f32> {
    let rows: Vec<Vec<f32>> = ranks
        .iter()
        .map(|&rank| history.space.features(rank))
        .collect();
    let columns = rows.first().map_or(0, Vec::len);
    let flat = rows.into_iter().flatten().collect();
    Array2::from_shape_vec((ranks.len(), columns), flat).unwrap_or_default()
}

/// Returns the expected improvement of a normal distribution with this mean gain.
fn expected_improvement(gain: f32, deviation: f32) -> f32 {
    // The score below divides by the deviation.
    if deviation <= 1e-9 {
        return gain.max(0.0);
    }
    let score = gain / deviation;
    let density = (-0.5 * score * score).exp() / std::f32::consts::TAU.sqrt();
    gain * normal_distribution(score) + deviation * density
}

/// Returns the normal distribution function, to 1e-5 (Abramowitz and Stegun 26.2.16).
fn normal_distribution(score: f32) -> f32 {
    let t = 1.0 / (1.0 + 0.332_67 * score.abs());
    let tail = (-0.5 * score * score).exp() / std::f32::consts::TAU.sqrt()
        * t
        * (0.436_183_6 + t * (-0.120_167_6 + t * 0.937_298));
    if score < 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_improvements_are_those_of_tables() {
        #[track_caller]
        fn check(gain: f32, deviation: f32, expected: f32) {
            let found = expected_improvement(gain, deviation);
            assert!((found - expected).abs() < 2e-5, "{found} {expected}");
        }
        check(0.0, 1.0, 0.398_94);
        check(1.0, 1.0, 1.083_32);
        check(-1.0, 1.0, 0.083_32);
        check(0.2, 0.1, 0.200_85);
        check(0.3, 0.0, 0.3);
        check(-0.3, 0.0, 0.0);
    }
}
