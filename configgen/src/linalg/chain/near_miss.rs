//! Missed row operations: the reason why a reduction is part of none.
//!
//! A reduction with a result that its row uses again looks like a part of a norm or softmax. The
//! operations behind it, and each cut before it, are compared with the row operations. The
//! variant that shares most with one of them gives the reason.

use std::collections::{BTreeSet, HashSet};

use super::module_chains::{MAX_CUT, Users};
use super::recognition::{Departure, departure};
use super::{Chains, MAX_SPENT, MAX_STEPS, build};
use crate::comparator::{ComparatorError, Cursor};

/// The largest number of ends that are tried for one reduction.
const MAX_ENDS: usize = 8;

/// The smallest share of a row operation, in thousandths, that a chain has in common with it to be
/// called a missed one.
const LEAST_LIKENESS: usize = 500;

/// A chain that is no row operation.
pub(in crate::linalg) struct MissedChain<'a> {
    /// The position of its last operation.
    pub(in crate::linalg) place: Cursor<'a>,
    /// The first difference from a row operation.
    pub(in crate::linalg) reason: ComparatorError,
}

/// The work that a text may cause. Each reason counts the lines before it, which would be
/// quadratic in a hostile text.
pub(in crate::linalg) struct MissedBudget(usize);

impl MissedBudget {
    pub(in crate::linalg) fn new() -> MissedBudget {
        MissedBudget(MAX_SPENT)
    }
}

impl<'a> Chains<'a> {
    /// Returns the reason why the reduction at this byte offset is part of no row operation. None
    /// if its result is not used on its row again, or if it resembles no row operation. `within`
    /// has the reductions of row operations.
    pub(in crate::linalg) fn missed(
        &self,
        place: usize,
        users: &Users,
        within: &HashSet<usize>,
        budget: &mut MissedBudget,
    ) -> Option<MissedChain<'a>> {
        let reduction = *self.places.get(&place)?;
        let mut nearest: Option<((usize, usize), MissedChain<'a>)> = None;
        let ends = self.behind(reduction, users);
        let ends = ends.into_iter().filter(|&it| self.ends_pointwise(it));
        let mut tried = 0;
        for last in ends {
            let Some(whole) = self.own(last, users, &|_| true) else {
                break;
            };
            let is_taken = |it: &usize| within.contains(&self.steps[*it].place.offset());
            if !whole.contains(&reduction) || whole.iter().any(is_taken) {
                continue;
            }
            let mut before = self.before_reductions(&whole);
            // A row operation takes in the widening and the broadcast of its elements.
            before.retain(|&it| !self.steps[it].is_repeated());
            let mut is_candidate = false;
            for count in 0..=before.len().min(MAX_CUT) {
                let outside = &before[..count];
                let own = self.own(last, users, &|it| !outside.contains(&it));
                let steps: Vec<_> = (own.into_iter().flatten())
                    .map(|it| &self.steps[it])
                    .collect();
                let last = &self.steps[last];
                budget.0 = budget.0.checked_sub(last.place.offset())?;
                let Ok(expression) = build::build(&steps, last) else {
                    continue;
                };
                let Some(Departure { likeness, reason }) = departure(expression, last.place) else {
                    continue;
                };
                is_candidate = true;
                if likeness.0 < LEAST_LIKENESS {
                    continue;
                }
                if nearest.as_ref().is_none_or(|it| it.0 < likeness) {
                    let place = last.place;
                    nearest = Some((likeness, MissedChain { place, reason }));
                }
            }
            tried += usize::from(is_candidate);
            if tried == MAX_ENDS {
                break;
            }
        }
        nearest.map(|it| it.1)
    }

    /// Returns the operations that depend on this one, in the order of the text.
    fn behind(&self, number: usize, users: &Users) -> Vec<usize> {
        let mut next = BTreeSet::from([number]);
        let mut seen = HashSet::new();
        let mut all = Vec::new();
        while let Some(number) = next.pop_first() {
            if all.len() > MAX_STEPS {
                break;
            }
            all.push(number);
            let place = self.steps[number].place.offset();
            let users = users.get(&place).into_iter().flatten();
            next.extend(users.copied().filter(|it| seen.insert(*it)));
        }
        all
    }
}
