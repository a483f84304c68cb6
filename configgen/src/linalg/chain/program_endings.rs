//! Programs that end with an operation: its producers, without those that no program has.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::HashMap;

use super::Chains;
use super::module_chains::{Ending, Users};
use super::row_program::{self, NoProgram, ProgramRules};
use super::step::{ChainStep, ChainStepKind, ValueSource};
use super::traffic::element_count;

/// The largest number of times that a program is cut before it is given up.
const MAX_CUTS: usize = 16;

/// The largest number of reductions that give one program its dimensions by trial.
const MAX_SPACES: usize = 4;

/// The last operation of a program, the reduction with its dimensions, the operations with further
/// results, and the users of all operations. A pointwise program has no reduction.
type ProgramEnds<'e> = (usize, Option<usize>, &'e [usize], &'e Users);

impl<'a> Chains<'a> {
    /// Returns the row program that ends with `last`. Operations that no program has stay
    /// outside. Results of `kept` that others use are further results. `is_wanted` selects
    /// programs by their operations.
    pub(super) fn program_ending(
        &self,
        last: usize,
        kept: &[usize],
        is_wanted: impl Fn(&[usize]) -> bool,
        (users, rules): (&Users, ProgramRules),
        (is_taken, left): (&[bool], &Cell<usize>),
    ) -> Option<Ending<'a>> {
        let is_matched = |it: usize| (rules.is_matched)(&self.steps[it]);
        if is_taken[last] || self.is_free(last) || !is_matched(last) {
            return None;
        }
        let own = |outside: &[usize]| {
            left.set(left.get().checked_sub(1)?);
            self.program_steps(last, kept, outside, (rules, users, is_taken))
        };
        let whole = own(&[])?;
        let is_space = |it: &&usize| self.steps[**it].reduces();
        let spaces = whole.iter().rev().filter(is_space).take(MAX_SPACES);
        spaces.into_iter().find_map(|&space| {
            let ends = (last, Some(space), kept, users);
            let found = match self.cut_program(ends, &own, Vec::new()) {
                Err(Some(outside)) => self.halved_program(ends, &own, &outside),
                other => other.ok(),
            };
            let found = found.filter(|(own, _)| is_wanted(own))?;
            let nearer = self.behind_others(&found.0, is_matched);
            let without = (!nearer.is_empty()).then(|| self.cut_program(ends, &own, nearer).ok());
            match without.flatten() {
                Some(without) if is_wanted(&without.0) => Some(without),
                // The rest is a plain reduction, for which other readers are.
                Some(_) if kept.is_empty() && self.steps[last].reduces() => None,
                _ => Some(found),
            }
        })
    }

    /// Returns the operations that `last` needs and that a program may have, itself last.
    ///
    /// Those with other users are included only if they are `kept`.
    pub(super) fn program_steps(
        &self,
        last: usize,
        kept: &[usize],
        outside: &[usize],
        (rules, users, is_taken): (ProgramRules, &Users, &[bool]),
    ) -> Option<Vec<usize>> {
        let is_taken_in = |it: usize| {
            let step = &self.steps[it];
            let is_free = !(step.reduces() && is_taken[it]);
            is_free && (rules.is_matched)(step) && !outside.contains(&it)
        };
        let is_repeated = |it: usize| self.steps[it].is_repeated() || kept.contains(&it);
        let own = vec![last];
        self.own_before(own, &self.steps[last], users, (&is_taken_in, &is_repeated))
    }

    /// Returns the operations on results of reductions that a program does not have.
    ///
    /// An example is the logarithm of each row's sum before a mean over all rows. The program of
    /// that reduction takes them in and passes one value on.
    fn behind_others(&self, own: &[usize], is_matched: impl Fn(usize) -> bool) -> Vec<usize> {
        // The operations with the number of their elements.
        let mut behind: HashMap<usize, u64> = HashMap::new();
        for &it in own {
            let step = &self.steps[it];
            let Some(count) = elements(step).filter(|_| !step.reduces()) else {
                continue;
            };
            let is_result = |before: usize| match own.contains(&before) {
                true => behind.get(&before) == Some(&count),
                false => {
                    let other = &self.steps[before];
                    other.reduces() && is_matched(before) && elements(other) == Some(count)
                }
            };
            if self.before_of(step).any(is_result) {
                behind.insert(it, count);
            }
        }
        behind.into_keys().collect()
    }

    /// Cuts operations until the others are a program.
    ///
    /// # Errors
    /// Returns the cut operations if the others are too many, and else none.
    pub(super) fn cut_program(
        &self,
        (last, space, kept, users): ProgramEnds<'_>,
        own: &dyn Fn(&[usize]) -> Option<Vec<usize>>,
        mut outside: Vec<usize>,
    ) -> Result<Ending<'a>, Option<Vec<usize>>> {
        for _ in 0..MAX_CUTS {
            let steps = own(&outside).ok_or(None)?;
            let place = match space {
                Some(space) => Some(steps.iter().position(|it| *it == space).ok_or(None)?),
                None => None,
            };
            let results = kept
                .iter()
                .flat_map(|&it| self.results_beside(it, &steps, users));
            let results: Vec<ValueSource<'a>> = results.collect();
            match row_program::program(&self.steps_of(&steps), place, &results) {
                Ok(what) => return Ok((steps, what)),
                Err(NoProgram::TooLarge) => return Err(Some(outside)),
                Err(NoProgram::Culprits(culprits)) => {
                    let before = outside.len();
                    outside.extend(culprits.into_iter().map(|it| steps[it]));
                    // Without its ends or its reduction there is no program.
                    let mut ends = std::iter::once(&last).chain(&space).chain(kept);
                    let is_lost = ends.any(|it| outside.contains(it));
                    if is_lost || outside.len() == before {
                        return Err(None);
                    }
                }
            }
        }
        Err(None)
    }

    /// Returns the program behind one more cut, such as between two norms: that with the fewest
    /// inputs, and of several the one with most reductions.
    fn halved_program(
        &self,
        ends: ProgramEnds<'_>,
        own: &dyn Fn(&[usize]) -> Option<Vec<usize>>,
        outside: &[usize],
    ) -> Option<Ending<'a>> {
        let whole = own(outside)?;
        let cuts = whole
            .iter()
            .filter(|&&it| it != ends.0 && self.steps[it].is_pointwise());
        let cut = cuts.filter_map(|&it| {
            let outside = [outside, &[it]].concat();
            self.cut_program(ends, own, outside).ok()
        });
        cut.min_by_key(|(own, what)| {
            let reductions = own.iter().filter(|&&it| self.steps[it].reduces()).count();
            (what.inputs.len(), Reverse(reductions))
        })
    }

    /// Returns whether these operations are more than one reduction with a function before it.
    pub(super) fn is_more(&self, own: &[usize], rules: ProgramRules) -> bool {
        let is_beside = |it: &&usize| !self.is_free(**it);
        let Some((last, before)) = own.split_last() else {
            return false;
        };
        let last = &self.steps[*last];
        let mut before = before.iter().filter(is_beside);
        !last.reduces()
            || before.any(|&it| !(rules.is_function)(&self.steps[it]))
            || last.is_narrow_sum()
    }
}

/// Returns the number of elements of an operation's last result, if it is known.
fn elements(step: &ChainStep<'_>) -> Option<u64> {
    let sizes = match &step.kind {
        ChainStepKind::Reshape { to, .. } => to,
        _ => &step.operands.last()?.sizes,
    };
    element_count(sizes)
}
