//! Which workgroups are run, and how many of the launch each of them stands for.
//!
//! The sample is pairs of neighbours, spread evenly, and the last workgroup. Where two that follow each other in it
//! did different work, those between them are searched for the place where the kind changes; where neighbours
//! already differ, kinds alternate, and more are taken here and there. Each workgroup then stands for the ids that
//! are nearer to it than to any other of the sample.

use super::WorkgroupTrace;
use super::trace::Work;

/// Workgroups of a run: the smallest number that shows what neighbours share.
const RUN: u64 = 2;
/// Workgroups that are run beyond the sample, at most, to tell kinds apart.
const SEARCHES: usize = 12;

/// The ids of about `sample` of `total` workgroups, ascending: runs of neighbours that start at equal distances, and the
/// last one.
pub(super) fn first(total: u32, sample: u32) -> Vec<u32> {
    let (all, sample) = (u64::from(total), u64::from(sample.max(1)));
    if sample >= all {
        return (0..total).collect();
    }
    let runs = sample.div_ceil(RUN);
    let mut ids: Vec<u32> = (0..sample)
        .map(|index| ((index / RUN) * all / runs + index % RUN) as u32)
        .collect();
    if sample > 1 && ids.last() != Some(&(total - 1)) {
        ids.push(total - 1);
    }
    ids
}

/// The next id to run, or none if the kinds are known well enough. `known` are those that ran.
pub(super) fn next(known: &[(u32, Work)], total: u32, searched: usize) -> Option<u32> {
    if searched >= SEARCHES {
        return None;
    }
    let mut known = known.to_vec();
    known.sort_unstable();
    let changes = || {
        let pairs = known.windows(2).map(|pair| (pair[0], pair[1]));
        pairs.filter(|(before, after)| !before.1.is_like(&after.1))
    };
    // The longest stretch in which a change lies somewhere.
    let longest = changes()
        .map(|(before, after)| (after.0 - before.0, before.0))
        .max()?;
    let alternates = changes().any(|(before, after)| after.0 - before.0 == 1)
        && changes().count() > known.len() / 3;
    if alternates {
        // Multiples of the golden ratio lie evenly and keep no period.
        let place = (searched as f64 + 1.0) * 0.618_033_988_749_894_9;
        let id = (place.fract() * f64::from(total)) as u32;
        return known.iter().all(|one| one.0 != id).then_some(id);
    }
    (longest.0 > 1).then_some(longest.1 + longest.0 / 2)
}

/// The last workgroup, where it is in the sample and the one before is not.
pub(super) fn lone(ids: &[u32], total: u64) -> Option<u32> {
    let last = ids.iter().copied().find(|&id| u64::from(id) + 1 == total)?;
    (last > 0 && !ids.contains(&(last - 1))).then_some(last)
}

/// Sets the part of `total` workgroups that each trace stands for.
pub(super) fn shares(traces: &mut [WorkgroupTrace], ids: &[u32], total: u64) {
    let first = traces.first().map(WorkgroupTrace::work).unwrap_or_default();
    if traces.iter().all(|trace| trace.work().is_like(&first)) {
        // The last is the one that may have a little less than all others: it stands for itself.
        let is_last = |&id: &u32| u64::from(id) + 1 == total;
        let lasts = ids.iter().filter(|id| is_last(id)).count();
        let others = (ids.len() - lasts) as f64;
        for (trace, id) in traces.iter_mut().zip(ids) {
            let alone = 1.0 / total as f64;
            trace.share = match is_last(id) {
                true => alone,
                false => (1.0 - lasts as f64 * alone) / others,
            };
        }
        return;
    }
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_unstable_by_key(|&index| ids[index]);
    let id = |position: usize| f64::from(ids[order[position]]);
    for position in 0..order.len() {
        let from = match position {
            0 => -0.5,
            _ => (id(position - 1) + id(position)) / 2.0,
        };
        let to = match position + 1 {
            end if end == order.len() => total as f64 - 0.5,
            next => (id(position) + id(next)) / 2.0,
        };
        traces[order[position]].share = (to - from) / total as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_first(total: u32, sample: u32, expected: &[u32]) {
        assert_eq!(first(total, sample), expected);
    }

    #[test]
    fn samples_are_pairs_of_neighbours_and_the_last() {
        check_first(0, 4, &[]);
        check_first(3, 4, &[0, 1, 2]);
        check_first(4, 4, &[0, 1, 2, 3]);
        check_first(5, 4, &[0, 1, 2, 3, 4]);
        check_first(6, 4, &[0, 1, 3, 4, 5]);
        check_first(1024, 4, &[0, 1, 512, 513, 1023]);
        check_first(1024, 3, &[0, 1, 512, 1023]);
        check_first(1024, 1, &[0]);
        check_first(
            u32::MAX,
            4,
            &[0, 1, 2_147_483_647, 2_147_483_648, u32::MAX - 1],
        );
    }

    /// The part of `total` workgroups that is found to be of kind 1.
    fn found(total: u32, kind: impl Fn(u32) -> u64) -> f64 {
        let mut ids = first(total, 4);
        let first_count = ids.len();
        let trace = |id: &u32| WorkgroupTrace {
            waves: vec![super::super::WaveTrace {
                executed: kind(*id),
                ..Default::default()
            }],
            share: 0.0,
        };
        loop {
            let known: Vec<_> = ids.iter().map(|id| (*id, trace(id).work())).collect();
            match next(&known, total, ids.len() - first_count) {
                Some(id) => ids.push(id),
                None => break,
            }
        }
        let mut traces: Vec<_> = ids.iter().map(trace).collect();
        shares(&mut traces, &ids, total.into());
        let whole: f64 = traces.iter().map(|trace| trace.share).sum();
        assert!((whole - 1.0).abs() < 1e-9, "{whole}");
        let ones = traces.iter().filter(|trace| trace.work().executed == 1);
        ones.map(|trace| trace.share).sum()
    }

    #[track_caller]
    fn check_kinds(total: u32, kind: impl Fn(u32) -> bool, tolerance: f64) {
        let part = (0..total).filter(|id| kind(*id)).count() as f64 / f64::from(total);
        let found = found(total, |id| u64::from(kind(id)));
        assert!((found - part).abs() <= tolerance, "{found} for {part}");
    }

    #[test]
    fn kinds_are_weighted_by_how_many_there_are() {
        check_kinds(4, |id| id == 3, 0.0);
        check_kinds(1000, |_| true, 0.0);
        check_kinds(1000, |_| false, 0.0);
        check_kinds(1000, |id| id == 999, 0.001);
        check_kinds(10_000, |id| id < 100, 0.001);
        check_kinds(10_000, |id| id < 7333, 0.001);
        check_kinds(10_000, |id| (2500..6500).contains(&id), 0.1);
        check_kinds(10_000, |id| id % 2 == 0, 0.15);
        check_kinds(10_000, |id| id % 4 == 0, 0.25);
    }
}
