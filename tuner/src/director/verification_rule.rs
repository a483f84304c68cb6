//! The verification rule: the trials of a study that are verified, on a device with exact times.
//!
//! Verification costs more than compiling and timing together, and few trials matter. A trial is
//! therefore timed first. It is verified if it beats all trials of earlier blocks, and so is a
//! fixed share of all trials. The fastest trial of a study is then verified: it beat the limit of
//! its block. The other trials get the status `timed`, which nothing serves.
//!
//! The limit of a block follows from the results of all ordinals up to a fixed number of blocks
//! before it. It does not depend on the number of agents or on the order of results. A resumed
//! study and a shared one therefore verify the same trials. A block waits for these results; the
//! blocks in between keep several agents busy.

use std::collections::BTreeMap;

/// The number of trials of a block, after the default's own block.
const BLOCK: u32 = 8;

/// The number of blocks that may be under way at a time. Each one more makes the limit older, and
/// more trials are verified.
const BLOCKS_UNDER_WAY: u32 = 2;

/// One trial in so many is verified whatever its time is.
const SHARE: u32 = 16;

/// The verified times of a study, and the limit of the current block.
#[derive(Debug, Default)]
pub(super) struct VerificationRule {
    /// The result of each finished trial: its time in microseconds if it is verified and correct.
    results: BTreeMap<u32, Option<f64>>,
    /// The first ordinal of the current block.
    start: u32,
    /// The least verified time of the results that the current block waits for. `None` if there is
    /// none.
    limit_us: Option<f64>,
}

impl VerificationRule {
    /// Records the result of a trial: its time if it is verified and correct.
    pub(super) fn record(&mut self, ordinal: u32, verified_us: Option<f64>) {
        self.results.insert(ordinal, verified_us);
    }

    /// Returns how many candidates from the ordinal `next` on may be proposed now: those of its
    /// block. 0 if the block waits for results.
    pub(super) fn room(&mut self, next: u32) -> usize {
        let start = block_start(next);
        if start != self.start {
            // The default's result comes first: it is the limit of the first blocks.
            let end = start
                .saturating_sub((BLOCKS_UNDER_WAY - 1) * BLOCK)
                .max(1)
                .min(start);
            if self.results.range(..end).count() < end as usize {
                return 0;
            }
            let before = self.results.range(..end);
            let verified = before.filter_map(|(_, verified_us)| *verified_us);
            self.limit_us = verified.min_by(f64::total_cmp);
            self.start = start;
        }
        let end = if next == 0 { 1 } else { start + BLOCK };
        (end - next) as usize
    }

    /// Returns the time in microseconds from which on a candidate of the current block is only
    /// timed. `None` if it is verified in any case.
    pub(super) fn limit_us(&self, ordinal: u32) -> Option<f64> {
        // A multiplicative hash: a fixed stride could coincide with the turns of a strategy.
        let is_of_share = ordinal.wrapping_mul(0x9e37_79b9) < u32::MAX / SHARE;
        self.limit_us.filter(|_| !is_of_share)
    }
}

/// Returns the first ordinal of the block of an ordinal.
fn block_start(ordinal: u32) -> u32 {
    match ordinal.checked_sub(1) {
        None => 0,
        Some(after_default) => 1 + after_default / BLOCK * BLOCK,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the verified ordinals of a study with these times, whose trials are all correct.
    /// Each block's results arrive in descending order if `turned`.
    fn verified(times: &[f64], turned: bool) -> Vec<u32> {
        let mut rule = VerificationRule::default();
        let (mut verified, mut next) = (Vec::new(), 0);
        while (next as usize) < times.len() {
            let room = rule.room(next).min(times.len() - next as usize);
            assert_ne!(room, 0, "every block before has ended");
            let mut block: Vec<u32> = (next..next + room as u32).collect();
            let limits: Vec<Option<f64>> = block.iter().map(|&it| rule.limit_us(it)).collect();
            next += room as u32;
            let mut ended: Vec<(u32, Option<f64>)> = block.drain(..).zip(limits).collect();
            if turned {
                ended.reverse();
            }
            for (ordinal, limit) in ended {
                let time = times[ordinal as usize];
                let is_verified = limit.is_none_or(|limit| time < limit);
                rule.record(ordinal, is_verified.then_some(time));
                verified.extend(is_verified.then_some(ordinal));
            }
        }
        verified.sort_unstable();
        verified
    }

    #[test]
    fn the_fastest_trial_is_verified_in_any_order_of_results() {
        let mut state = 1u64;
        for length in [1, 2, 9, 10, 100, 500] {
            let times: Vec<f64> = (0..length)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    (state >> 40) as f64
                })
                .collect();
            let found = verified(&times, false);
            assert_eq!(found, verified(&times, true));
            let best = (0..).zip(&times).min_by(|a, b| a.1.total_cmp(b.1));
            assert!(found.contains(&0) && found.contains(&best.unwrap().0));
            assert!(length < 100 || found.len() < times.len() / 4, "{found:?}");
        }
    }

    /// Checks that trials which are too slow for a record are verified now and then.
    #[test]
    fn a_share_of_slow_trials_is_verified() {
        let times: Vec<f64> = (0..1600).map(f64::from).collect();
        let found = verified(&times, false).len();
        assert!((50..=150).contains(&found), "{found}");
    }

    #[test]
    fn a_block_waits_for_results_of_earlier_ones() {
        let mut rule = VerificationRule::default();
        assert_eq!((rule.room(0), rule.room(1)), (1, 0));
        assert_eq!(rule.limit_us(0), None);
        rule.record(0, None);
        // Without a verified time, everything is verified.
        assert_eq!((rule.room(1), rule.limit_us(3)), (8, None));
        assert_eq!(rule.room(4), 5);
        // One more block is under way before the first one ends.
        assert_eq!((rule.room(9), rule.room(17)), (8, 0));
        for ordinal in [2, 3, 4, 5, 6, 7, 8] {
            rule.record(ordinal, Some(f64::from(ordinal)));
        }
        assert_eq!(rule.room(17), 0);
        rule.record(1, Some(7.0));
        // A result of a later block, from an earlier run, does not count here.
        rule.record(12, Some(1.0));
        assert_eq!((rule.room(17), rule.limit_us(17)), (8, Some(2.0)));
    }
}
