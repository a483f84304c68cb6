//! Kept results: values inside of a program that other operations use, too.
//!
//! The program writes such a value as one more result, so that nothing computes it again and the
//! program does not read it. All results are written at the place of the first of them in the
//! module, so the inputs must be known there.

use std::cell::Cell;

use super::Chains;
use super::module_chains::{Ending, Users};
use super::row_program::ProgramRules;
use super::step::{ChainOperand, ChainStep, ChainStepKind, ValueSource};
use crate::reduction::Extent;

/// The largest number of operations that are tried as places of kept results of one program.
const MAX_TRIED: usize = 8;

impl<'a> Chains<'a> {
    /// Returns the row program that ends with `last` and takes in operations with other users.
    /// `smaller` is the operation without them, if there is one.
    pub(super) fn kept_ending(
        &self,
        last: usize,
        smaller: Option<&Ending<'a>>,
        (users, rules): (&Users, ProgramRules),
        (is_taken, left): (&[bool], &Cell<usize>),
    ) -> Option<Ending<'a>> {
        let is_matched = |it: usize| (rules.is_matched)(&self.steps[it]);
        let alone = self.own(last, users, &is_matched)?;
        if is_taken[last] {
            return None;
        }
        let inputs = smaller.map_or(&[][..], |it| &it.1.inputs);
        // An operation behind a row operation reads its elements. They are in memory anyway.
        let is_behind = !alone.iter().any(|&it| self.steps[it].reduces());
        let is_worth = |(_, what): &Ending<'a>| {
            let results = what.problem.results();
            let mut kept = results[what.outputs.len()..].iter();
            !is_behind || kept.all(|it| it.extent == Extent::Rows)
        };
        let mut kept: Vec<usize> = Vec::new();
        let mut refused: Vec<usize> = Vec::new();
        let mut best: Option<Ending<'a>> = None;
        let mut own = smaller.map_or(alone, |it| it.0.clone());
        for _ in 0..MAX_TRIED {
            let before = own.iter().flat_map(|&it| self.before_of(&self.steps[it]));
            let is_tried = |it: &usize| {
                let step = &self.steps[*it];
                *it != last
                    && !is_taken[*it]
                    && !kept.contains(it)
                    && !refused.contains(it)
                    && !step.is_repeated()
                    && !self.is_free(*it)
                    && matches!(step.kind, ChainStepKind::Generic { .. })
                    && is_matched(*it)
                    && !self.results_beside(*it, &own, users).is_empty()
            };
            let all = before.chain(own.iter().copied());
            let Some(tried) = all.filter(is_tried).max() else {
                break;
            };
            let mut more = kept.clone();
            more.push(tried);
            more.sort_unstable();
            let is_whole = |own: &[usize]| more.iter().all(|it| own.contains(it));
            let found =
                self.program_ending(last, &more, is_whole, (users, rules), (is_taken, left));
            let found = found.filter(|it| self.is_placed(&more, it) && is_worth(it));
            match found.filter(|it| self.saves(it, inputs)) {
                Some(found) => {
                    own.clone_from(&found.0);
                    kept = more;
                    best = Some(found);
                }
                None => {
                    // The reduction may be behind the next operation with other users.
                    let Some(with) = self.program_steps(last, &more, &[], (rules, users, is_taken))
                    else {
                        break;
                    };
                    match with.iter().any(|&it| self.steps[it].reduces()) {
                        true => refused.push(tried),
                        false => (own, kept) = (with, more),
                    }
                }
            }
        }
        best
    }

    /// Returns the results of an operation that others than `own` use.
    pub(super) fn results_beside(
        &self,
        step: usize,
        own: &[usize],
        users: &Users,
    ) -> Vec<ValueSource<'a>> {
        let place = self.steps[step].place.offset();
        let uses = |user: usize, source: &ValueSource<'a>| {
            let mut operands = self.steps[user].operands.iter();
            operands.any(|it| it.source == *source)
        };
        let is_beside = |user: usize| {
            // A reshape stays in the module for its other users.
            let stays = || {
                let is_reshape = matches!(self.steps[user].kind, ChainStepKind::Reshape { .. });
                is_reshape && !self.results_beside(user, own, users).is_empty()
            };
            !own.contains(&user) || (user > step && stays())
        };
        let all = users.get(&place).map_or(&[][..], |it| it);
        let results = self.results(step).filter(|source| {
            let mut users = all.iter();
            self.used_otherwise.contains_key(source)
                || users.any(|&user| uses(user, source) && is_beside(user))
        });
        results.collect()
    }

    /// Returns whether the results can be written at the place of the first kept one. All inputs
    /// come before it, and the other results need it.
    fn is_placed(&self, kept: &[usize], (own, what): &Ending<'a>) -> bool {
        let Some(&first) = kept.first() else {
            return false;
        };
        let place = self.steps[first].place.offset();
        let is_before = |source: &ValueSource<'a>| match source {
            ValueSource::Defined(at, _) => *at < place,
            ValueSource::Argument(_) => true,
        };
        let mut behind = vec![first];
        for &step in own.iter().filter(|it| **it > first) {
            if self
                .before_of(&self.steps[step])
                .any(|it| behind.contains(&it))
            {
                behind.push(step);
            }
        }
        let needs = |it: &usize| own.contains(it) && behind.contains(it);
        what.inputs.iter().all(is_before) && kept.iter().all(needs)
    }

    /// Returns whether the inputs that the smaller operation does not have are read from memory
    /// anyway. IREE fuses pointwise users into a product or a reduction. That writes the kept
    /// result without another pass over memory.
    fn saves(&self, (own, what): &Ending<'a>, smaller: &[ValueSource<'a>]) -> bool {
        let operands = own.iter().flat_map(|&it| &self.steps[it].operands);
        let is_new = |it: &&ChainOperand<'a>| {
            what.inputs.contains(&it.source) && !smaller.contains(&it.source)
        };
        let reduces = |source: ValueSource<'a>| match source {
            ValueSource::Defined(place, _) => self.at(place).is_some_and(ChainStep::reduces),
            ValueSource::Argument(_) => false,
        };
        !operands
            .filter(is_new)
            .any(|it| it.is_product || reduces(it.source))
    }
}
