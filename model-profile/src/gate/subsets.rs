//! The trials of subsets of each group.

use std::collections::VecDeque;

use super::comparison::GroupTimes;
use super::group_trials::{Attempt, Group, GroupTrials};
use super::prediction::is_unseen;
use super::verdict::CandidateVerdict;
use super::{Gate, sorted};
use crate::error::ProfileError;
use crate::profiler::ProfiledModule;

/// The largest number of subsets of a group that are all tried: those of four candidates.
const MAX_SUBSETS: usize = 15;

/// The largest group with a list of its subsets.
const MAX_LISTED: usize = 8;

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
            .map(|group| GroupTrials::new(self.attempts(group)))
            .collect();
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
            if self.is_stopped {
                break;
            }
            for (number, attempt) in tried.into_iter().enumerate() {
                let Some(attempt) = attempt else { continue };
                // Subsets that do not compile together may compile alone.
                let alone;
                let (set, with) = match &together {
                    Ok(with) => match self.known.get(&attempt.subset) {
                        Some(Err(message)) => (&attempt.subset, Err(&**message)),
                        _ => (&set, Ok(with)),
                    },
                    Err(_) => {
                        alone = self.profile(&attempt.subset)?;
                        (
                            &attempt.subset,
                            alone.as_ref().map_err(|message| &**message),
                        )
                    }
                };
                let mut halves: [Vec<usize>; 2] = Default::default();
                for part in self.parts(&attempt, set, plain, with.ok()) {
                    let times = with.map(|with| self.times(&part, set, plain, with));
                    let times = times.as_ref().map_err(|message| *message);
                    trials[number].note(&part, times);
                    match (&*part, times.ok().and_then(GroupTimes::gain_us)) {
                        (_, _) if !attempt.in_parts => {}
                        (&[alone], Some(gain)) => trials[number].gaining.push((alone, gain)),
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
        for (group, trials) in groups.iter().zip(&mut trials) {
            trials.leave_out_small_gains(&kernels_us);
            trials.tell(group, plain, verdicts);
        }
        let best = trials.iter().map(|it| it.chosen().to_vec());
        Ok(best.collect())
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
}

/// Returns two attempts, each with every other candidate.
fn alternating(candidates: &[usize]) -> [Attempt; 2] {
    [0, 1].map(|first| Attempt {
        subset: candidates.iter().skip(first).step_by(2).copied().collect(),
        in_parts: true,
    })
}
