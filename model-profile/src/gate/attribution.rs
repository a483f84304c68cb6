//! The attribution of changed commands to candidates.

use std::collections::BTreeSet;

use super::Gate;
use super::comparison::{GroupTimes, compared};
use super::group_trials::Group;
use super::prediction::is_unseen;
use super::verdict::VerdictReason;
use crate::command::DeviceCommand;
use crate::difference::{Hunk, hunks};
use crate::function_profile::FunctionProfile;
use crate::profiler::ProfiledModule;

impl<P> Gate<'_, P> {
    /// Returns the number of launches of a candidate's kernels.
    pub(super) fn launches(&self, position: usize, module: &ProfiledModule) -> usize {
        let kernels = &self.candidates[position].kernels;
        let commands = module.functions.iter().flat_map(|it| &it.commands);
        let kernel = |it: &&DeviceCommand| it.kernel().is_some_and(|it| kernels.contains(&it.name));
        commands.filter(kernel).count()
    }

    /// Returns the reason why no call of the module with all these candidates launches this one.
    pub(super) fn without_launches(&self, position: usize, all: &[usize]) -> VerdictReason {
        let kernels = &self.candidates[position].kernels;
        let is_loaded = match self.known.get(all) {
            Some(Ok(module)) => {
                let at_load = module.functions.iter().flat_map(|it| &it.at_load);
                at_load
                    .map(DeviceCommand::name)
                    .any(|it| kernels.iter().any(|name| name == it))
            }
            _ => false,
        };
        // A branch that no call takes has launches, too.
        match self.outlines.get(all) {
            Some(Ok(outline)) if !is_loaded && !outline.has_any(kernels) => {
                VerdictReason::NotPlaced
            }
            _ => VerdictReason::NotLaunched,
        }
    }

    /// Returns the candidates with kernels in these commands. For commands without any, the
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

    /// Returns the hunks of a call, each with the candidates behind it.
    fn attributed(
        &self,
        candidates: &[usize],
        before: &FunctionProfile,
        after: &FunctionProfile,
    ) -> Vec<(Hunk, BTreeSet<usize>)> {
        let hunks = hunks(&before.commands, &after.commands);
        let behind = |hunk: &Hunk| self.behind(candidates, &after.commands[hunk.after.clone()]);
        let direct: Vec<BTreeSet<usize>> = hunks.iter().map(behind).collect();
        // The number of equal commands between a hunk and another.
        let distance = |one: &Hunk, other: &Hunk| {
            let gap = |earlier: &Hunk, later: &Hunk| later.after.start - earlier.after.end;
            match one.after.start < other.after.start || one.after.end < other.after.end {
                true => gap(one, other),
                false => gap(other, one),
            }
        };
        let nearest = |hunk: &Hunk| {
            let owned = (hunks.iter().zip(&direct)).filter(|it| !it.1.is_empty());
            let nearest = owned.min_by_key(|it| distance(hunk, it.0));
            nearest.map(|it| it.1.clone()).unwrap_or_default()
        };
        let attributed = hunks.iter().zip(&direct).map(|(hunk, direct)| {
            let behind = match direct.is_empty() {
                false => direct.clone(),
                true => nearest(hunk),
            };
            (hunk.clone(), behind)
        });
        attributed.collect()
    }

    /// Returns true if this candidate takes operations of one of the others.
    pub(super) fn has_rival_in(&self, position: usize, others: &[usize]) -> bool {
        let origin = |it: usize| self.candidates[it].stands_in_for.unwrap_or(it);
        let rivals = &self.candidates[origin(position)].rivals;
        others.iter().any(|it| rivals.contains(&origin(*it)))
    }

    /// Returns the groups of candidates that share a hunk or operations.
    pub(super) fn groups(
        &self,
        candidates: &[usize],
        plain: &ProfiledModule,
        with: &ProfiledModule,
    ) -> Vec<Group> {
        let joined = self.joined(candidates, plain, with).into_iter();
        let mut groups: Vec<Group> = joined
            .map(|members| Group {
                members,
                hidden: Vec::new(),
            })
            .collect();
        for &position in candidates {
            let is_hidden = self.launches(position, with) == 0;
            let (joined, others): (Vec<Group>, Vec<Group>) =
                (groups.into_iter()).partition(|group| {
                    let members = &group.members;
                    members.contains(&position) || self.has_rival_in(position, members)
                });
            groups = others;
            let joined = joined.into_iter().reduce(|mut group, other| {
                group.members.extend(other.members);
                group.hidden.extend(other.hidden);
                group
            });
            let Some(mut group) = joined else { continue };
            group.members.sort_unstable();
            // A candidate without kernels is a member by the hunks that it causes.
            let is_hidden = is_hidden && !group.members.contains(&position);
            group.hidden.extend(is_hidden.then_some(position));
            groups.push(group);
        }
        groups
    }

    /// Returns the candidates that share a hunk.
    pub(super) fn joined(
        &self,
        candidates: &[usize],
        plain: &ProfiledModule,
        with: &ProfiledModule,
    ) -> Vec<Vec<usize>> {
        let mut groups: Vec<BTreeSet<usize>> = Vec::new();
        for (before, after) in plain.functions.iter().zip(&with.functions) {
            for (_, mut joined) in self.attributed(candidates, before, after) {
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

    /// Returns the times of a group's changes in the module with all candidates of `set`.
    pub(super) fn times(
        &self,
        group: &[usize],
        set: &[usize],
        plain: &ProfiledModule,
        with: &ProfiledModule,
    ) -> GroupTimes {
        let mut times = GroupTimes::default();
        for (before, after) in plain.functions.iter().zip(&with.functions) {
            let (mut one, mut other) = (Vec::new(), Vec::new());
            for (hunk, behind) in self.attributed(set, before, after) {
                if group.iter().any(|it| behind.contains(it)) {
                    one.extend(&before.commands[hunk.before]);
                    other.extend(&after.commands[hunk.after]);
                    times.is_bound |= other.iter().any(|it| is_unseen(it));
                }
            }
            times.add(compared(&one, &other));
        }
        times
    }
}
