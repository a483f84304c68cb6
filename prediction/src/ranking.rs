//! The ranking of a space by estimated times.

use std::collections::HashSet;

use configgen::{Basis, Configuration, Device, Problem, Space};

use crate::time_model::TimeModel;

/// The number of random configurations that a ranking considers.
const SAMPLE: u64 = 8192;
/// The number of ranked configurations with neighbours that are considered, too.
const LEADERS: usize = 16;
/// The number of returned ranks.
const RETURNED: usize = 256;
/// The rounds of neighbours.
// A better configuration may be several steps away; each round is one step.
const ROUNDS: usize = 6;

/// Returns the ranks of the configurations with the shortest estimated times.
///
/// The shortest one comes first. The next ones differ from each other in the distribution of
/// threads.
pub fn shortest(space: &Space, problem: &Problem, device: &'static Device) -> Vec<u64> {
    shortest_by(space, |configuration| {
        TimeModel::stored().estimate(problem, device, configuration)
    })
}

/// Returns the ranks of the configurations with the shortest times by an estimate, as
/// [`shortest`] does.
pub fn shortest_by(space: &Space, time: impl Fn(&Configuration) -> f32) -> Vec<u64> {
    shortest_of(space, SAMPLE, time)
}

/// Returns the ranks of the configurations with the shortest times by an estimate, from a sample
/// of the space, its starts and their neighbours.
pub(crate) fn shortest_of(
    space: &Space,
    sample: u64,
    time: impl Fn(&Configuration) -> f32,
) -> Vec<u64> {
    let estimate = |rank: u64| Some((time(&space.nth(rank)?), rank));
    let by_time = |a: &(f32, u64), b: &(f32, u64)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let count = sample.min(space.len());
    // Evenly spaced ranks visit all cells of a space; a small space is considered as a whole.
    let sample = (0..count).map(|number| {
        let rank = u128::from(number) * u128::from(space.len()) / u128::from(count);
        rank as u64
    });
    let ranks = sample.chain(space.start_ranks());
    let mut all: Vec<(f32, u64)> = ranks.filter_map(estimate).collect();
    let mut expanded = HashSet::new();
    for _ in 0..ROUNDS {
        all.sort_unstable_by(by_time);
        all.dedup_by_key(|one| one.1);
        let leaders = all.iter().take(LEADERS).map(|one| one.1);
        // A leader of an earlier round has no neighbour that is new.
        let leaders = leaders.filter(|&rank| expanded.insert(rank));
        let near = leaders.filter_map(|rank| space.nth(rank));
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
