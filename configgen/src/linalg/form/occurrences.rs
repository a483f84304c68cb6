//! Occurrences of a form: all operations of a module that its matcher finds.
//!
//! A matcher compares operations and types. It knows neither the users of a value nor the order of
//! the text. It may therefore find a form in more places than the reader did.

use std::collections::HashMap;

use super::super::chain::Chains;
use super::super::chain::module_chains::Users;
use super::super::chain::step::{ChainStep, ValueSource};
use super::form_builder::FormBuilder;
use super::{FormOperation, OperationForm, TensorSource, Type};
use crate::comparator::ScalarType;

impl OperationForm {
    /// Returns whether a kernel may replace every occurrence.
    ///
    /// The kernel is launched at the first kept result, and iree-compile ends if an input comes
    /// later. A result that the kernel does not compute must have no users.
    pub(in crate::linalg) fn is_right_everywhere(
        &self,
        chains: &Chains<'_>,
        users: &Users,
    ) -> bool {
        let kept = self.outputs.iter().find_map(|it| it.producer.as_ref());
        let first = kept.and_then(|it| self.producer(&it.operands));
        let is_known = |result: usize| self.outputs[result].result.is_some();
        chains.steps().all(|last| {
            let Some(steps) = self.occurrence(chains, last) else {
                return true;
            };
            let place = first.map(|it| steps[it].place.offset());
            let is_before = |source: ValueSource<'_>| match (source, place) {
                (ValueSource::Defined(at, _), Some(place)) => at < place,
                _ => true,
            };
            self.given(&steps).all(is_before)
                && chains.read_results(last, users).into_iter().all(is_known)
        })
    }

    /// Returns the part at the end of these operands, from the last part on.
    fn producer(&self, operands: &[usize]) -> Option<usize> {
        let last = self.parts.len().checked_sub(1);
        operands.iter().try_fold(last?, |part, &number| {
            match self.parts[part].operands.get(number)?.0 {
                TensorSource::Result(before, _) => Some(before),
                TensorSource::Argument(_) => None,
            }
        })
    }

    /// Returns the operation of each part, if the form ends with this one.
    fn occurrence<'s, 'a>(
        &self,
        chains: &'s Chains<'a>,
        last: &'s ChainStep<'a>,
    ) -> Option<Vec<&'s ChainStep<'a>>> {
        let mut steps: Vec<Option<&ChainStep<'a>>> = vec![None; self.parts.len()];
        *steps.last_mut()? = Some(last);
        // Users come after their operands, so each part has its operation when its turn comes.
        for (number, part) in self.parts.iter().enumerate().rev() {
            let step = steps[number]?;
            if !is_same(part, step) {
                return None;
            }
            for ((operand, _), source) in part.operands.iter().zip(sources(step)) {
                let TensorSource::Result(before, _) = *operand else {
                    continue;
                };
                // A matcher does not compare the number of a result.
                let ValueSource::Defined(place, _) = source else {
                    return None;
                };
                let made = chains.at(place)?;
                let known = *steps[before].get_or_insert(made);
                if known.place.offset() != made.place.offset() {
                    return None;
                }
            }
        }
        let mut known: HashMap<usize, ValueSource<'a>> = HashMap::new();
        let steps: Vec<&ChainStep<'a>> = steps.into_iter().collect::<Option<_>>()?;
        let is_one = self.arguments_of(&steps).all(|(number, source)| {
            let first = *known.entry(number).or_insert(source);
            first == source
        });
        is_one.then_some(steps)
    }

    /// Returns the values of the inputs in these operations.
    fn given<'a>(&self, steps: &[&ChainStep<'a>]) -> impl Iterator<Item = ValueSource<'a>> {
        let all = self.arguments_of(steps);
        all.filter(|it| it.0 < self.input_arguments())
            .map(|it| it.1)
    }

    /// Returns the number and the value of each operand from outside.
    fn arguments_of<'a>(
        &self,
        steps: &[&ChainStep<'a>],
    ) -> impl Iterator<Item = (usize, ValueSource<'a>)> {
        let pairs = self.parts.iter().zip(steps);
        pairs.flat_map(|(part, step)| {
            let operands = part.operands.iter().zip(sources(step));
            operands.filter_map(|((operand, _), source)| match *operand {
                TensorSource::Argument(number) => Some((number, source)),
                TensorSource::Result(..) => None,
            })
        })
    }
}

/// Returns the sources of all operands of an operation, in the order of a form's.
fn sources<'s, 'a>(step: &'s ChainStep<'a>) -> impl Iterator<Item = ValueSource<'a>> + 's {
    step.operands.iter().chain(&step.filled).map(|it| it.source)
}

/// Returns whether a matcher finds this operation for a part, apart from its operands.
fn is_same(part: &FormOperation, step: &ChainStep<'_>) -> bool {
    // An open size of a pattern matches any.
    let is_of_type = |pattern: &Type, sizes: &[Option<u64>], element: ScalarType| {
        let mut both = pattern.sizes.iter().zip(sizes);
        pattern.element == element
            && pattern.sizes.len() == sizes.len()
            && both.all(|(pattern, found)| pattern.is_none() || pattern == found)
    };
    let mut operands = part
        .operands
        .iter()
        .zip(step.operands.iter().chain(&step.filled));
    // Types come first, because a body costs more to compare.
    part.operands.len() == step.operands.len() + step.filled.iter().count()
        && operands.all(|((_, kind), found)| is_of_type(kind, &found.sizes, found.element))
        && FormBuilder::alone(step).is_some_and(|found| {
            let mut results = part.results.iter().zip(&found.results);
            found.what == part.what
                && part.results.len() == found.results.len()
                && results.all(|(one, other)| is_of_type(one, &other.sizes, other.element))
        })
}
