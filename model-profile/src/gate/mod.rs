//! The gate selects the candidates that make a module faster.
//!
//! It profiles the plain module and the module with all candidates. Commands that are equal in both
//! cancel. Candidates with kernels in one hunk of the difference interact through fusion, so they
//! form a *group* and are judged together. The gate tries all subsets of a group of up to four. A
//! subset stays if the commands that it changes take less time than before. At the end the gate
//! compares the whole module, with all that stays, with the plain one.
//!
//! For a larger group the gate tries the whole group and then every other candidate. Plain commands
//! then separate the candidates, and each has a hunk of its own. Candidates that still share one are
//! separated in the same way. Finally it tries all that gain alone together.
//!
//! Groups do not share commands, so one compilation tries a subset of each. A hunk without a kernel
//! of a candidate belongs to the nearest hunk with one, so that every changed command counts.

mod attribution;
mod comparison;
#[cfg(test)]
mod tests;
mod verdict;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use self::comparison::{GroupTimes, is_no_slower};
pub use self::verdict::{CandidateVerdict, GateVerdict, VerdictReason};
use crate::error::ProfileError;
use crate::profiler::ProfiledModule;

/// The largest group with a trial of all subsets.
const ALL_SUBSETS: usize = 4;

/// A change of the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The kernels that it places, by name. A candidate without kernels, such as a tuning spec,
    /// causes every hunk without kernels of other candidates.
    pub kernels: Vec<String>,
    /// The position of an earlier candidate that it can stand in for. The two are never in place
    /// together.
    pub stands_in_for: Option<usize>,
}

/// Candidates with which the module does not compile, each with the compiler's message.
type Refusals = Vec<(usize, String)>;

/// A judgement in progress. `P` profiles the module with the candidates at these positions.
pub struct Gate<'a, P> {
    candidates: &'a [Candidate],
    profile: P,
    /// The profile of each tried set of candidates, or the compiler's message.
    known: BTreeMap<Vec<usize>, Result<ProfiledModule, String>>,
}

