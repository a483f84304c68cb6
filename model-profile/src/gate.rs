//! The gate: which candidates make a module faster.
//!
//! The plain module and the module with all candidates are profiled. Commands that are equal in
//! both cancel. Candidates whose kernels share a hunk of the difference interact through fusion,
//! so they form a *group* and are judged together: all subsets of up to four; beyond that, each
//! candidate alone, and those that gain together. A group stays if what it changes takes less time than before. At the end
//! the whole module with all that stays is compared with the plain one once more.
//!
//! Groups do not share commands, so one compilation tries a subset of each.

use std::collections::{BTreeMap, BTreeSet};

use crate::command::DeviceCommand;
use crate::difference::hunks;
use crate::error::ProfileError;
use crate::function_profile::FunctionProfile;
use crate::profiler::ProfiledModule;

/// The largest group of which all subsets are tried.
const ALL_SUBSETS: usize = 4;

/// The relative difference below which two modelled times are equal.
const EQUAL: f64 = 1e-9;

/// A change of the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The kernels that it places, by name. Without kernels, the candidate is behind every hunk
    /// without kernels of other candidates.
    pub kernels: Vec<String>,
    /// The position of an earlier candidate that it can stand in for. The two are never in place
    /// together.
    pub stands_in_for: Option<usize>,
}

/// The reason for a verdict.
#[derive(Debug, Clone, PartialEq)]
pub enum VerdictReason {
    /// The changed commands take less time.
    Faster,
    /// The changed commands take as long or longer.
    NotFaster,
    /// The module has none of its kernels.
    NotPlaced,
    /// Without it, what it interacts with is faster.
    BetterWithout,
    /// A candidate that can stand in for it is faster here, or it stands in for one that is.
    OtherIsFaster,
    /// The module does not compile with it.
    NotCompiled {
        /// The compiler's message.
        message: String,
    },
    /// A command that it changes has no time.
    Untimed {
        /// The command's name and the reason.
        message: String,
    },
    /// The plain module does not compile, so there is nothing to compare with.
    NoPlainModule,
}

/// The verdict on a candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateVerdict {
    /// True if it stays.
    pub kept: bool,
    /// The reason.
    pub reason: VerdictReason,
    /// The time of the commands that its group changes, in the plain module, over all profiled
    /// calls, in microseconds.
    pub before_us: f64,
    /// Their time with the group in place.
    pub after_us: f64,
    /// The number of launches of its kernels, over all profiled calls.
    pub launches: usize,
}

/// The verdict on all candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct GateVerdict {
    /// One verdict for each candidate, in order.
    pub candidates: Vec<CandidateVerdict>,
    /// The candidates that stay, by position.
    pub kept: Vec<usize>,
    /// The plain module, if it compiles.
    pub plain: Option<ProfiledModule>,
    /// The module with what stays.
    pub chosen: ProfiledModule,
    /// The number of different modules that were profiled.
    pub profiles: usize,
}

/// A judgement in progress. `P` profiles the module with the candidates at these positions.
pub struct Gate<'a, P> {
    candidates: &'a [Candidate],
    profile: P,
    /// The profiles of sets of candidates, or the compiler's message.
    known: BTreeMap<Vec<usize>, Result<ProfiledModule, String>>,
}

/// The times of a group's commands, before and after, for each call.
#[derive(Debug, Clone, Default)]
struct GroupTimes {
    calls: Vec<(f64, f64)>,
    untimed: Option<String>,
}

impl GroupTimes {
    fn before_us(&self) -> f64 {
        self.calls.iter().map(|it| it.0).sum()
    }

    fn after_us(&self) -> f64 {
        self.calls.iter().map(|it| it.1).sum()
    }

