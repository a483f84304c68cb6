//! The chains of a whole module in replaceable form: each with all operations that nothing else
//! uses.
//!
//! A value with another user is computed anyway, so it is an input of the chain, or a further
//! result of a program (`kept_results.rs`). A chain may end at any operation. If two chains share
//! operations, the later one wins, because it has more of them.

use std::cell::Cell;
use std::collections::{BinaryHeap, HashMap};

use super::recognition::{ChainProblem, recognise};
use super::row_program::ProgramRules;
use super::step::{ChainStep, ValueSource};
use super::{Chains, MAX_STEPS, build};

/// The largest number of chains in a module for which expressions are built.
const MAX_BUILT: usize = 4096;

/// The largest number of operations before a chain's reductions that may stay outside.
pub(super) const MAX_CUT: usize = 8;

/// The largest number of sets of operations that are tried as programs.
const MAX_PROGRAMS: usize = 1 << 16;

/// A chain that is a row operation.
pub(in crate::linalg) struct ModuleChain<'s, 'a> {
    pub(in crate::linalg) what: ChainProblem<'a>,
    /// Its operations in the order of the text.
    pub(in crate::linalg) steps: Vec<&'s ChainStep<'a>>,
    /// The smaller row operations inside of it.
    pub(in crate::linalg) parts: Vec<ModuleChain<'s, 'a>>,
    /// The operations that compute the results without each other, if it is several.
    pub(in crate::linalg) siblings: Vec<SiblingSteps<'s, 'a>>,
}

/// An operation that a program computes beside others.
pub(in crate::linalg) struct SiblingSteps<'s, 'a> {
    pub(in crate::linalg) steps: Vec<&'s ChainStep<'a>>,
    /// The numbers of the program's results that its last step has.
    pub(in crate::linalg) results: Vec<usize>,
}

/// The operations of a chain, its end last, with the problem that they are.
pub(super) type Ending<'a> = (Vec<usize>, ChainProblem<'a>);

/// An operation that may be joined with others.
pub(super) struct Sibling<'a> {
    pub(super) ending: Ending<'a>,
    /// Set for a plain reduction. It is no chain.
    pub(super) is_plain: bool,
}

/// Operations with the program that computes all of them, if they are several.
pub(super) struct Joint<'a> {
    pub(super) siblings: Vec<Sibling<'a>>,
    pub(super) whole: Option<Ending<'a>>,
}

/// The users of each operation's results, by the operation's byte offset.
pub(in crate::linalg) type Users = HashMap<usize, Vec<usize>>;

