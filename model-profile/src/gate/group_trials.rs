//! The results of a group's trials, and the verdicts that follow from them.

use std::collections::{BTreeMap, VecDeque};

use super::comparison::{GroupTimes, TimePair, is_enough};
use super::refusals::without;
use super::sorted;
use super::verdict::{CandidateVerdict, VerdictReason, VerdictTime};
use crate::profiler::ProfiledModule;

/// Candidates that are judged together.
#[derive(Debug, Clone, Default)]
pub(super) struct Group {
    /// Those that are in place together.
    pub(super) members: Vec<usize>,
    /// Those with operations that members take. They are in place without these members.
    pub(super) hidden: Vec<usize>,
}

impl Group {
    pub(super) fn all(&self) -> impl Iterator<Item = usize> {
        self.members.iter().chain(&self.hidden).copied()
    }
}

/// A subset of a group to try.
pub(super) struct Attempt {
    pub(super) subset: Vec<usize>,
    /// True if members with hunks of their own are judged on their own.
    pub(super) in_parts: bool,
}

/// The trials of a group.
#[derive(Default)]
pub(super) struct GroupTrials {
    pub(super) queue: VecDeque<Attempt>,
    /// The best subset, with its gain.
    best: Option<(f64, Vec<usize>)>,
    /// The time of the whole group's commands in the plain module, and the number of commands
    /// among them that count with a lower bound.
    plain_us: f64,
    bounded: usize,
    /// The result of each tried subset.
    results: BTreeMap<Vec<usize>, TrialResult>,
    /// The candidates of large groups that gain on their own, with the gain.
    pub(super) gaining: Vec<(usize, f64)>,
}

/// The result of a trial.
#[derive(Debug, Clone)]
enum TrialResult {
    Timed(SubsetTimes),
    /// The message about a command without a time.
    Untimed(String),
    /// The compiler's message.
    Refused(String),
}

/// The times of a subset's commands over all calls.
#[derive(Debug, Clone)]
struct SubsetTimes {
    sums: TimePair,
    /// The call that loses most, by position.
    slowest: Option<(usize, TimePair)>,
    /// True if the times after are estimates.
    is_bound: bool,
}

impl GroupTrials {
    /// Creates the trials of a group with these attempts.
    pub(super) fn new(queue: VecDeque<Attempt>) -> GroupTrials {
        GroupTrials {
            queue,
            ..GroupTrials::default()
        }
    }

    /// Returns the best subset. It is empty if none gains.
    pub(super) fn chosen(&self) -> &[usize] {
        self.best.as_ref().map_or(&[], |it| &it.1)
    }

    fn gain_us(&self) -> f64 {
        self.best.as_ref().map_or(0.0, |it| it.0)
    }

    /// Returns the next attempt that may be better than the best one. A subset takes at least as
    /// long as its kernels.
    pub(super) fn next(&mut self, kernels_us: &[f64]) -> Option<Attempt> {
        loop {
            let attempt = self.queue.pop_front()?;
            if self.results.contains_key(&attempt.subset) || attempt.subset.is_empty() {
                continue;
            }
            let own: f64 = attempt.subset.iter().map(|&it| kernels_us[it]).sum();
            let least = TimePair {
                before_us: self.plain_us,
                after_us: own,
                bounded: self.bounded,
            };
            if attempt.in_parts || self.plain_us == 0.0 || least.saved_us() > self.gain_us() {
                return Some(attempt);
            }
            let skipped = TrialResult::Timed(SubsetTimes {
                sums: least,
                slowest: None,
                is_bound: true,
            });
            self.results.insert(attempt.subset, skipped);
        }
    }

    /// Takes the times of a subset, or the compiler's message.
    pub(super) fn note(&mut self, subset: &[usize], times: Result<&GroupTimes, &str>) {
        let result = match times {
            Err(message) => TrialResult::Refused(message.to_owned()),
            Ok(GroupTimes {
                untimed: Some(message),
                ..
            }) => TrialResult::Untimed(message.clone()),
            Ok(times) => {
                let sums = times.sums();
                if sums.before_us > self.plain_us {
                    (self.plain_us, self.bounded) = (sums.before_us, sums.bounded);
                }
                if let Some(gain) = times.gain_us()
                    && self.best.as_ref().is_none_or(|best| gain > best.0)
                {
                    self.best = Some((gain, subset.to_vec()));
                }
                TrialResult::Timed(SubsetTimes {
                    sums,
                    slowest: times.slowest_call().map(|call| (call, times.calls[call])),
                    is_bound: times.is_bound,
                })
            }
        };
        self.results.insert(subset.to_vec(), result);
    }