    /// Returns the gain in microseconds, unless a call becomes slower or a time is unknown.
    fn gain_us(&self) -> Option<f64> {
        let is_slower = |&(before, after): &(f64, f64)| after > before * (1.0 + EQUAL);
        let is_sound = self.untimed.is_none() && !self.calls.iter().any(is_slower);
        let gain = self.before_us() - self.after_us();
        (is_sound && gain > self.before_us() * EQUAL).then_some(gain)
    }
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
    /// Those of profiling. A candidate with which the module does not compile is no error.
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
        // Groups are judged by what they change. The whole module is compared as well, because
        // they may have changed something else.
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
                verdicts[position].reason = VerdictReason::NotFaster;
            }
        }
    }

    /// Returns the candidates with which the module compiles, and the compiler's messages about
    /// the others.
    fn compiling(&mut self) -> Result<(Vec<usize>, Vec<(usize, String)>), ProfileError> {
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

    /// Puts the stand-ins of a group in its place if the group is then faster. Returns the
    /// positions of those that are out of the question after that.
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
            let one = self.times(group, plain, &first);
            let another = self.times(&other, plain, &second);
            let saved = |it: &GroupTimes| it.before_us() - it.after_us();
            if another.untimed.is_none() && saved(&another) > saved(&one) {
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
        refused: Vec<(usize, String)>,
    ) -> Result<GateVerdict, ProfileError> {
        let chosen = match all.is_empty() {
            true => None,
            false => self.profile(&all)?.ok(),
        };
        let Some(chosen) = chosen else {
            let message = match self.known.get(&Vec::new()) {
                Some(Err(message)) => message.clone(),
                _ => String::new(),
            };
            return Err(ProfileError::NotCompiled { message });
        };
        let candidates = (0..self.candidates.len()).map(|position| {
            let launches = self.launches(position, &chosen);
            let refusal = refused.iter().find(|it| it.0 == position);
            CandidateVerdict {
                kept: launches > 0,
                reason: match refusal {
                    Some((_, message)) => VerdictReason::NotCompiled {
                        message: message.clone(),
                    },
                    None if launches > 0 => VerdictReason::NoPlainModule,
                    None => VerdictReason::NotPlaced,
                },
                before_us: 0.0,
                after_us: 0.0,
                launches,
            }
        });
        Ok(GateVerdict {
            candidates: candidates.collect(),
            // A candidate without a launch may be the one that lets the module compile.
            kept: all,
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

    /// Returns the number of launches of a candidate's kernels.
    fn launches(&self, position: usize, module: &ProfiledModule) -> usize {
        let kernels = &self.candidates[position].kernels;
        let commands = module.functions.iter().flat_map(|it| &it.commands);
        let kernel = |it: &&DeviceCommand| it.kernel().is_some_and(|it| kernels.contains(&it.name));
        commands.filter(kernel).count()
    }

    /// Returns the candidates whose kernels are in these commands. For commands without any, the
    /// candidates without kernels.
    fn behind(&self, candidates: &[usize], commands: &[DeviceCommand]) -> BTreeSet<usize> {
        let names: BTreeSet<&str> = commands.iter().map(DeviceCommand::name).collect();
        let is_there =
            |&&it: &&usize| (self.candidates[it].kernels.iter()).any(|it| names.contains(&**it));
        let there: BTreeSet<usize> = candidates.iter().filter(is_there).copied().collect();
        match there.is_empty() {
            false => there,
            true => {
                let unnamed = candidates.iter().copied();
                unnamed
                    .filter(|&it| self.candidates[it].kernels.is_empty())
                    .collect()
            }
        }
    }

    /// Returns the groups of candidates that share a hunk.
    fn groups(
        &self,
        candidates: &[usize],
        plain: &ProfiledModule,
        with: &ProfiledModule,
    ) -> Vec<Vec<usize>> {
        let mut groups: Vec<BTreeSet<usize>> = Vec::new();
        for (before, after) in plain.functions.iter().zip(&with.functions) {
            for hunk in hunks(&before.commands, &after.commands) {
                let mut joined = self.behind(candidates, &after.commands[hunk.after]);
                if joined.is_empty() {
                    continue;
                }
                groups.retain(|group| {
                    let is_apart = group.is_disjoint(&joined);
                    if !is_apart {
                        joined.extend(group);
                    }
                    is_apart
                });
                groups.push(joined);
            }
        }
        groups
            .into_iter()
            .map(|group| group.into_iter().collect())
            .collect()
    }

    /// Returns the times of what a group changes.
    fn times(&self, group: &[usize], plain: &ProfiledModule, with: &ProfiledModule) -> GroupTimes {
        let mut times = GroupTimes::default();
        for (before, after) in plain.functions.iter().zip(&with.functions) {
            let (mut one, mut other) = (Vec::new(), Vec::new());
            for hunk in hunks(&before.commands, &after.commands) {
                let changed = &after.commands[hunk.after];
                if !self.behind(group, changed).is_empty() {
                    one.extend(&before.commands[hunk.before]);
                    other.extend(changed);
                }
            }
            match compared(&one, &other) {
                Ok(pair) => times.calls.push(pair),
                Err(untimed) => times.untimed = Some(untimed),
            }
        }
        times
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
        let mut queues: Vec<Vec<Vec<usize>>> = groups.iter().map(|it| subsets(it)).collect();
        // The members of large groups that gain on their own.
        let mut gaining: Vec<Vec<usize>> = vec![Vec::new(); groups.len()];
        for round in 0.. {
            let tried: Vec<Option<Vec<usize>>> = queues
                .iter_mut()
                .map(|queue| (!queue.is_empty()).then(|| queue.remove(0)))
                .collect();
            if tried.iter().all(Option::is_none) {
                break;
            }
            let set = sorted(tried.iter().flatten().flatten().copied());
            let Ok(with) = self.profile(&set)? else {
                // These subsets do not compile together; each is then without a gain.
                continue;
            };
            for (number, subset) in tried.into_iter().enumerate() {
                let Some(subset) = subset else { continue };
                let times = self.times(&subset, plain, &with);
                for &position in &subset {
                    // The first round has the whole group. Later rounds give the times of the
                    // subset that is chosen.
                    let is_better = times.gain_us() > best[number].as_ref().map(|it| it.0);
                    if round == 0 || is_better {
                        verdicts[position].before_us = times.before_us();
                        verdicts[position].after_us = times.after_us();
                        verdicts[position].reason = match &times.untimed {
                            Some(message) => VerdictReason::Untimed {
                                message: message.clone(),
                            },
                            None => VerdictReason::NotFaster,
                        };
                    }
                }
                if let (&[alone], Some(_)) = (&*subset, times.gain_us())
                    && groups[number].len() > ALL_SUBSETS
                {
                    gaining[number].push(alone);
                }
                // Once each has been tried alone, those that gain are tried together.
                if queues[number].is_empty() && gaining[number].len() > 1 {
                    queues[number].push(std::mem::take(&mut gaining[number]));
                }
                if let Some(gain) = times.gain_us()
                    && best[number].as_ref().is_none_or(|it| gain > it.0)
                {
                    best[number] = Some((gain, subset));
                }
            }
        }
        for (group, best) in groups.iter().zip(&best) {
            let Some((_, chosen)) = best else { continue };
            for &position in group.iter().filter(|it| !chosen.contains(it)) {
                verdicts[position].reason = VerdictReason::BetterWithout;
            }
        }
        let best = best.into_iter();
        Ok(best
            .map(|it| it.map(|it| it.1).unwrap_or_default())
            .collect())
    }
}

/// Returns the times of two lists of commands without those that are in both.
///
/// # Errors
///
/// The name of a command without a time, and the reason. Matrix kernels that the emulator cannot
/// time count with their bounds if both lists have as many.
fn compared(before: &[&DeviceCommand], after: &[&DeviceCommand]) -> Result<(f64, f64), String> {
    let mut before: Vec<&DeviceCommand> = before.to_vec();
    let mut rest = Vec::new();
    for command in after {
        let same = (before.iter()).position(|it| it.identity() == command.identity());
        match same {
            Some(at) => drop(before.remove(at)),
            None => rest.push(*command),
        }
    }
    let untimed =
        |commands: &[&DeviceCommand]| commands.iter().filter(|it| it.time_us.is_err()).count();
    let by_bounds = untimed(&before) == untimed(&rest);
    let sum = |commands: &[&DeviceCommand]| {
        let times = commands.iter().map(|command| match &command.time_us {
            Ok(time) => Ok(*time),
            Err(reason) => (command.bound_us.filter(|_| by_bounds))
                .ok_or_else(|| format!("{} has no time: {reason}", command.name())),
        });
        times.sum::<Result<f64, String>>()
    };
    Ok((sum(&before)?, sum(&rest)?))
}

/// Returns true if no call of the second module takes longer than that of the first.
fn is_no_slower<'a>(plain: &'a ProfiledModule, other: &'a ProfiledModule) -> bool {
    let calls = plain.functions.iter().zip(&other.functions);
    calls.into_iter().all(|(before, after)| {
        let commands = |it: &'a FunctionProfile| it.commands.iter().collect::<Vec<_>>();
        let times = compared(&commands(before), &commands(after));
        times.is_ok_and(|(before, after)| after <= before * (1.0 + EQUAL))
    })
}

/// Returns the subsets of a group to try, the whole group first: all of a small one, else the
/// group and each candidate alone.
fn subsets(group: &[usize]) -> Vec<Vec<usize>> {
    let mut subsets = vec![group.to_vec()];
    if group.len() > ALL_SUBSETS {
        subsets.extend(group.iter().map(|&it| vec![it]));
        return subsets;
    }
    let whole = (1u32 << group.len()) - 1;
    let mut others: Vec<u32> = (1..whole).collect();
    // Larger subsets first: most candidates gain.
    others.sort_by_key(|bits| std::cmp::Reverse(bits.count_ones()));
    let chosen = |bits: u32| {
        let members = group.iter().enumerate();
        let members = members.filter(|(at, _)| bits >> at & 1 == 1);
        members.map(|(_, &it)| it).collect()
    };
    subsets.extend(others.into_iter().map(chosen));
    subsets
}

fn sorted(positions: impl Iterator<Item = usize>) -> Vec<usize> {
    positions.collect::<BTreeSet<usize>>().into_iter().collect()
}
