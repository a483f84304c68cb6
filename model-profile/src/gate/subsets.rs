//! The trials of subsets of each group.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::comparison::GroupTimes;
use super::prediction::is_unseen;
use super::verdict::{CandidateVerdict, VerdictReason};
use super::{Gate, sorted};
use crate::error::ProfileError;
use crate::profiler::ProfiledModule;

/// The largest number of subsets of a group that are all tried: those of four candidates.
const MAX_SUBSETS: usize = 15;

/// The largest group with a list of its subsets.
const MAX_LISTED: usize = 8;

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
struct Attempt {
    subset: Vec<usize>,
    /// True if members with hunks of their own are judged on their own.
    in_parts: bool,
}

/// The trials of a group.
#[derive(Default)]
struct GroupTrials {
    queue: VecDeque<Attempt>,
    best: Option<(f64, Vec<usize>)>,
    /// The time of the whole group's commands in the plain module.
    plain_us: f64,
    /// The time that each tried subset saves. True if that is at most so much.
    saved: BTreeMap<Vec<usize>, (f64, bool)>,
    /// The candidates of large groups that gain on their own, with the gain.
    gaining: Vec<(usize, f64)>,
}

impl<P> Gate<'_, P>
where
    P: FnMut(&[usize]) -> Result<ProfiledModule, ProfileError>,
{
    /// Returns the best subset of each group. `placed` has all members. Each compilation tries one
    /// subset of every undecided group.
    pub(super) fn best_subsets(
        &mut self,
        groups: &[Group],
        placed: &[usize],
        plain: &ProfiledModule,
        verdicts: &mut [CandidateVerdict],
    ) -> Result<Vec<Vec<usize>>, ProfileError> {
        let mut trials: Vec<GroupTrials> = groups
            .iter()
            .map(|group| GroupTrials {
                queue: self.attempts(group),
                ..GroupTrials::default()
            })
            .collect();
        let mut is_told = BTreeSet::new();
        let whole = self.profile(placed)?.ok();
        let kernels_us = self.kernels_us(whole.as_ref());
        for round in 0.. {
            let next = |(group, trials): (&Group, &mut GroupTrials)| {
                trials.next(&kernels_us).or_else(|| {
                    // Once each has been tried alone, those that gain are tried together.
                    let gaining = std::mem::take(&mut trials.gaining);
                    trials.queue.extend((gaining.len() > 1).then(|| Attempt {
                        subset: self.without_rivals(group, &gaining),
                        in_parts: false,
                    }));
                    trials.next(&kernels_us)
                })
            };
            let tried: Vec<Option<Attempt>> = groups.iter().zip(&mut trials).map(next).collect();
            if tried.iter().all(Option::is_none) {
                break;
            }
            let positions = tried.iter().flatten().flat_map(|it| &it.subset);
            let set = match round {
                0 => placed.to_vec(),
                _ => sorted(positions.copied()),
            };
            let together = self.profile(&set)?;
            for (number, attempt) in tried.into_iter().enumerate() {
                let Some(attempt) = attempt else { continue };
                // Subsets that do not compile together may compile alone.
                let alone;
                let (set, with) = match &together {
                    Ok(_) if matches!(self.known.get(&attempt.subset), Some(Err(_))) => {
                        (&attempt.subset, None)
                    }
                    Ok(with) => (&set, Some(with)),
                    Err(_) => {
                        alone = self.profile(&attempt.subset)?.ok();
                        (&attempt.subset, alone.as_ref())
                    }
                };
                let mut halves: [Vec<usize>; 2] = Default::default();
                for part in self.parts(&attempt, set, plain, with) {
                    let times = with.map(|with| self.times(&part, set, plain, with));
                    let trials = &mut trials[number];
                    let is_better = trials.note(&part, times.as_ref());
                    // Later rounds give the times of the subset that is chosen.
                    for &position in &part {
                        if let Some(times) = &times
                            && (is_told.insert(position) || is_better)
                        {
                            tell(&mut verdicts[position], times, plain);
                        }
                    }
                    match (&*part, times.as_ref().and_then(GroupTimes::gain_us)) {
                        (_, _) if !attempt.in_parts => {}
                        (&[alone], Some(gain)) => trials.gaining.push((alone, gain)),
                        (&[_], None) => {}
                        // Candidates that still share a hunk are divided.
                        (together, _) => {
                            for (half, attempt) in halves.iter_mut().zip(alternating(together)) {
                                half.extend(attempt.subset);
                            }
                        }
                    }
                }
                trials[number].queue.extend(halves.map(|half| Attempt {
                    subset: sorted(half.into_iter()),
                    in_parts: true,
                }));
            }
        }
        for (group, trials) in groups.iter().zip(&trials) {
            self.tell_others(group, trials, verdicts);
        }
        let best = trials.into_iter().map(|it| it.best);
        Ok(best
            .map(|it| it.map(|it| it.1).unwrap_or_default())
            .collect())
    }

    /// Returns the parts of an attempt that are judged on their own.
    fn parts(
        &self,
        attempt: &Attempt,
        set: &[usize],
        plain: &ProfiledModule,
        with: Option<&ProfiledModule>,
    ) -> Vec<Vec<usize>> {
        let Some(with) = with.filter(|_| attempt.in_parts) else {
            return vec![attempt.subset.clone()];
        };
        let mut parts = self.joined(set, plain, with);
        for part in &mut parts {
            part.retain(|it| attempt.subset.contains(it));
        }
        parts.retain(|part| !part.is_empty());
        parts
    }

    /// Returns the time of each candidate's kernels in this module.
    fn kernels_us(&self, with: Option<&ProfiledModule>) -> Vec<f64> {
        let commands = || with.iter().flat_map(|it| &it.functions);
        let commands = || commands().flat_map(|it| &it.commands);
        let of = |kernels: &[String]| {
            let own = commands().filter(|it| {
                let kernel = it.kernel();
                kernel.is_some_and(|it| kernels.contains(&it.name)) && !is_unseen(it)
            });
            own.filter_map(|it| it.time_us.as_ref().ok()).sum()
        };
        let candidates = self.candidates.iter();
        candidates.map(|it| of(&it.kernels)).collect()
    }

    /// Returns the first attempts of a group, the whole group first: all subsets of a small one.
    fn attempts(&self, group: &Group) -> VecDeque<Attempt> {
        let whole = |subset| Attempt {
            subset,
            in_parts: false,
        };
        let mut attempts = VecDeque::from([whole(group.members.clone())]);
        let all: Vec<usize> = group.all().collect();
        if all.len() <= MAX_LISTED {
            let chosen = |bits: u32| {
                let members = all.iter().enumerate();
                let members = members.filter(move |(at, _)| bits >> at & 1 == 1);
                sorted(members.map(|(_, &it)| it))
            };
            let subsets = (1..1u32 << all.len()).map(chosen);
            let mut subsets: Vec<Vec<usize>> = subsets
                .filter(|it| *it != group.members && !self.is_redundant(it, group))
                .collect();
            if subsets.len() < MAX_SUBSETS {
                // Larger subsets first: most candidates gain.
                subsets.sort_by_key(|it| std::cmp::Reverse(it.len()));
                attempts.extend(subsets.into_iter().map(whole));
                return attempts;
            }
        }
        let others = alternating(&group.members).map(|attempt| {
            let hidden = group.hidden.iter().copied();
            let hidden = hidden.filter(|it| self.has_rival_in(*it, &attempt.subset));
            let hidden: Vec<usize> = hidden.collect();
            let rest = attempt.subset.iter().copied();
            let rest = rest.filter(|it| !hidden.iter().any(|one| self.has_rival_in(*one, &[*it])));
            let subset = sorted(rest.chain(hidden.iter().copied()));
            [
                Some(attempt),
                (!hidden.is_empty()).then_some(Attempt {
                    subset,
                    in_parts: true,
                }),
            ]
        });
        attempts.extend(others.into_iter().flatten().flatten());
        attempts
    }

    /// Returns true if a hidden candidate of a subset stands nowhere, because a rival of the subset
    /// is in its place.
    fn is_redundant(&self, subset: &[usize], group: &Group) -> bool {
        let hidden = group.hidden.iter().filter(|it| subset.contains(it));
        let rivals = |it: usize| {
            let members = group.members.iter().copied();
            members.filter(move |member| self.has_rival_in(it, &[*member]))
        };
        let mut hidden = hidden.copied();
        hidden.any(|it| rivals(it).all(|rival| subset.contains(&rival)))
    }

    /// Returns the candidates that gain on their own. A member that hides others stays if it gains
    /// as much as they do.
    fn without_rivals(&self, group: &Group, gaining: &[(usize, f64)]) -> Vec<usize> {
        let (hidden, members): (Vec<_>, Vec<_>) =
            (gaining.iter().copied()).partition(|it| group.hidden.contains(&it.0));
        let is_better = |&(member, gain): &(usize, f64)| {
            let rivals = hidden
                .iter()
                .filter(|it| self.has_rival_in(it.0, &[member]));
            rivals.map(|it| it.1).sum::<f64>() <= gain
        };
        let members: Vec<usize> = members
            .into_iter()
            .filter(is_better)
            .map(|it| it.0)
            .collect();
        let hidden = hidden.iter().map(|it| it.0);
        let hidden = hidden.filter(|&it| !self.has_rival_in(it, &members));
        sorted(members.iter().copied().chain(hidden))
    }

    /// Gives the members of a group that are not chosen their reason.
    fn tell_others(&self, group: &Group, trials: &GroupTrials, verdicts: &mut [CandidateVerdict]) {
        let Some((gain, chosen)) = &trials.best else {
            return;
        };
        for position in group.all().filter(|it| !chosen.contains(it)) {
            let beside = sorted(chosen.iter().copied().chain([position]));
            let with = trials.saved.iter().filter(|it| it.0.contains(&position));
            let best_with = with.max_by(|one, other| one.1.0.total_cmp(&other.1.0));
            let saved = trials.saved.get(&beside);
            let saved = saved.or_else(|| match group.hidden.contains(&position) {
                true => best_with.map(|it| it.1),
                false => trials.saved.get(&group.members),
            });
            let verdict = &mut verdicts[position];
            verdict.reason = match saved.or_else(|| best_with.map(|it| it.1)) {
                Some((saved, is_most)) => {
                    verdict.before_us = trials.plain_us - gain;
                    verdict.after_us = trials.plain_us - saved;
                    match is_most {
                        true => VerdictReason::BetterWithoutAtLeast,
                        false => VerdictReason::BetterWithout,
                    }
                }
                None => VerdictReason::NotTogether,
            };
        }
    }
}

