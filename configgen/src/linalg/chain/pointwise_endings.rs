//! Programs without a reduction: pointwise operations that are in no chain.

use std::cell::Cell;

use super::Chains;
use super::module_chains::{Ending, Users};
use super::row_program::ProgramRules;
use super::step::{ChainOperand, ChainStep, ValueSource};

impl<'a> Chains<'a> {
    /// Returns the pointwise programs of operations that are in no chain, each with the operations
    /// before it. `is_taken` has the operations of chains.
    ///
    /// Such a program has a function that implementations round, such as the exponential of a
    /// SiLU. The time of all other pointwise operations is that of their bytes, in IREE's kernels,
    /// too.
    pub(super) fn pointwise_endings(
        &self,
        (users, rules): (&Users, ProgramRules),
        (is_taken, left): (&[bool], &Cell<usize>),
    ) -> Vec<Ending<'a>> {
        let mut is_taken = is_taken.to_vec();
        let feeds_rows = self.feeds_rows(users);
        let mut found = Vec::new();
        for last in (0..self.steps.len()).rev() {
            let step = &self.steps[last];
            let is_end = step.is_pointwise() && (rules.is_matched)(step);
            if !is_end || is_taken[last] || feeds_rows[last] {
                continue;
            }
            let own = |outside: &[usize]| {
                left.set(left.get().checked_sub(1)?);
                self.program_steps(last, &[], outside, (rules, users, &is_taken))
            };
            let Ok(ending) = self.cut_program((last, None, &[], users), &own, Vec::new()) else {
                continue;
            };
            let mut steps = ending.0.iter().map(|&it| &self.steps[it]);
            if steps.any(ChainStep::rounds_functions) && !self.is_behind_product(&ending) {
                ending.0.iter().for_each(|&step| is_taken[step] = true);
                found.push(ending);
            }
        }
        found
    }

    /// Returns whether an input is the result of a product or a reduction. IREE computes pointwise
    /// operations behind these as a part of them.
    fn is_behind_product(&self, (own, what): &Ending<'a>) -> bool {
        let operands = own.iter().flat_map(|&it| &self.steps[it].operands);
        let mut inputs = operands.filter(|it| what.inputs.contains(&it.source));
        let reduces = |it: &ChainOperand<'a>| match it.source {
            ValueSource::Defined(place, _) => self.at(place).is_some_and(ChainStep::reduces),
            ValueSource::Argument(_) => false,
        };
        inputs.any(|it| it.is_behind_product || reduces(it))
    }

    /// Returns for each operation whether a reduction or a named operation reads its result, at
    /// once or through others. IREE computes pointwise operations as a part of such a reader.
    fn feeds_rows(&self, users: &Users) -> Vec<bool> {
        let named = self.named.values().filter(|it| it.slice().is_none());
        let named = named.flat_map(|it| &it.operands);
        let mut feeds: Vec<bool> = vec![false; self.steps.len()];
        for operand in named {
            if let ValueSource::Defined(place, _) = operand.source
                && let Some(&step) = self.places.get(&place)
            {
                feeds[step] = true;
            }
        }
        // Users come behind an operation, so they are known before it.
        for step in (0..self.steps.len()).rev() {
            let place = self.steps[step].place.offset();
            let mut readers = users.get(&place).into_iter().flatten();
            feeds[step] |= readers.any(|&it| self.steps[it].reduces() || feeds[it]);
        }
        feeds
    }
}