impl<'a> Chains<'a> {
    /// Returns the chains of the text that are row operations. No reduction is in two of them.
    pub(in crate::linalg) fn module_chains(
        &self,
        users: &Users,
        rules: ProgramRules,
    ) -> Vec<ModuleChain<'_, 'a>> {
        let mut is_taken = vec![false; self.steps.len()];
        // Each with the smaller operation that it extends by further results.
        let mut found: Vec<(Ending<'a>, Option<Ending<'a>>)> = Vec::new();
        let mut left = MAX_BUILT;
        let programs = Cell::new(MAX_PROGRAMS);
        // From the end, so that the longest chain takes its operations first.
        for last in (0..self.steps.len()).rev() {
            let own = || self.own(last, users, &|_| true);
            let ending = (self.ending(last, own, &mut left, &is_taken)).or_else(|| {
                let named = self.cut_ending(last, users, &mut left, &is_taken);
                let limits = (&is_taken[..], &programs);
                let is_more = |own: &[usize]| self.is_more(own, rules);
                let program = self.program_ending(last, &[], is_more, (users, rules), limits);
                self.larger(named, program)
            });
            let limits = (&is_taken[..], &programs);
            let kept = self.kept_ending(last, ending.as_ref(), (users, rules), limits);
            let Some((ending, smaller)) = (match (kept, ending) {
                (Some(kept), smaller) => Some((kept, smaller)),
                (None, ending) => ending.map(|it| (it, None)),
            }) else {
                continue;
            };
            ending.0.iter().for_each(|&step| is_taken[step] = true);
            found.push((ending, smaller));
        }
        let limits = (&is_taken[..], &programs);
        let plain = self.plain_endings((users, rules), limits);
        let mut left = MAX_BUILT;
        let mut with_parts = |(own, what)| self.with_parts(own, what, users, &mut left);
        let pointwise = self.pointwise_endings((users, rules), limits);
        let mut chains: Vec<ModuleChain<'_, 'a>> = pointwise
            .into_iter()
            .map(|(own, what)| ModuleChain {
                what,
                steps: self.steps_of(&own),
                parts: Vec::new(),
                siblings: Vec::new(),
            })
            .collect();
        let mut siblings: Vec<Sibling<'a>> = Vec::new();
        for (ending, smaller) in found.into_iter().rev() {
            if ending.1.kept.is_empty() {
                siblings.push(Sibling {
                    ending,
                    is_plain: false,
                });
                continue;
            }
            chains.push(ModuleChain {
                what: ending.1,
                steps: self.steps_of(&ending.0),
                parts: smaller.map(&mut with_parts).into_iter().collect(),
                siblings: Vec::new(),
            });
        }
        siblings.extend(plain.into_iter().map(|ending| {
            Sibling {
                // A reduction with several results is read by no other reader.
                is_plain: ending
                    .0
                    .last()
                    .is_none_or(|&it| self.steps[it].results() == 1),
                ending,
            }
        }));
        for Joint { siblings, whole } in self.joined(siblings) {
            let steps: Vec<Vec<usize>> = siblings.iter().map(|it| it.ending.0.clone()).collect();
            let own = siblings.into_iter().filter(|it| !it.is_plain);
            let parts = own.map(|it| with_parts(it.ending)).collect();
            match whole {
                Some(whole) => chains.push(self.of_siblings(whole, &steps, parts)),
                None => chains.extend(parts),
            }
        }
        chains
    }