impl<'a, P> Gate<'a, P>
where
    P: FnMut(&[usize]) -> Result<ProfiledModule, ProfileError>,
{
    /// Creates a gate for these candidates.
    pub fn new(candidates: &'a [Candidate], profile: P) -> Self {
        Gate {
            candidates,
            profile,
            known: BTreeMap::new(),
        }
    }

    /// Judges the candidates.
    ///
    /// # Errors
    ///
    /// The errors of profiling. A candidate with which the module does not compile is no error.
    pub fn judge(mut self) -> Result<GateVerdict, ProfileError> {
        let plain = self.profile(&[])?;
        let (all, refused) = self.compiling()?;
        let Ok(plain) = plain else {
            return self.without_plain(all, refused);
        };
        let with_all = self.expect(&all)?;
        let mut groups = self.groups(&all, &plain, &with_all);
        let mut verdicts: Vec<CandidateVerdict> = (self.candidates.iter())
            .map(|_| CandidateVerdict {
                kept: false,
                reason: VerdictReason::NotPlaced,
                before_us: 0.0,
                after_us: 0.0,
                launches: 0,
            })
            .collect();
        for (position, message) in refused {
            verdicts[position].reason = VerdictReason::NotCompiled { message };
        }
        for &position in &all {
            verdicts[position].launches = self.launches(position, &with_all);
        }
        for position in self.stand_in(&mut groups, &all, &plain, &mut verdicts)? {
            verdicts[position].reason = VerdictReason::OtherIsFaster;
        }
        let mut best = self.best_subsets(&groups, &plain, &mut verdicts)?;
        // A group is judged by the commands that it changes. The comparison of the whole module
        // finds all other changes.
        loop {
            let kept: Vec<usize> = sorted(best.iter().flatten().copied());
            let chosen = match kept.is_empty() {
                true => Ok(plain.clone()),
                false => self.profile(&kept)?,
            };
            if let Ok(chosen) = chosen
                && (kept.is_empty() || is_no_slower(&plain, &chosen))
            {
                for &position in &kept {
                    verdicts[position].kept = true;
                    verdicts[position].reason = VerdictReason::Faster;
                }
                return Ok(GateVerdict {
                    candidates: verdicts,
                    kept,
                    plain: Some(plain),
                    chosen,
                    profiles: self.known.len(),
                });
            }
            // The group with the least gain goes first.
            let gain = |group: &Vec<usize>| {
                let one = group.first().map(|&position| &verdicts[position]);
                one.map_or(f64::INFINITY, |it| it.before_us - it.after_us)
            };
            let least = (0..best.len())
                .filter(|&number| !best[number].is_empty())
                .min_by(|&one, &other| gain(&best[one]).total_cmp(&gain(&best[other])));
            let Some(least) = least else {
                // Unreachable: without candidates the loop has ended.
                return Err(ProfileError::NoFunction);
            };
            for position in std::mem::take(&mut best[least]) {
                verdicts[position].reason = VerdictReason::SlowerElsewhere;
            }
        }
    }

    /// Returns the candidates with which the module compiles, and the compiler's messages about
    /// the others.
    fn compiling(&mut self) -> Result<(Vec<usize>, Refusals), ProfileError> {
        let all = self.candidates.iter().enumerate();
        let all: Vec<usize> = all
            .filter(|(_, it)| it.stands_in_for.is_none())
            .map(|(position, _)| position)
            .collect();
        if self.profile(&all)?.is_ok() {
            return Ok((all, Vec::new()));
        }
        let (mut compiling, mut refused) = (Vec::new(), Vec::new());
        for position in all {
            let mut with: Vec<usize> = compiling.clone();
            with.push(position);
            match self.profile(&with)? {
                Ok(_) => compiling = with,
                Err(message) => refused.push((position, message)),
            }
        }
        Ok((compiling, refused))
    }

    /// Replaces the members of a group by their stand-ins if the group is then faster. Returns the
    /// positions of the candidates that lose.
    fn stand_in(
        &mut self,
        groups: &mut [Vec<usize>],
        all: &[usize],
        plain: &ProfiledModule,
        verdicts: &mut [CandidateVerdict],
    ) -> Result<Vec<usize>, ProfileError> {
        let stand_ins = self.candidates.iter().enumerate();
        let stand_ins: BTreeMap<usize, usize> = stand_ins
            .filter_map(|(position, it)| Some((it.stands_in_for?, position)))
            .collect();
        let replaced = |positions: &[usize]| {
            let positions = positions.iter();
            sorted(positions.map(|it| *stand_ins.get(it).unwrap_or(it)))
        };
        let mut out: Vec<usize> = stand_ins.values().copied().collect();
        if out.is_empty() {
            return Ok(out);
        }
        let (Ok(first), Ok(second)) = (self.profile(all)?, self.profile(&replaced(all))?) else {
            return Ok(out);
        };
        for group in groups {
            let other = replaced(group);
            if other == *group {
                continue;
            }
            let one = self.times(group, all, plain, &first);
            let another = self.times(&other, &replaced(all), plain, &second);
            if another.untimed.is_none() && another.saved_us() > one.saved_us() {
                out.retain(|it| !other.contains(it));
                out.extend(group.iter().filter(|it| !other.contains(it)));
                *group = other;
                for &position in group.iter() {
                    verdicts[position].launches = self.launches(position, &second);
                }
            }
        }
        Ok(out)
    }

    /// Returns the verdict for a module that IREE alone does not compile.
    fn without_plain(
        mut self,
        all: Vec<usize>,
        refused: Refusals,
    ) -> Result<GateVerdict, ProfileError> {
        let with_all = match all.is_empty() {
            true => None,
            false => self.profile(&all)?.ok(),
        };
        let Some(with_all) = with_all else {
            let message = match self.known.get(&Vec::new()) {
                Some(Err(message)) => message.clone(),
                _ => String::new(),
            };
            return Err(ProfileError::NotCompiled { message });
        };
        let is_placed = |it: &usize| self.launches(*it, &with_all) > 0;
        let placed: Vec<usize> = all.iter().copied().filter(is_placed).collect();
        // A candidate without a launch may be the one that lets the module compile.
        let (kept, chosen) = match self.profile(&placed)? {
            Ok(chosen) => (placed, chosen),
            Err(_) => (all, with_all.clone()),
        };
        let candidates = (0..self.candidates.len()).map(|position| {
            let refusal = refused.iter().find(|it| it.0 == position);
            let is_kept = kept.contains(&position);
            CandidateVerdict {
                kept: is_kept,
                reason: match refusal {
                    Some((_, message)) => VerdictReason::NotCompiled {
                        message: message.clone(),
                    },
                    None if is_kept => VerdictReason::NoPlainModule,
                    None if self.candidates[position].stands_in_for.is_some() => {
                        VerdictReason::OtherIsFaster
                    }
                    None => VerdictReason::NotPlaced,
                },
                before_us: 0.0,
                after_us: 0.0,
                launches: self.launches(position, &with_all),
            }
        });
        Ok(GateVerdict {
            candidates: candidates.collect(),
            kept,
            plain: None,
            chosen,
            profiles: self.known.len(),
        })
    }

    /// Returns the profile of the module with some candidates, or the compiler's message.
    fn profile(
        &mut self,
        candidates: &[usize],
    ) -> Result<Result<ProfiledModule, String>, ProfileError> {
        if let Some(known) = self.known.get(candidates) {
            return Ok(known.clone());
        }
        let profiled = match (self.profile)(candidates) {
            Ok(profiled) => Ok(profiled),
            Err(error) if error.is_of_compilation() => Err(error.to_string()),
            Err(error) => return Err(error),
        };
        self.known.insert(candidates.to_vec(), profiled.clone());
        Ok(profiled)
    }

    fn expect(&mut self, candidates: &[usize]) -> Result<ProfiledModule, ProfileError> {
        let profiled = self.profile(candidates)?;
        profiled.map_err(|message| ProfileError::NotCompiled { message })
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
        let mut parts = self.groups(set, plain, with);
        for part in &mut parts {
            part.retain(|it| attempt.subset.contains(it));
        }
        parts.retain(|part| !part.is_empty());
        parts
    }

    /// Returns the best subset of each group. Each compilation tries one subset of every
    /// undecided group.
    fn best_subsets(
        &mut self,
        groups: &[Vec<usize>],
        plain: &ProfiledModule,
        verdicts: &mut [CandidateVerdict],
    ) -> Result<Vec<Vec<usize>>, ProfileError> {
        let mut best: Vec<Option<(f64, Vec<usize>)>> = vec![None; groups.len()];
        // The time that each tried subset saves, and the times of the whole group's commands.
        let mut saved: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
        let mut plain_us: Vec<f64> = vec![0.0; groups.len()];
        let mut queues: Vec<VecDeque<Attempt>> = groups.iter().map(|it| attempts(it)).collect();
        // The members of large groups that gain on their own.
        let mut gaining: Vec<Vec<usize>> = vec![Vec::new(); groups.len()];
        for round in 0.. {
            let tried: Vec<Option<Attempt>> = queues.iter_mut().map(VecDeque::pop_front).collect();
            if tried.iter().all(Option::is_none) {
                break;
            }
            let positions = tried.iter().flatten().flat_map(|it| &it.subset);
            let set = sorted(positions.copied());
            let together = self.profile(&set)?;
            for (number, attempt) in tried.into_iter().enumerate() {
                let Some(attempt) = attempt else { continue };
                // Subsets that do not compile together may compile alone.
                let (set, with) = match &together {
                    Ok(with) => (set.clone(), Some(with.clone())),
                    Err(_) => (attempt.subset.clone(), self.profile(&attempt.subset)?.ok()),
                };
                for part in self.parts(&attempt, &set, plain, with.as_ref()) {
                    let times = (with.as_ref()).map(|with| self.times(&part, &set, plain, with));
                    let gain = times.as_ref().and_then(GroupTimes::gain_us);
                    if let Some(times) = times.as_ref().filter(|it| it.untimed.is_none()) {
                        saved.insert(part.clone(), times.saved_us());
                        plain_us[number] = plain_us[number].max(times.sums_us().0);
                    }
                    let is_better = gain > best[number].as_ref().map(|it| it.0);
                    // The first round has the whole group. Later rounds give the times of the
                    // subset that is chosen.
                    if let Some(times) = &times
                        && (round == 0 || is_better)
                    {
                        for &position in &part {
                            tell(&mut verdicts[position], times, plain);
                        }
                    }
                    match (&*part, gain) {
                        (_, _) if !attempt.in_parts => {}
                        (&[alone], Some(_)) => gaining[number].push(alone),
                        (&[_], None) => {}
                        (together, _) => queues[number].extend(alternating(together)),
                    }
                    if let Some(gain) = gain
                        && is_better
                    {
                        best[number] = Some((gain, part));
                    }
                }
                // Once each has been tried alone, those that gain are tried together.
                if queues[number].is_empty() && gaining[number].len() > 1 {
                    queues[number].push_back(Attempt {
                        subset: sorted(std::mem::take(&mut gaining[number]).into_iter()),
                        in_parts: false,
                    });
                }
            }
        }
        for ((group, best), plain_us) in groups.iter().zip(&best).zip(plain_us) {
            let Some((gain, chosen)) = best else { continue };
            for &position in group.iter().filter(|it| !chosen.contains(it)) {
                let beside = sorted(chosen.iter().copied().chain([position]));
                let saved = saved.get(&beside).or_else(|| saved.get(group));
                let verdict = &mut verdicts[position];
                verdict.reason = match saved {
                    Some(saved) => {
                        verdict.before_us = plain_us - gain;
                        verdict.after_us = plain_us - saved;
                        VerdictReason::BetterWithout
                    }
                    None => VerdictReason::NotTogether,
                };
            }
        }
        let best = best.into_iter();
        Ok(best
            .map(|it| it.map(|it| it.1).unwrap_or_default())
            .collect())
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

/// A subset of a group to try.
struct Attempt {
    subset: Vec<usize>,
    /// True if members with hunks of their own are judged on their own.
    in_parts: bool,
}

/// Returns the first attempts of a group, the whole group first: all subsets of a small one.
fn attempts(group: &[usize]) -> VecDeque<Attempt> {
    let whole = |subset| Attempt {
        subset,
        in_parts: false,
    };
    let mut attempts = VecDeque::from([whole(group.to_vec())]);
    if group.len() > ALL_SUBSETS {
        attempts.extend(alternating(group));
        return attempts;
    }
    let all = (1u32 << group.len()) - 1;
    let mut others: Vec<u32> = (1..all).collect();
    // Larger subsets first: most candidates gain.
    others.sort_by_key(|bits| std::cmp::Reverse(bits.count_ones()));
    let chosen = |bits: u32| {
        let members = group.iter().enumerate();
        let members = members.filter(|(at, _)| bits >> at & 1 == 1);
        members.map(|(_, &it)| it).collect()
    };
    attempts.extend(others.into_iter().map(|bits| whole(chosen(bits))));
    attempts
}

/// Returns two attempts, each with every other candidate.
fn alternating(candidates: &[usize]) -> [Attempt; 2] {
    [0, 1].map(|first| Attempt {
        subset: candidates.iter().skip(first).step_by(2).copied().collect(),
        in_parts: true,
    })
}

fn sorted(positions: impl Iterator<Item = usize>) -> Vec<usize> {
    positions.collect::<BTreeSet<usize>>().into_iter().collect()
}
