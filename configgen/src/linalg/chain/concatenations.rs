//! Concatenations: slices side by side in one tensor, with the pointwise operations that compute
//! them.
//!
//! IREE copies each piece into the tensor, by a kernel of its own. A rotary embedding in two
//! halves is therefore four kernels.

use std::collections::{BTreeMap, BinaryHeap, HashSet};

use super::module_chains::Users;
use super::step::{ChainStep, ValueSource};
use super::{Chains, MAX_STEPS, body};
use crate::linalg::slice::SliceOperation;

/// The largest number of operations in a module that may be the end of a concatenation.
const MAX_ENDS: usize = 4096;

impl<'a> Chains<'a> {
    /// Returns the operations of each concatenation in the order of the text, itself last.
    ///
    /// The operations before it belong to it if nothing else uses them and if `is_part` selects
    /// them. IREE computes a concatenation as a part of its users if all of these are pointwise,
    /// so such a one is left out.
    pub(in crate::linalg) fn concatenations(
        &self,
        users: &Users,
        is_part: impl Fn(&ChainStep<'a>) -> bool,
    ) -> Vec<Vec<&ChainStep<'a>>> {
        let slices = self.named.iter();
        let slices = slices.filter(|it| it.1.slice().is_some());
        let slices: BTreeMap<usize, &ChainStep<'a>> = slices.map(|it| (*it.0, it.1)).collect();
        let mut uses = SliceUsers {
            chains: self,
            users,
            slices,
            is_taken: HashSet::new(),
        };
        let mut found = Vec::new();
        // From the end, so that a concatenation takes in those before it.
        let joins = uses.slices.values().rev().copied();
        let joins = joins.filter(|it| is_join(it)).take(MAX_ENDS);
        let joins: Vec<&ChainStep<'a>> = joins.collect();
        for step in joins {
            let place = step.place.offset();
            if uses.is_taken.contains(&place) || uses.is_pointwise(place) {
                continue;
            }
            if let Some(own) = uses.own(step, &is_part) {
                let joins = own.iter().filter(|it| is_join(it));
                uses.is_taken.extend(joins.map(|it| it.place.offset()));
                found.push(own);
            }
        }
        found.reverse();
        found
    }
}

/// Returns whether it puts several tensors into one.
fn is_join(step: &ChainStep<'_>) -> bool {
    let is = |it: &SliceOperation| !matches!(it, SliceOperation::Extract(_));
    step.slice().is_some_and(|it| is(it.0))
}

/// The users of the values in a text with slices.
struct SliceUsers<'s, 'u, 'a> {
    chains: &'s Chains<'a>,
    users: &'u Users,
    slices: BTreeMap<usize, &'s ChainStep<'a>>,
    /// The byte offsets of the joins that a later one takes in.
    is_taken: HashSet<usize>,
}

impl<'s, 'a> SliceUsers<'s, '_, 'a> {
    /// Returns whether all users of the operation at this byte offset are pointwise.
    fn is_pointwise(&self, place: usize) -> bool {
        let users = self.users.get(&place).into_iter().flatten();
        let mut users = users.map(|it| &self.chains.steps[*it]).peekable();
        let is_otherwise = self.otherwise(place) > 0;
        users.peek().is_some() && !is_otherwise && users.all(ChainStep::is_pointwise)
    }

    /// Returns the number of uses of an operation's results that are no operands of steps.
    fn otherwise(&self, place: usize) -> usize {
        let results = (0..body::MAX_OPERANDS).map(|it| ValueSource::Defined(place, it));
        let uses = results.filter_map(|it| self.chains.used_otherwise.get(&it));
        uses.sum()
    }

    /// Returns the operations that `last` needs and that nothing else uses, in order, itself last.
    ///
    /// The result is none if they are too many. A slice is an input together with its tensor, and
    /// so the operations before it are not included.
    fn own(
        &self,
        last: &'s ChainStep<'a>,
        is_part: impl Fn(&ChainStep<'a>) -> bool,
    ) -> Option<Vec<&'s ChainStep<'a>>> {
        let mut own: BTreeMap<usize, &'s ChainStep<'a>> =
            BTreeMap::from([(last.place.offset(), last)]);
        let mut next = BinaryHeap::new();
        next.extend(places(last));
        // The latest operation comes first, so that all its users are known.
        while let Some(place) = next.pop() {
            if own.contains_key(&place) {
                continue;
            }
            let slice = self.slices.get(&place).copied();
            let number = self.chains.places.get(&place);
            let Some(step) = slice.or(number.map(|it| &self.chains.steps[*it])) else {
                continue;
            };
            let is_extract = slice.is_some_and(|it| !is_join(it));
            let is_wanted = match slice {
                Some(_) => !is_extract,
                None => is_part(step),
            };
            if step.is_free() || is_extract || is_wanted && self.is_own(place, &own) {
                own.insert(place, step);
                if !is_extract {
                    next.extend(places(step));
                }
            }
            if own.len() > MAX_STEPS {
                return None;
            }
        }
        Some(own.into_values().collect())
    }

    /// Returns whether only these operations use the results of the one at this byte offset.
    fn is_own(&self, place: usize, own: &BTreeMap<usize, &ChainStep<'a>>) -> bool {
        let users = self.users.get(&place).into_iter().flatten();
        let mut users = users.map(|it| self.chains.steps[*it].place.offset());
        // A slice counts as another user, so the own ones are subtracted.
        let slices = own.values().filter(|it| it.slice().is_some());
        let by_slices = slices.flat_map(|it| places(it));
        let by_slices = by_slices.filter(|it| *it == place).count();
        users.all(|user| own.contains_key(&user)) && self.otherwise(place) == by_slices
    }
}

/// Returns the byte offsets of earlier operations with results that this one uses.
fn places(step: &ChainStep<'_>) -> impl Iterator<Item = usize> {
    let begin = step.place.offset();
    let operands = step.operands.iter();
    operands.filter_map(move |it| match it.source {
        ValueSource::Defined(place, _) => Some(place).filter(|it| *it < begin),
        ValueSource::Argument(_) => None,
    })
}
