//! The time model: a logarithm of time for configurations that nobody tried.
//!
//! A formula over [features](kernel_features) gives the order of magnitude. Boosted trees correct
//! it. They learnt from modelled trials of native kernels for many problems, and are stored in
//! `time_model.json`. The model knows no problem by name, so it also ranks the space of a new one.
//! It may fail outside of the families of its training, so a search keeps other starts.

mod kernel_features;

use std::collections::HashSet;
use std::sync::LazyLock;

use configgen::{Basis, Configuration, Device, Problem, Space};

use crate::surrogate::BoostedTrees;
pub use kernel_features::{FEATURES, kernel_features};

/// The number of random configurations that a ranking considers.
const SAMPLE: u64 = 8192;
/// The number of ranked configurations with neighbours that are considered, too.
const LEADERS: usize = 16;
/// The number of returned ranks.
const RETURNED: usize = 256;
/// The rounds of neighbours.
// A better configuration may be several steps away; each round is one step.
const ROUNDS: usize = 6;

/// The stored trees as JSON. A search by estimates depends on them.
pub const STORED_TREES: &str = include_str!("time_model.json");

static TREES: LazyLock<BoostedTrees> = LazyLock::new(|| {
    // A test reads the file, so no build has a broken one.
    serde_json::from_str(STORED_TREES).expect("the stored trees are JSON")
});

/// Returns the estimated logarithm of microseconds of a configuration with these features.
pub fn log_time(features: &[f32; FEATURES]) -> f32 {
    features[FEATURES - 1] + TREES.predict(features)
}

/// Returns the ranks of the configurations with the shortest estimated times.
///
/// The shortest one comes first. The next ones differ from each other in the distribution of
/// threads.
pub fn shortest(space: &Space, problem: &Problem, device: &Device) -> Vec<u64> {
    shortest_by(space, |configuration| {
        log_time(&kernel_features(problem, device, configuration))
    })
}

/// Returns the ranks of the configurations with the shortest times by an estimate, as
/// [`shortest`] does.
pub fn shortest_by(space: &Space, time: impl Fn(&Configuration) -> f32) -> Vec<u64> {
    let estimate = |rank: u64| Some((time(&space.nth(rank)?), rank));
    let by_time = |a: &(f32, u64), b: &(f32, u64)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let count = SAMPLE.min(space.len());
    // Evenly spaced ranks visit all cells of a space; a small space is considered as a whole.
    let sample = (0..count).map(|number| {
        let rank = u128::from(number) * u128::from(space.len()) / u128::from(count);
        rank as u64
    });
    let ranks = sample.chain(space.start_ranks());
    let mut all: Vec<(f32, u64)> = ranks.filter_map(estimate).collect();
    for _ in 0..ROUNDS {
        all.sort_unstable_by(by_time);
        all.dedup_by_key(|one| one.1);
        let leaders: Vec<u64> = all.iter().take(LEADERS).map(|one| one.1).collect();
        let near = leaders.iter().filter_map(|&rank| space.nth(rank));
        let mut near: Vec<u64> = near
            .flat_map(|one| space.neighbours(&one))
            .filter_map(|one| space.rank_of(&one))
            .collect();
        near.sort_unstable();
        near.dedup();
        all.truncate(RETURNED);
        all.extend(near.into_iter().filter_map(estimate));
    }
    all.sort_unstable_by(by_time);
    all.dedup_by_key(|one| one.1);
    all.truncate(RETURNED);
    // The model's error is nearly the same for kernels with the same distribution of threads, so
    // the first of each kind precede the others.
    let mut kinds = HashSet::new();
    let mut is_first =
        |(_, rank): &(f32, u64)| space.nth(*rank).is_some_and(|it| kinds.insert(kind(&it)));
    let (mut first, others): (Vec<_>, Vec<_>) = all.into_iter().partition(&mut is_first);
    first.extend(others);
    first.into_iter().map(|(_, rank)| rank).collect()
}

/// Returns the distribution of threads and workgroups.
fn kind(configuration: &Configuration) -> (Basis, Basis, u32) {
    let lowering = &configuration.lowering;
    let bases = (lowering.lane_basis.clone(), lowering.subgroup_basis.clone());
    (bases.0, bases.1, configuration.knobs.split)
}

#[cfg(test)]
mod tests;
