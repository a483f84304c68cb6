//! Concatenations: slices side by side in one tensor, with the pointwise operations that compute
//! them.
//!
//! IREE copies each piece into the tensor, by a kernel of its own. A rotary embedding in two
//! halves is therefore four kernels.

use std::collections::{BTreeMap, BinaryHeap, HashSet};

use super::module_chains::Users;
use super::step::{ChainOperand, ChainStep, ValueSource};
use super::{Chains, MAX_STEPS, body};
use crate::linalg::slice::SliceOperation;

/// The largest number of operations in a module that may be the end of a concatenation.
const MAX_ENDS: usize = 4096;

/// The largest number of operations behind a concatenation that may be a part of its kernel.
const MAX_BEHIND: usize = 16;

impl<'a> Chains<'a> {
    /// Returns the result of `read` for each concatenation. It takes the operations in the order of
    /// the text, and returns none if they are too many for it.
    ///
    /// The operations before a concatenation belong to it if nothing else uses them and if
    /// `is_part` selects them. Pointwise operations behind it belong to it, too, unless a reduction
    /// reads their result: they are then a part of that.
    pub(in crate::linalg) fn concatenations<T>(
        &self,
        users: &Users,
        is_part: impl Fn(&ChainStep<'a>) -> bool,
        read: impl Fn(&[&ChainStep<'a>]) -> Option<T>,
    ) -> Vec<T> {
        let slices = self.named.iter();
        let slices = slices.filter(|it| it.1.slice().is_some());
        let slices: BTreeMap<usize, &ChainStep<'a>> = slices.map(|it| (*it.0, it.1)).collect();
        let mut slice_users = SliceUsers {
            chains: self,
            users,
            slices,
            is_taken: HashSet::new(),
        };
        let mut found = Vec::new();
        // From the end, so that a concatenation takes in those before it.
        let joins = slice_users.slices.values().rev().copied();
        let joins = joins.filter(|it| is_join(it)).take(MAX_ENDS);
        let joins: Vec<&ChainStep<'a>> = joins.collect();
        for join in joins {
            let of_join = slice_users.read(join, &is_part, &read);
            if let Some((own, read)) = of_join {
                let costly = own.iter().filter(|it| !is_copied(it));
                let costly = costly.map(|it| it.place.offset());
                slice_users.is_taken.extend(costly);
                found.push(read);
            }
        }
        found.reverse();
        found
    }
}

/// Returns whether a kernel reads the operands of an operation in place of its result, whatever
/// else uses that.
fn is_copied(step: &ChainStep<'_>) -> bool {
    let is_extract = step.slice().is_some() && !is_join(step);
    step.is_free() || is_extract || step.is_repeated()
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
    /// The byte offsets of operations that are part of a concatenation.
    is_taken: HashSet<usize>,
}

impl<'s, 'a> SliceUsers<'s, '_, 'a> {
    /// Returns the operations of a concatenation, as many as `read` takes, and its result.
    fn read<T>(
        &self,
        join: &'s ChainStep<'a>,
        is_part: &dyn Fn(&ChainStep<'a>) -> bool,
        read: &dyn Fn(&[&ChainStep<'a>]) -> Option<T>,
    ) -> Option<(Vec<&'s ChainStep<'a>>, T)> {
        let is_taken = |it: &ChainStep<'a>| self.is_taken.contains(&it.place.offset());
        if is_taken(join) || self.is_pointwise(join) && self.is_rotation(join) {
            return None;
        }
        let is_computed = |it: &ChainStep<'a>| is_part(it) && !is_taken(it);
        let ends = self.ends(join, &is_computed);
        let whole = self.inserts(join);
        let is_join_itself = |it: &ChainStep<'a>| whole.contains(&it.place.offset());
        let is_any_join = |it: &ChainStep<'a>| is_join(it) && !is_taken(it);
        // With other concatenations, without these, and without computed pieces.
        let filters: [&dyn Fn(&ChainStep<'a>) -> bool; 3] = [
            &|it| is_any_join(it) || is_computed(it),
            &|it| is_join_itself(it) || is_computed(it),
            &is_join_itself,
        ];
        let mut each = ends
            .iter()
            .rev()
            .flat_map(|end| filters.map(|it| (*end, it)));
        each.find_map(|(end, filter)| {
            let own = self.own(end, filter)?;
            own.iter().any(|it| is_join_itself(it)).then_some(())?;
            let read = read(&own)?;
            Some((own, read))
        })
    }

    /// Returns the byte offsets of a concatenation's operations: it and the insertions before it
    /// into the same tensor.
    fn inserts(&self, join: &'s ChainStep<'a>) -> Vec<usize> {
        let mut all = vec![join.place.offset()];
        let mut last = join;
        while let Some((SliceOperation::Insert(_), _)) = last.slice()
            && let [_, into] = &last.operands[..]
            && let ValueSource::Defined(place, _) = into.source
            && place < last.place.offset()
            && let Some(before) = self.slices.get(&place).filter(|it| is_join(it))
        {
            all.push(place);
            last = before;
        }
        all
    }

    /// Returns a concatenation and the pointwise operations behind it, each the only user of the
    /// one before.
    fn ends(
        &self,
        join: &'s ChainStep<'a>,
        is_part: &dyn Fn(&ChainStep<'a>) -> bool,
    ) -> Vec<&'s ChainStep<'a>> {
        let mut ends = vec![join];
        while let Some(last) = ends.last()
            && ends.len() < MAX_BEHIND
        {
            let place = last.place.offset();
            let mut users = self.users_of(place);
            let Some(user) = users.next() else {
                break;
            };
            // IREE computes pointwise users of a product as a part of the product.
            let is_other = |it: &ChainOperand<'a>| {
                it.is_behind_product && it.source != ValueSource::Defined(place, 0)
            };
            let is_end = user.is_pointwise()
                && users.all(|it| it.place.offset() == user.place.offset())
                && !self.users_of(user.place.offset()).any(ChainStep::reduces)
                && user.results() == 1
                && is_part(user)
                && user.place.offset() > place
                && !user.operands.iter().any(is_other);
            if !is_end || self.otherwise(place) > 0 {
                break;
            }
            ends.push(user);
        }
        ends
    }

    /// Returns whether all users of a concatenation are pointwise.
    fn is_pointwise(&self, join: &ChainStep<'a>) -> bool {
        let place = join.place.offset();
        let mut users = self.users_of(place).peekable();
        users.peek().is_some() && self.otherwise(place) == 0 && users.all(ChainStep::is_pointwise)
    }

    /// Returns whether a concatenation has slices of inputs and their negatives alone. IREE makes
    /// one operation of it and its pointwise users.
    fn is_rotation(&self, join: &ChainStep<'a>) -> bool {
        join.operands.iter().all(|piece| {
            let ValueSource::Defined(place, _) = piece.source else {
                return false;
            };
            let slice = self
                .slices
                .get(&place)
                .filter(|it| it.place.offset() < join.place.offset());
            let step = self
                .chains
                .places
                .get(&place)
                .map(|it| &self.chains.steps[*it]);
            match (slice, step) {
                (Some(slice), _) => !is_join(slice) || self.is_rotation(slice),
                (None, Some(step)) => step.negates(),
                (None, None) => piece.is_empty,
            }
        })
    }

    /// Returns the steps that use results of the operation at this byte offset, once for each use.
    fn users_of(&self, place: usize) -> impl Iterator<Item = &'s ChainStep<'a>> {
        let users = self.users.get(&place).into_iter().flatten();
        users.map(|it| &self.chains.steps[*it])
    }

    /// Returns the number of uses of an operation's results that are no operands of steps.
    fn otherwise(&self, place: usize) -> usize {
        let results = (0..body::MAX_OPERANDS).map(|it| ValueSource::Defined(place, it));
        let uses = results.filter_map(|it| self.chains.used_otherwise.get(&it));
        uses.sum()
    }

    /// Returns the operations that `last` needs and that nothing else uses, in order, itself last.
    ///
    /// `is_part` selects them. The result is none if they are too many. A slice is an input
    /// together with its tensor, and so the operations before it are not included.
    fn own(
        &self,
        last: &'s ChainStep<'a>,
        is_part: &dyn Fn(&ChainStep<'a>) -> bool,
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
            if is_copied(step) || is_part(step) && self.is_own(place, &own) {
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
        let mut users = self.users_of(place).map(|it| it.place.offset());
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
