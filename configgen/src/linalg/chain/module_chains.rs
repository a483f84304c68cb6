//! The chains of a whole module in replaceable form: each with all operations that nothing else
//! uses.
//!
//! A value with another user is computed anyway, so it is an input of the chain. A chain may end
//! at any operation. If two chains share operations, the later one wins, because it has more of
//! them.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::recognition::{ChainProblem, recognise};
use super::row_program::{self, NoProgram, ProgramRules};
use super::step::{ChainStep, ValueSource};
use super::{Chains, MAX_STEPS, build};

/// The largest number of chains in a module for which expressions are built.
const MAX_BUILT: usize = 4096;

/// The largest number of operations before a chain's reductions that may stay outside.
pub(super) const MAX_CUT: usize = 8;

/// The largest number of sets of operations that are tried as programs.
const MAX_PROGRAMS: usize = 1 << 16;

/// The largest number of times that a program is cut before it is given up.
const MAX_CUTS: usize = 16;

/// The largest number of reductions that give one program its dimensions by trial.
const MAX_SPACES: usize = 4;

/// A chain that is a row operation.
pub(in crate::linalg) struct ModuleChain<'s, 'a> {
    pub(in crate::linalg) what: ChainProblem<'a>,
    /// Its operations in the order of the text.
    pub(in crate::linalg) steps: Vec<&'s ChainStep<'a>>,
    /// The smaller row operations inside of it.
    pub(in crate::linalg) parts: Vec<ModuleChain<'s, 'a>>,
}

/// The operations of a chain, its end last, with the problem that they are.
type Ending<'a> = (Vec<usize>, ChainProblem<'a>);

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
        let mut found: Vec<Ending<'a>> = Vec::new();
        let mut left = MAX_BUILT;
        let programs = Cell::new(MAX_PROGRAMS);
        // From the end, so that the longest chain takes its operations first.
        for last in (0..self.steps.len()).rev() {
            let own = || self.own(last, users, &|_| true);
            let ending = (self.ending(last, own, &mut left, &is_taken)).or_else(|| {
                let named = self.cut_ending(last, users, &mut left, &is_taken);
                let program = self.program_ending(last, (users, rules), (&is_taken, &programs));
                self.larger(named, program)
            });
            if let Some((own, what)) = ending {
                own.iter().for_each(|&step| is_taken[step] = true);
                found.push((own, what));
            }
        }
        let mut left = MAX_BUILT;
        let found = found.into_iter().rev();
        found
            .map(|(own, what)| self.with_parts(own, what, users, &mut left))
            .collect()
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

    /// Returns the row program that ends with `last`. Operations that no program has stay
    /// outside.
    fn program_ending(
        &self,
        last: usize,
        (users, rules): (&Users, ProgramRules),
        (is_taken, left): (&[bool], &Cell<usize>),
    ) -> Option<Ending<'a>> {
        let is_matched = |it: usize| (rules.is_matched)(&self.steps[it]);
        if is_taken[last] || self.is_free(last) || !is_matched(last) {
            return None;
        }
        let own = |outside: &[usize]| {
            let is_free = |it: usize| is_matched(it) && !(self.steps[it].reduces() && is_taken[it]);
            // Widening is repeated: a program reads the narrow elements.
            let is_repeated = |it: usize| self.steps[it].is_widening();
            let is_taken_in = |it: usize| is_free(it) && !outside.contains(&it);
            self.own_before(
                vec![last],
                &self.steps[last],
                users,
                (&is_taken_in, &is_repeated),
            )
        };
        let own = |outside: &[usize]| {
            left.set(left.get().checked_sub(1)?);
            own(outside)
        };
        let whole = own(&[])?;
        let is_space = |it: &&usize| self.steps[**it].reduces();
        let spaces = whole.iter().rev().filter(is_space).take(MAX_SPACES);
        spaces.into_iter().find_map(|&space| {
            let found = match self.cut_program(last, space, &own, Vec::new()) {
                Err(Some(outside)) => self.halved_program(last, space, &own, &outside),
                other => other.ok(),
            };
            found.filter(|(own, _)| self.is_more(own, rules))
        })
    }

    /// Cuts operations until the others are a program.
    ///
    /// # Errors
    /// Returns the cut operations if the others are too many, and else none.
    fn cut_program(
        &self,
        last: usize,
        space: usize,
        own: &dyn Fn(&[usize]) -> Option<Vec<usize>>,
        mut outside: Vec<usize>,
    ) -> Result<Ending<'a>, Option<Vec<usize>>> {
        for _ in 0..MAX_CUTS {
            let steps = own(&outside).ok_or(None)?;
            let place = steps.iter().position(|it| *it == space).ok_or(None)?;
            let read: Vec<&ChainStep<'a>> = steps.iter().map(|&it| &self.steps[it]).collect();
            match row_program::program(&read, place) {
                Ok(what) => return Ok((steps, what)),
                Err(NoProgram::TooLarge) => return Err(Some(outside)),
                Err(NoProgram::Culprits(culprits)) => {
                    let before = outside.len();
                    outside.extend(culprits.into_iter().map(|it| steps[it]));
                    // Without its end or its reduction there is no program.
                    let is_lost = [last, space].iter().any(|it| outside.contains(it));
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
        last: usize,
        space: usize,
        own: &dyn Fn(&[usize]) -> Option<Vec<usize>>,
        outside: &[usize],
    ) -> Option<Ending<'a>> {
        let whole = own(outside)?;
        let cuts = whole
            .iter()
            .filter(|&&it| it != last && self.steps[it].is_pointwise());
        let cut = cuts.filter_map(|&it| {
            let outside = [outside, &[it]].concat();
            self.cut_program(last, space, own, outside).ok()
        });
        cut.min_by_key(|(own, what)| {
            let reductions = own.iter().filter(|&&it| self.steps[it].reduces()).count();
            (what.inputs.len(), Reverse(reductions))
        })
    }

    /// Returns whether these operations are more than one reduction with a function before it.
    fn is_more(&self, own: &[usize], rules: ProgramRules) -> bool {
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
            steps: own.iter().map(|&it| &self.steps[it]).collect(),
            parts,
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
    fn before_of(&self, step: &ChainStep<'a>) -> impl Iterator<Item = usize> {
        let begin = step.place.offset();
        step.operands
            .iter()
            .filter_map(move |operand| match operand.source {
                ValueSource::Defined(place, _) if place < begin => self.places.get(&place).copied(),
                _ => None,
            })
    }

    /// Returns whether an operation costs nothing.
    fn is_free(&self, number: usize) -> bool {
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
    fn own_before(
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
