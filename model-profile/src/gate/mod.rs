//! The gate selects the candidates that make a module faster.
//!
//! It profiles the plain module and the module with all candidates. Commands that are equal in both
//! cancel. Candidates with kernels in one hunk of the difference interact through fusion, so they
//! form a *group* and are judged together. A candidate is *hidden* if others take its operations,
//! its *rivals*; it belongs to their group. The gate tries all subsets of a group if they are at
//! most those of four candidates. A subset stays if the commands that it changes take less time
//! than before. At the end the gate compares the whole module, with all that stays, with the plain
//! one.
//!
//! For a larger group the gate tries the whole group and then every other candidate. Plain commands
//! then separate the candidates, and each has a hunk of its own. Candidates that still share one
//! are separated in the same way, and hidden ones in place of their rivals. Finally it tries all
//! that gain alone together.
//!
//! Groups do not share commands, so one compilation tries a subset of each. A hunk without a kernel
//! of a candidate belongs to the nearest hunk with one, so that every changed command counts.
//!
//! With *outlines* the gate compiles few modules. The outline of a set of candidates has the
//! commands before code generation. Their times are those of equal commands in profiled modules,
//! and a command without one counts with an estimate. The gate compiles and profiles the set that
//! it chooses by these times, and chooses again until it knows the chosen one. Nothing is kept that
//! was not profiled. If the outline of a profiled module does not have its commands, or its
//! predicted time is another one, the gate compiles each trial. After two selections or trials for
//! each ten candidates, it takes the fastest module that it knows.

mod alternatives;
mod attribution;
mod comparison;
mod group_trials;
mod limit;
mod prediction;
mod refusals;
mod subsets;
#[cfg(test)]
mod tests;
mod tried_modules;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};

use self::comparison::{is_no_slower, total_times};
use self::prediction::Prediction;
use self::refusals::{Refusals, without};
pub use self::verdict::{CandidateVerdict, GateVerdict, VerdictReason, VerdictTime};
use crate::error::ProfileError;
use crate::function_profile::FunctionProfile;
use crate::module_outline::ModuleOutline;
use crate::profiler::ProfiledModule;

/// The largest number of members that are added to a selection one by one.
const MAX_SINGLE: usize = 8;

/// A change of the module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Candidate {
    /// The kernels that it places, by name. A candidate without kernels, such as a tuning spec,
    /// causes every hunk without kernels of other candidates.
    pub kernels: Vec<String>,
    /// The position of an earlier candidate that it can stand in for. The two are never in place
    /// together.
    pub stands_in_for: Option<usize>,
    /// The positions of candidates for some of the same operations. One of them may take these, so
    /// that this one is placed nowhere.
    pub rivals: Vec<usize>,
}

/// A function that returns the outline of the module with the candidates at these positions.
type Outliner<'a> = Box<dyn FnMut(&[usize]) -> Result<ModuleOutline, ProfileError> + 'a>;

/// The source of outlines, and the bound of a kernel that reads and writes so many bytes.
struct Outlines<'a> {
    outline: Outliner<'a>,
    bound_us: Box<dyn Fn(u64, u64) -> f64 + 'a>,
    prediction: Prediction,
}

/// A judgement in progress. `P` profiles the module with the candidates at these positions.
pub struct Gate<'a, P> {
    candidates: &'a [Candidate],
    profile: P,
    /// `None` if outlines predict nothing.
    source: Option<Outlines<'a>>,
    /// The profile of each compiled set of candidates, or the compiler's message.
    known: BTreeMap<Vec<usize>, Result<ProfiledModule, String>>,
    /// The outline of each set, or the compiler's message.
    outlines: BTreeMap<Vec<usize>, Result<ModuleOutline, String>>,
    /// The predicted profile of each set.
    predicted: BTreeMap<Vec<usize>, ProfiledModule>,
    /// The number of compilations.
    profiles: usize,
    /// The largest number of compilations.
    limit: usize,
    /// True if a trial was left out at the limit.
    is_stopped: bool,
}

