//! The selection of workgroups to run, and the share of the launch that each represents.
//!
//! The sample is evenly spread pairs of neighbours, and the last workgroup. If their work
//! differs, more run: the last but one, and neighbours from the first on.
//!
//! - If these neighbours differ, kinds alternate, as for workgroups that share rows. More
//!   neighbours run until a period appears, and each workgroup represents its place in the
//!   period. Without a period, more run at scattered places.
//! - If they are equal, ranges of the launch differ. Between two different workgroups of the
//!   sample, a search finds the place of the change. Each workgroup represents the IDs that are
//!   nearest to it.

use super::WorkgroupTrace;
use super::trace::WorkCounts;

/// Workgroups of a run: the smallest number that shows sharing between neighbours.
const RUN: u64 = 2;
/// The spacing of possible starts: a run starts at the first or third of this many workgroups.
const PLACES: u64 = 8;
/// The largest number of workgroups beyond the sample that run to distinguish kinds.
const SEARCHES: usize = 24;
/// The longest period that the search finds; it runs two periods.
const LONGEST_PERIOD: u32 = 8;

/// Returns the IDs of about `sample` of `total` workgroups, ascending: runs of neighbours at
/// about equal distances, and the last one.
///
/// Runs start alternately at the first and at the third of eight places. The sample thus shows
/// correct sharing for rows of two or four workgroups. In longer rows of a power of two, no run
/// has the last two workgroups of a row. Only their tiles overlap.
pub(super) fn first(total: u32, sample: u32) -> Vec<u32> {
    let (all, sample) = (u64::from(total), u64::from(sample.max(1)));
    if sample >= all {
        return (0..total).collect();
    }
    let runs = sample.div_ceil(RUN);
    // Runs at smaller distances would overlap.
    let places = match all / runs >= PLACES {
        true => PLACES,
        false => 2 * RUN,
    };
    let start = |run: u64| {
        let even = run * all / runs;
        let moved = even - even % places + run % 2 * RUN;
        if moved + RUN < all { moved } else { even }
    };
    let mut ids: Vec<u32> = (0..sample)
        .map(|index| (start(index / RUN) + index % RUN) as u32)
        .collect();
    ids.sort_unstable();
    if sample > 1 && ids.last() != Some(&(total - 1)) {
        ids.push(total - 1);
    }
    ids
}