impl GroupTrials {
    /// Returns the next attempt that may be better than the best one. A subset takes at least as
    /// long as its kernels.
    fn next(&mut self, kernels_us: &[f64]) -> Option<Attempt> {
        loop {
            let attempt = self.queue.pop_front()?;
            let own: f64 = attempt.subset.iter().map(|&it| kernels_us[it]).sum();
            let best = self.best.as_ref().map_or(0.0, |it| it.0);
            let most = self.plain_us - own;
            if self.saved.contains_key(&attempt.subset) || attempt.subset.is_empty() {
                continue;
            }
            if attempt.in_parts || self.plain_us == 0.0 || most > best {
                return Some(attempt);
            }
            self.saved.insert(attempt.subset, (most, true));
        }
    }

    /// Takes the times of a subset. Returns true if it is the best so far.
    fn note(&mut self, subset: &[usize], times: Option<&GroupTimes>) -> bool {
        let gain = times.and_then(GroupTimes::gain_us);
        if let Some(times) = times.filter(|it| it.untimed.is_none()) {
            let saved = (times.saved_us(), times.is_bound);
            self.saved.insert(subset.to_vec(), saved);
            self.plain_us = self.plain_us.max(times.sums_us().0);
        }
        let is_better = gain > self.best.as_ref().map(|it| it.0);
        if let Some(gain) = gain
            && is_better
        {
            self.best = Some((gain, subset.to_vec()));
        }
        is_better
    }
}

/// Sets the times of a verdict, and the reason why they are none to keep a candidate for.
fn tell(verdict: &mut CandidateVerdict, times: &GroupTimes, plain: &ProfiledModule) {
    let slowest = times.slowest_call();
    let pair = match slowest {
        Some(call) => times.calls[call],
        None => times.sums_us(),
    };
    (verdict.before_us, verdict.after_us) = pair;
    verdict.reason = match (&times.untimed, slowest) {
        (Some(message), _) => VerdictReason::Untimed {
            message: message.clone(),
        },
        (None, Some(call)) if times.calls.len() > 1 => VerdictReason::SlowerCall {
            call: plain.functions[call].to_string(),
        },
        (None, _) => VerdictReason::NotFaster,
    };
}

/// Returns two attempts, each with every other candidate.
fn alternating(candidates: &[usize]) -> [Attempt; 2] {
    [0, 1].map(|first| Attempt {
        subset: candidates.iter().skip(first).step_by(2).copied().collect(),
        in_parts: true,
    })
}
