//! The chains of a whole module, as they are replaced: each with all operations that are of use to nobody else.
//!
//! What something else uses, too, is computed in any case, and is an input to the chain. A chain may end at any operation, and of two
//! that have operations in common the one that ends later is taken, which has more of them.

use std::collections::{BinaryHeap, HashMap};

use super::recognise::{Recognised, recognise};
use super::step::{Kind, Source, Step};
use super::{Chains, MAX_STEPS, build};

/// The most chains of a module of which expressions are made.
const MAX_BUILT: usize = 4096;

/// A chain that is a row operation.
pub(in crate::linalg) struct Whole<'s, 'a> {
    pub(in crate::linalg) what: Recognised<'a>,
    /// Its operations in the order of the text.
    pub(in crate::linalg) steps: Vec<&'s Step<'a>>,
}

impl<'a> Chains<'a> {
    /// The chains of the text that are row operations. No operation that reduces is in two of them.
    pub(in crate::linalg) fn whole(&self) -> Vec<Whole<'_, 'a>> {
        let mut users: HashMap<usize, Vec<usize>> = HashMap::new();
        for (number, step) in self.steps.iter().enumerate() {
            for operand in step.operands.iter().chain(&step.filled) {
                if let Source::Defined(place, _) = operand.source {
                    users.entry(place).or_default().push(number);
                }
            }
        }
        let mut is_taken = vec![false; self.steps.len()];
        let mut found = Vec::new();
        let mut built = 0;
        for (number, last) in self.steps.iter().enumerate().rev() {
            if is_taken[number] || !self.ends_pointwise(number) || built == MAX_BUILT {
                continue;
            }
            let Some(numbers) = self.own(number, &users) else {
                continue;
            };
            let steps: Vec<&Step<'a>> = numbers.iter().map(|&it| &self.steps[it]).collect();
            let reduces = |it: &usize| self.steps[*it].reduces();
            if !numbers.iter().any(reduces) || numbers.iter().any(|it| reduces(it) && is_taken[*it])
            {
                continue;
            }
            built += 1;
            let Ok(expression) = build::build(&steps, last) else {
                continue;
            };
            let is_result = |source: &Source<'a>| matches!(source, Source::Defined(at, _) if *at == last.place.offset());
            if let Some(Ok(what)) = recognise(expression, last.place, is_result) {
                for &step in &numbers {
                    is_taken[step] = true;
                }
                found.push(Whole { what, steps });
            }
        }
        found.reverse();
        found
    }

    /// The operations of which this one is computed and that are of no use to others, in their order, itself last. What costs nothing
    /// is among them whoever uses it. `None` where there are too many.
    fn own(&self, last: usize, users: &HashMap<usize, Vec<usize>>) -> Option<Vec<usize>> {
        let mut own = vec![last];
        let mut next = BinaryHeap::new();
        let before = |number: usize| {
            let operands = self.steps[number].operands.iter();
            operands.filter_map(move |operand| match operand.source {
                Source::Defined(place, _) => {
                    let step = *self.places.get(&place)?;
                    (step < number).then_some(step)
                }
                Source::Argument(_) => None,
            })
        };
        next.extend(before(last));
        // The latest first: those that use it are known then.
        while let Some(number) = next.pop() {
            if own.contains(&number) {
                continue;
            }
            let step = &self.steps[number];
            let place = step.place.offset();
            let is_free = matches!(step.kind, Kind::Fill(..) | Kind::Reshape { .. });
            let mut users = users.get(&place).into_iter().flatten();
            let is_own = users.all(|user| own.contains(user))
                && !(0..super::body::MAX_OPERANDS).any(|result| {
                    self.used_otherwise
                        .contains(&Source::Defined(place, result))
                });
            if is_free || is_own {
                own.push(number);
                next.extend(before(number));
            }
            if own.len() > MAX_STEPS {
                return None;
            }
        }
        own.reverse();
        Some(own)
    }
}