/// Returns the sample of [`first`] with the workgroups that show alternating kinds, for a launch
/// without later additions.
pub(super) fn fixed(total: u32, sample: u32) -> Vec<u32> {
    let mut ids = first(total, sample);
    ids.extend(0..total.min(2 * LONGEST_PERIOD));
    ids.extend(total.checked_sub(2));
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Returns the next ID to run, or None if the kinds are known well enough. `known` are the
/// finished ones.
pub(super) fn next(known: &[(u32, WorkCounts)], total: u32, searched: usize) -> Option<u32> {
    let mut known = known.to_vec();
    known.sort_unstable();
    let is_new = |id: &u32| known.binary_search_by_key(id, |one| one.0).is_err();
    changes(&known).next()?;
    let run = 0..total.min(1 + LONGEST_PERIOD);
    let mut looked_at = total.checked_sub(2).into_iter().chain(run.clone());
    if let Some(id) = looked_at.find(is_new) {
        return Some(id);
    }
    if period(&known, total).is_some() {
        return None;
    }
    let alternates = changes(&known[..run.len()]).next().is_some();
    let mut longer = run.end..total.min(2 * LONGEST_PERIOD);
    if let Some(id) = longer.find(is_new).filter(|_| alternates) {
        return Some(id);
    }
    if searched >= SEARCHES {
        return None;
    }
    if alternates {
        // Multiples of the golden ratio are evenly spread and follow no period.
        let place = (searched as f64 + 1.0) * 0.618_033_988_749_894_9;
        let id = (place.fract() * f64::from(total)) as u32;
        return is_new(&id).then_some(id);
    }
    // The longest stretch in which a change lies somewhere.
    let stretches = changes(&known).map(|(before, after)| (after.0 - before.0, before.0));
    let (longest, start) = stretches.max()?;
    (longest > 1).then_some(start + longest / 2)
}

/// Returns the neighbours in the sorted sample that are of different kinds.
fn changes(
    known: &[(u32, WorkCounts)],
) -> impl Iterator<Item = (&(u32, WorkCounts), &(u32, WorkCounts))> {
    let pairs = known.windows(2).map(|pair| (&pair[0], &pair[1]));
    pairs.filter(|(before, after)| !before.1.is_like(&after.1))
}

/// Returns the period of kinds, or 1 if all are alike. It must hold twice from the first
/// workgroup on, and for all others but the last.
fn period(known: &[(u32, WorkCounts)], total: u32) -> Option<u32> {
    let run = (0..).zip(known).take_while(|(place, one)| *place == one.0);
    let run = run.count() as u32;
    let longest = (run / 2).min(LONGEST_PERIOD);
    let repeats = |length: &u32| {
        let mut others = known.iter().filter(|one| one.0 + 1 != total);
        others.all(|one| one.1.is_like(&known[(one.0 % length) as usize].1))
    };
    (1..=longest).find(repeats)
}

/// Returns the last workgroup if it is in the sample and its predecessor is not.
pub(super) fn lone(ids: &[u32], total: u64) -> Option<u32> {
    let last = ids.iter().copied().find(|&id| u64::from(id) + 1 == total)?;
    (last > 0 && !ids.contains(&(last - 1))).then_some(last)
}

/// Sets the share of `total` workgroups that each trace represents.
pub(super) fn shares(traces: &mut [WorkgroupTrace], ids: &[u32], total: u64) {
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_unstable_by_key(|&index| ids[index]);
    let known: Vec<_> = order
        .iter()
        .map(|&index| (ids[index], traces[index].work()))
        .collect();
    if let Some(period) = period(&known, total as u32) {
        // The last workgroup may have less work than all others, so it represents only itself.
        let is_last = |id: u32| u64::from(id) + 1 == total;
        let alone = 1.0 / total as f64;
        let others = 1.0
            - if ids.iter().any(|&id| is_last(id)) {
                alone
            } else {
                0.0
            };
        for (trace, &id) in traces.iter_mut().zip(ids) {
            let alike = ids
                .iter()
                .filter(|&&it| !is_last(it) && it % period == id % period);
            trace.share = match is_last(id) {
                true => alone,
                false => others / f64::from(period) / alike.count() as f64,
            };
        }
        return;
    }
    // Without a period, each boundary lies halfway between two neighbouring IDs of the sample.
    let id = |position: usize| f64::from(known[position].0);
    for (position, &index) in order.iter().enumerate() {
        let from = match position {
            0 => -0.5,
            _ => (id(position - 1) + id(position)) / 2.0,
        };
        let to = match position + 1 {
            end if end == order.len() => total as f64 - 0.5,
            next => (id(position) + id(next)) / 2.0,
        };
        traces[index].share = (to - from) / total as f64;
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
        check_first(6, 4, &[0, 1, 2, 3, 5]);
        check_first(
            19,
            16,
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 18],
        );
        check_first(14, 4, &[0, 1, 6, 7, 13]);
        check_first(30, 4, &[0, 1, 10, 11, 29]);
        check_first(1024, 4, &[0, 1, 514, 515, 1023]);
        check_first(1024, 3, &[0, 1, 514, 1023]);
        check_first(1024, 1, &[0]);
        check_first(
            u32::MAX,
            4,
            &[0, 1, 2_147_483_642, 2_147_483_643, u32::MAX - 1],
        );
    }

    /// Returns the fraction of `total` workgroups that the sample assigns to kind 1.
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
    }

    #[test]
    fn kinds_that_alternate_are_weighted_by_their_place_in_the_period() {
        for period in 2..=LONGEST_PERIOD {
            // The last of those that share a row has less work.
            for total in [period * 512, period * 4096, period * 4099] {
                check_kinds(total, |id| id % period == period - 1, 0.001);
                check_kinds(total, |id| id % period == 0, 0.001);
            }
        }
        for place in 0..4 {
            for total in [16_384, 10_000, 9_999] {
                check_kinds(total, |id| id % 4 == place, 0.001);
            }
        }
        check_kinds(10_000, |id| id == 0, 0.001);
        check_kinds(16_384, |id| id % 4 > 1, 0.001);
        check_kinds(16_384, |id| id % 8 > 2, 0.001);
        // Four workgroups share rows of five steps.
        let twos = found(16_384, |id| [1, 1, 2, 0][(id % 4) as usize]);
        assert!((twos - 0.5).abs() < 0.001, "{twos}");
        // The last workgroup of all differs.
        check_kinds(16_384, |id| id % 2 == 0 || id == 16_383, 0.001);
        // These kinds have no period.
        check_kinds(10_000, |id| id.wrapping_mul(2_654_435_761) >> 30 == 0, 0.15);
    }
}