    pub(super) fn steps_of(&self, own: &[usize]) -> Vec<&ChainStep<'a>> {
        own.iter().map(|&it| &self.steps[it]).collect()
    }

    /// Returns the one with more operations that cost time, by default the first.
    fn larger(&self, one: Option<Ending<'a>>, other: Option<Ending<'a>>) -> Option<Ending<'a>> {
        let cost = |(own, _): &Ending<'a>| own.iter().filter(|&&it| !self.is_free(it)).count();
        let is_larger = match (&one, &other) {
            (Some(one), Some(other)) => cost(other) > cost(one),
            (one, _) => one.is_none(),
        };
        if is_larger { other } else { one }
    }

    /// Returns the users of each operation.
    pub(in crate::linalg) fn users(&self) -> Users {
        let mut users = Users::new();
        for (number, step) in self.steps.iter().enumerate() {
            for operand in step.operands.iter().chain(&step.filled) {
                if let ValueSource::Defined(place, _) = operand.source {
                    users.entry(place).or_default().push(number);
                }
            }
        }
        users
    }

    /// Returns the row operation that ends with `last` and consists of `own`, if it is one.
    ///
    /// Its reductions must not be taken. `left` limits the number of expressions.
    fn ending(
        &self,
        last: usize,
        own: impl FnOnce() -> Option<Vec<usize>>,
        left: &mut usize,
        is_taken: &[bool],
    ) -> Option<Ending<'a>> {
        if is_taken[last] || !self.ends_pointwise(last) || *left == 0 {
            return None;
        }
        let own = own()?;
        let mut reductions = own.iter().filter(|&&it| self.steps[it].reduces());
        if reductions.clone().next().is_none() || reductions.any(|&it| is_taken[it]) {
            return None;
        }
        *left -= 1;
        let steps: Vec<&ChainStep<'a>> = own.iter().map(|&it| &self.steps[it]).collect();
        let last = &self.steps[last];
        let expression = build::build(&steps, last).ok()?;
        let is_result = |source: &ValueSource<'a>| matches!(source, ValueSource::Defined(at, _) if *at == last.place.offset());
        let what = recognise(expression, last.place, is_result)?.ok()?;
        Some((own, what.chain))
    }

    /// Returns the row operation that ends with `last` if operations before its reductions, such
    /// as the scale of a softmax, stay outside. The chain takes in as many of them as it can.
    fn cut_ending(
        &self,
        last: usize,
        users: &Users,
        left: &mut usize,
        is_taken: &[bool],
    ) -> Option<Ending<'a>> {
        if is_taken[last] || !self.ends_pointwise(last) {
            return None;
        }
        let whole = self.own(last, users, &|_| true)?;
        if !whole.iter().any(|&it| self.steps[it].reduces()) {
            return None;
        }
        let before = self.before_reductions(&whole);
        // The earliest operations go first: the chain keeps those that it can fuse at its edge.
        (1..=before.len().min(MAX_CUT)).find_map(|count| {
            let outside = &before[..count];
            let own = || self.own(last, users, &|it| !outside.contains(&it));
            self.ending(last, own, left, is_taken)
        })
    }

    /// Returns the pointwise operations of a chain that use no result of its reductions, in the
    /// order of the text.
    pub(super) fn before_reductions(&self, own: &[usize]) -> Vec<usize> {
        let mut behind: Vec<usize> = Vec::new();
        let mut before = Vec::new();
        for &number in own {
            let step = &self.steps[number];
            if step.reduces() || self.before_of(step).any(|it| behind.contains(&it)) {
                behind.push(number);
            } else if !self.is_free(number) {
                before.push(number);
            }
        }
        before
    }

    /// Returns the chain of these operations with its parts.
    ///
    /// The parts are chains with the same end but without the first operation, and chains that
    /// end earlier.
    fn with_parts(
        &self,
        own: Vec<usize>,
        what: ChainProblem<'a>,
        users: &Users,
        left: &mut usize,
    ) -> ModuleChain<'_, 'a> {
        let mut is_taken = vec![false; self.steps.len()];
        let mut parts = Vec::new();
        let last = own.last().copied().unwrap_or_default();
        let begins = |step: usize| {
            let mut before = self.before_of(&self.steps[step]);
            let is_first = !before.any(|it| own.contains(&it) && !self.is_free(it));
            is_first && self.steps[step].is_pointwise() && step != last
        };
        let without = own.iter().filter(|&&it| begins(it)).map(|&it| Some(it));
        let ends = own.iter().rev().skip(1);
        let tried = without.map(|first| (last, first));
        for (last, first) in tried.chain(ends.map(|&last| (last, None))) {
            // A part must leave out something that costs time, or it is the whole chain again.
            let is_left = |of_part: &Vec<usize>| {
                let mut others = own.iter().filter(|it| !of_part.contains(it));
                others.any(|&it| !self.is_free(it))
            };
            let of_part = || {
                // A part takes in nothing from outside of a chain that was cut, or its own parts
                // would be as large as the chain again.
                let is_within = |it: usize| Some(it) != first && own.contains(&it);
                self.own(last, users, &is_within).filter(is_left)
            };
            if let Some((own, what)) = self.ending(last, of_part, left, &is_taken) {
                own.iter().for_each(|&step| is_taken[step] = true);
                parts.push(self.with_parts(own, what, users, left));
            }
        }
        parts.reverse();
        ModuleChain {
            what,
            steps: self.steps_of(&own),
            parts,
            siblings: Vec::new(),
        }
    }

    /// Returns the operation at this byte offset behind its own preceding operations.
    ///
    /// Preceding operations belong to it if nothing else uses them or if they cost nothing, and
    /// if `is_taken_in` selects them.
    pub(in crate::linalg) fn with_own(
        &self,
        place: usize,
        users: &Users,
        is_taken_in: impl Fn(&ChainStep<'a>) -> bool,
    ) -> Option<Vec<&ChainStep<'a>>> {
        let is_taken_in = |it: usize| self.is_free(it) || is_taken_in(&self.steps[it]);
        let Some(last) = self.places.get(&place) else {
            // The operation is a named one.
            let named = self.named.get(&place)?;
            let before = self.own_before(Vec::new(), named, users, (&is_taken_in, &|_| false))?;
            let before = before.into_iter().map(|it| &self.steps[it]);
            return Some(before.chain([named]).collect());
        };
        let own = self.own(*last, users, &is_taken_in)?;
        Some(own.into_iter().map(|it| &self.steps[it]).collect())
    }

    /// Returns the numbers of an operation's results that anything uses. A named operation counts
    /// as used.
    pub(in crate::linalg) fn read_results(
        &self,
        step: &ChainStep<'a>,
        users: &Users,
    ) -> Vec<usize> {
        let Some(&step) = self.places.get(&step.place.offset()) else {
            return (0..step.results()).collect();
        };
        let used = self.results_beside(step, &[], users).into_iter();
        let numbers = used.filter_map(|source| match source {
            ValueSource::Defined(_, number) => Some(number),
            ValueSource::Argument(_) => None,
        });
        numbers.collect()
    }

    /// Returns the operation that widens a result of the one at this byte offset, if nothing else
    /// uses a result of that.
    pub(in crate::linalg) fn widening_of(
        &self,
        place: usize,
        users: &Users,
    ) -> Option<&ChainStep<'a>> {
        let &[user] = &users.get(&place)?[..] else {
            return None;
        };
        let is_otherwise = |result: usize| {
            let source = ValueSource::Defined(place, result);
            self.used_otherwise.contains_key(&source)
        };
        let is_alone = !(0..super::body::MAX_OPERANDS).any(is_otherwise);
        let widening = &self.steps[user];
        (is_alone && widening.is_widening()).then_some(widening)
    }

    /// Returns the earlier operations with results that this one uses.
    pub(super) fn before_of(&self, step: &ChainStep<'a>) -> impl Iterator<Item = usize> {
        let begin = step.place.offset();
        step.operands
            .iter()
            .filter_map(move |operand| match operand.source {
                ValueSource::Defined(place, _) if place < begin => self.places.get(&place).copied(),
                _ => None,
            })
    }

    /// Returns whether an operation costs nothing.
    pub(super) fn is_free(&self, number: usize) -> bool {
        self.steps[number].is_free()
    }

    /// Returns the operations that `last` needs and that nothing else uses, in order, itself
    /// last.
    ///
    /// Operations that cost nothing are included, whatever else uses them. Refused operations are
    /// not, nor are their operands. The result is none if there are too many.
    pub(super) fn own(
        &self,
        last: usize,
        users: &Users,
        is_taken_in: &dyn Fn(usize) -> bool,
    ) -> Option<Vec<usize>> {
        self.own_before(
            vec![last],
            &self.steps[last],
            users,
            (is_taken_in, &|_| false),
        )
    }

    /// Returns the same for an operation that is in `own` only if it is a step. An operation that
    /// `is_repeated` selects may have other users.
    pub(super) fn own_before(
        &self,
        mut own: Vec<usize>,
        last: &ChainStep<'a>,
        users: &Users,
        (is_taken_in, is_repeated): (&dyn Fn(usize) -> bool, &dyn Fn(usize) -> bool),
    ) -> Option<Vec<usize>> {
        // A named operation counts as another user, so its own uses are subtracted.
        let is_named = own.is_empty();
        let by_last = |source: &ValueSource<'a>| {
            let operands = last.operands.iter();
            operands
                .filter(|it| is_named && it.source == *source)
                .count()
        };
        let mut next = BinaryHeap::new();
        next.extend(self.before_of(last));
        // The latest operation comes first, so that all its users are known.
        while let Some(number) = next.pop() {
            if own.contains(&number) || !is_taken_in(number) {
                continue;
            }
            let place = self.steps[number].place.offset();
            let mut users = users.get(&place).into_iter().flatten();
            let is_own = users.all(|user| own.contains(user))
                && !(0..super::body::MAX_OPERANDS).any(|result| {
                    let source = ValueSource::Defined(place, result);
                    let uses = self.used_otherwise.get(&source);
                    uses.is_some_and(|uses| *uses > by_last(&source))
                });
            if self.is_free(number) || is_own || is_repeated(number) {
                own.push(number);
                next.extend(self.before_of(&self.steps[number]));
            }
            if own.len() > MAX_STEPS {
                return None;
            }
        }
        own.reverse();
        Some(own)
    }
}