/// The candidates that stay by the times that are known or predicted.
struct Selection {
    verdicts: Vec<CandidateVerdict>,
    /// The chosen subset of each group.
    best: Vec<Vec<usize>>,
}

impl Selection {
    fn kept(&self) -> Vec<usize> {
        sorted(self.best.iter().flatten().copied())
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
            source: None,
            known: BTreeMap::new(),
            outlines: BTreeMap::new(),
            predicted: BTreeMap::new(),
            profiles: 0,
            limit: usize::MAX,
            is_stopped: false,
        }
    }

    /// Predicts times by outlines, and limits the number of compilations. `bound_us` returns the
    /// least time of a kernel that reads and writes so many bytes.
    #[must_use]
    pub fn with_outlines(
        mut self,
        outline: impl FnMut(&[usize]) -> Result<ModuleOutline, ProfileError> + 'a,
        bound_us: impl Fn(u64, u64) -> f64 + 'a,
    ) -> Self {
        self.source = Some(Outlines {
            outline: Box::new(outline),
            bound_us: Box::new(bound_us),
            prediction: Prediction::default(),
        });
        self
    }

    /// Judges the candidates.
    ///
    /// # Errors
    ///
    /// The errors of profiling. A candidate with which the module does not compile is no error.
    pub fn judge(mut self) -> Result<GateVerdict, ProfileError> {
        let is_limited = self.source.is_some();
        let plain = self.compile(&[])?;
        let (all, refused) = self.compiling(plain.is_err())?;
        if is_limited {
            self.set_limit();
        }
        let Ok(plain) = plain else {
            return self.without_plain(all, refused);
        };
        loop {
            let (compiled, is_predicted) = (self.profiles, self.source.is_some());
            let mut selection = self.select(&plain, &all, &refused)?;
            if is_predicted && self.profiles > compiled {
                // A profile of this selection may refute the predictions before it.
                continue;
            }
            let kept = selection.kept();
            for &position in &kept {
                selection.verdicts[position].reason = VerdictReason::Faster;
            }
            let (kept, chosen, mut verdicts) = match self.known.get(&kept) {
                Some(Ok(chosen)) if !self.is_stopped => (kept, chosen.clone(), selection.verdicts),
                _ if self.is_at_limit() => self.fastest_compiled(&plain, selection.verdicts),
                _ => {
                    self.confirm(&selection)?;
                    continue;
                }
            };
            for &position in &kept {
                verdicts[position].kept = true;
                // At the limit, others may be kept than those of the selection.
                verdicts[position].reason = VerdictReason::Faster;
                verdicts[position].launches = self.launches(position, &chosen);
            }
            return Ok(GateVerdict {
                candidates: verdicts,
                kept,
                plain: Some(plain),
                chosen,
                profiles: self.profiles,
                outlines: self.outlines.len(),
            });
        }
    }

    /// Compiles the module with the selected candidates.
    fn confirm(&mut self, selection: &Selection) -> Result<(), ProfileError> {
        let kept = selection.kept();
        let groups = selection.best.iter().filter(|it| !it.is_empty());
        match self.compile(&kept)? {
            Ok(profiled) => self.check_prediction(&kept, &profiled),
            // One group alone may be at fault.
            Err(_) if groups.clone().count() > 1 => {
                for group in groups {
                    // Its message is kept.
                    let _ = self.compile(group)?;
                }
            }
            Err(_) => {}
        }
        Ok(())
    }

    /// Selects candidates by the times that are known or predicted.
    fn select(
        &mut self,
        plain: &ProfiledModule,
        all: &[usize],
        refused: &Refusals,
    ) -> Result<Selection, ProfileError> {
        let with_all = self.expect(all)?;
        let mut groups = self.groups(all, plain, &with_all);
        let mut verdicts: Vec<CandidateVerdict> = (0..self.candidates.len())
            .map(|position| CandidateVerdict::left_out(self.without_launches(position, all)))
            .collect();
        for (position, message) in refused {
            let message = message.clone();
            verdicts[*position].reason = VerdictReason::NotCompiled { message };
        }
        for &position in all {
            verdicts[position].launches = self.launches(position, &with_all);
        }
        let out = self.stand_in(&mut groups, all, plain, &mut verdicts)?;
        for &position in &out {
            verdicts[position].reason = VerdictReason::OtherIsFaster;
        }
        // The candidates that are in place nowhere change nothing, and spare a compilation here.
        let is_original = groups
            .iter()
            .flat_map(|it| &it.members)
            .all(|it| all.contains(it));
        let placed = match is_original {
            true => all.to_vec(),
            false => sorted(groups.iter().flat_map(|it| it.members.clone())),
        };
        let best = self.best_subsets(&groups, &placed, plain, &mut verdicts)?;
        let mut selection = Selection { verdicts, best };
        // A group is judged by the commands that it changes. The comparison of the whole module
        // finds all other changes.
        loop {
            let kept = selection.kept();
            if kept.is_empty() {
                break;
            }
            let chosen = self.known_or_profile(&kept)?;
            if self.is_stopped {
                break;
            }
            let reason = match chosen {
                Ok(chosen) => {
                    let times = total_times(plain, &chosen);
                    match (times.slowest_call(), times.untimed) {
                        (None, None) => break,
                        (_, Some(message)) => VerdictReason::Untimed { message },
                        (Some(_), None) => VerdictReason::SlowerElsewhere,
                    }
                }
                Err(message) => VerdictReason::NotCompiled { message },
            };
            // The group with the least gain goes first.
            let verdicts = &selection.verdicts;
            let gain = |group: &Vec<usize>| {
                let one = group.first().map(|&position| &verdicts[position]);
                one.map_or(f64::INFINITY, |it| it.before.us - it.after.us)
            };
            let groups = selection.best.iter().enumerate();
            let groups = groups.filter(|(_, group)| !group.is_empty());
            let least = groups.min_by(|one, other| gain(one.1).total_cmp(&gain(other.1)));
            let Some((least, _)) = least else { break };
            for position in std::mem::take(&mut selection.best[least]) {
                selection.verdicts[position].reason = reason.clone();
            }
        }
        let members: Vec<usize> = groups.into_iter().flat_map(|it| it.members).collect();
        self.add_single(&mut selection, &members, plain)?;
        Ok(selection)
    }

    /// Adds members one by one if the calls together are then predicted to be faster. No call may
    /// be slower than in the plain module. A group that changed commands of another one was judged
    /// with it in place. A member may lose in one call if others have gained more there.
    fn add_single(
        &mut self,
        selection: &mut Selection,
        members: &[usize],
        plain: &ProfiledModule,
    ) -> Result<(), ProfileError> {
        if self.source.is_none() {
            return Ok(());
        }
        let left = without(members, &selection.kept());
        for position in left.into_iter().take(MAX_SINGLE) {
            let kept = selection.kept();
            if self.has_rival_in(position, &kept) {
                continue;
            }
            let with = sorted(kept.iter().copied().chain([position]));
            let known = |set: &[usize]| self.known.get(set).cloned();
            // Known profiles are better than predicted ones.
            let (one, two) = match (known(&kept), known(&with)) {
                (Some(one), Some(two)) => (one, two),
                (_, Some(two)) if !two.as_ref().is_ok_and(|it| is_no_slower(plain, it)) => continue,
                _ => (self.profile(&kept)?, self.profile(&with)?),
            };
            let (Ok(one), Ok(two)) = (one, two) else {
                continue;
            };
            let times = total_times(&one, &two);
            if times.sum_gain_us().is_some() && is_no_slower(plain, &two) {
                let verdict = &mut selection.verdicts[position];
                verdict.set_times(times.sums(), times.is_bound);
                verdict.is_with_others = false;
                selection.best.push(vec![position]);
            }
        }
        Ok(())
    }
}

/// Returns the time of all calls.
fn sum_us(module: &ProfiledModule) -> f64 {
    module.functions.iter().map(FunctionProfile::time_us).sum()
}

fn sorted(positions: impl Iterator<Item = usize>) -> Vec<usize> {
    positions.collect::<BTreeSet<usize>>().into_iter().collect()
}