    /// Removes candidates from the best subset if it gains as much without them, but for a small
    /// part of the time of their kernels.
    pub(super) fn leave_out_small_gains(&mut self, kernels_us: &[f64]) {
        loop {
            let (gain, chosen) = (self.gain_us(), self.chosen());
            let smaller = chosen.iter().filter_map(|&position| {
                let others = without(chosen, &[position]);
                let saved = self.exact_gain_us(&others)?;
                let is_small = !is_enough(gain - saved, kernels_us[position]);
                is_small.then_some((saved, others))
            });
            match smaller.max_by(|one, other| one.0.total_cmp(&other.0)) {
                Some(smaller) => self.best = Some(smaller),
                None => return,
            }
        }
    }

    /// Returns the gain of a subset that was tried and could stay.
    fn exact_gain_us(&self, subset: &[usize]) -> Option<f64> {
        let TrialResult::Timed(times) = self.results.get(subset)? else {
            return None;
        };
        let gain = times.sums.saved_us();
        let is_sound = times.slowest.is_none() && is_enough(gain, times.sums.before_us);
        (is_sound && !times.is_bound).then_some(gain)
    }

    /// Gives all candidates of the group their reasons and times.
    pub(super) fn tell(
        &self,
        group: &Group,
        plain: &ProfiledModule,
        verdicts: &mut [CandidateVerdict],
    ) {
        for position in group.all() {
            let verdict = &mut verdicts[position];
            let chosen = self.chosen();
            if chosen.contains(&position) {
                if let Some(TrialResult::Timed(times)) = self.results.get(chosen) {
                    verdict.is_with_others = chosen.len() > 1;
                    verdict.set_times(times.sums, times.is_bound);
                }
                continue;
            }
            match self.result_with(position) {
                Some((subset, TrialResult::Timed(times))) => {
                    verdict.is_with_others = subset.len() > 1;
                    self.tell_times(verdict, times, plain);
                }
                Some((_, TrialResult::Refused(message))) => {
                    verdict.reason = VerdictReason::NotCompiled {
                        message: message.clone(),
                    };
                }
                Some((_, TrialResult::Untimed(message))) if chosen.is_empty() => {
                    verdict.reason = VerdictReason::Untimed {
                        message: message.clone(),
                    };
                }
                Some((_, TrialResult::Untimed(_))) => verdict.reason = VerdictReason::NotTogether,
                None => verdict.reason = VerdictReason::OperationsTaken,
            }
        }
    }

    /// Returns the result that says most about a candidate that is not chosen: beside the chosen
    /// ones, else of its best subset.
    fn result_with(&self, position: usize) -> Option<(&[usize], &TrialResult)> {
        let chosen = self.chosen();
        let beside = sorted(chosen.iter().copied().chain([position]));
        let is_beside = |subset: &[usize]| !chosen.is_empty() && *subset == *beside;
        let with = self.results.iter().filter(|it| it.0.contains(&position));
        let key = |(subset, result): &(&Vec<usize>, &TrialResult)| match result {
            TrialResult::Timed(times) => (true, is_beside(subset), times.sums.saved_us()),
            _ => (false, is_beside(subset), 0.0),
        };
        let most = with.max_by(|one, other| {
            let (one, other) = (key(one), key(other));
            (one.0, one.1)
                .cmp(&(other.0, other.1))
                .then(one.2.total_cmp(&other.2))
        });
        most.map(|(subset, result)| (&**subset, result))
    }

    /// Gives a candidate that is not chosen the reason that follows from the times of a subset with
    /// it.
    fn tell_times(
        &self,
        verdict: &mut CandidateVerdict,
        times: &SubsetTimes,
        plain: &ProfiledModule,
    ) {
        let call = |at: usize| plain.functions[at].to_string();
        if let Some((at, pair)) = times.slowest
            && pair.bounded == 0
            && plain.functions.len() > 1
        {
            verdict.set_times(pair, times.is_bound);
            verdict.reason = VerdictReason::SlowerCall { call: call(at) };
            return;
        }
        let chosen = self.results.get(self.chosen());
        let Some(TrialResult::Timed(chosen)) = chosen else {
            let pair = times.slowest.map_or(times.sums, |it| it.1);
            verdict.set_times(pair, times.is_bound);
            verdict.reason = match pair {
                TimePair { bounded: 1.., .. } => VerdictReason::NotBelowBound,
                pair if pair.saved_us() > 0.0 => VerdictReason::GainTooSmall,
                _ => VerdictReason::NotFaster,
            };
            return;
        };
        // Commands that a subset does not change are those of the plain module.
        let time = |subset: &SubsetTimes| VerdictTime {
            us: self.plain_us - subset.sums.saved_us(),
            is_bound: subset.is_bound || subset.sums.bounded < self.bounded,
        };
        (verdict.before, verdict.after) = (time(chosen), time(times));
        verdict.reason = if times.sums.saved_us() > chosen.sums.saved_us() {
            VerdictReason::GainTooSmall
        } else if times.sums.bounded > chosen.sums.bounded {
            VerdictReason::NotBelowBound
        } else {
            VerdictReason::BetterWithout
        };
    }
}
