//! From operations as they were read to a form.

use std::collections::HashMap;

use super::super::chain::step::{Kind, Named, Source, Step, Used};
use super::super::header::Name;
use super::scalar::Body;
use super::{Form, Operand, Output, Part, Type, What};
use crate::reduction::Extent;
use crate::{IndexMap, Problem};

impl Form {
    /// The form of the last of these operations, which is this problem, computed of the others and of these inputs; `outputs` says of
    /// each of its results which of the problem's results it is. `None` where something is in it that no matcher is printed for.
    pub(in crate::linalg) fn of<'a>(
        problem: &Problem,
        steps: &[&Step<'a>],
        inputs: &[Source<'a>],
        outputs: &[usize],
    ) -> Option<Form> {
        let mut made = Made {
            steps: HashMap::new(),
            arguments: vec![None; inputs.len()],
            numbers: inputs.iter().copied().zip(0..).collect(),
            parts: Vec::new(),
        };
        for step in steps {
            made.steps.insert(step.place.offset(), made.parts.len());
            let part = made.part(step)?;
            made.parts.push(part);
        }
        let last = made.parts.last()?;
        // Which of several results is used a matcher does not compare.
        let (_, before) = made.parts.split_last()?;
        let differ = |part: &Part| {
            let of = |kind: &Type| part.results.iter().filter(|it| *it == kind).count();
            part.results.iter().all(|kind| of(kind) == 1)
        };
        if !before.iter().all(differ) || last.results.len() != outputs.len() {
            return None;
        }
        let outputs = last.results.iter().zip(outputs);
        let outputs = outputs.map(|(kind, &result)| Output {
            kind: kind.clone(),
            result,
        });
        let form = Form {
            name: name(steps)?,
            inputs: inputs.len(),
            outputs: outputs.collect(),
            arguments: made.arguments.into_iter().collect::<Option<_>>()?,
            parts: made.parts,
        };
        form.is_open_as(problem).then_some(form)
    }

    /// Whether those sizes are known at launch only that belong to the problem's count, and between inputs and outputs one of a tensor at most: a
    /// module may know of one size in one place, and not in another.
    fn is_open_as(&self, problem: &Problem) -> bool {
        let open = |kind: &Type| kind.sizes.iter().filter(|size| size.is_none()).count();
        let is = |kind: &Type, map: &IndexMap| {
            let counted = map.dimensions().filter(|&d| problem.shape.is_counted(d));
            counted.count() == open(kind)
        };
        let parts = self.parts.iter();
        let mut between =
            parts.flat_map(|it| it.results.iter().chain(it.operands.iter().map(|it| &it.1)));
        let maps = problem.operands().into_iter().map(|it| it.map);
        let maps = [Extent::Elements.map(&problem.shape)]
            .into_iter()
            .chain(maps);
        let mut inputs = self.arguments[..self.inputs].iter().zip(maps);
        let results = problem.results();
        let mut outputs = self.outputs.iter();
        between.all(|kind| open(kind) <= 1)
            && inputs.all(|(kind, map)| is(kind, &map))
            && outputs.all(|it| is(&it.kind, &results[it.result].extent.map(&problem.shape)))
    }
}

/// A word for such operations.
fn name(steps: &[&Step<'_>]) -> Option<&'static str> {
    let (last, before) = steps.split_last()?;
    let is_alone = before.iter().all(|it| matches!(it.kind, Kind::Fill(..)));
    Some(match &last.kind {
        Kind::Named(Named::Softmax(_)) if is_alone => "softmax",
        Kind::Named(Named::Product(_)) if is_alone => "product",
        Kind::Named(Named::ArgCompare(..)) if is_alone => "arg_compare",
        Kind::Generic { name, .. } if is_alone => match name {
            Name::Generic => "generic",
            Name::Reduce => "reduce",
        },
        _ => "chain",
    })
}

struct Made<'a> {
    /// The parts, by where their operations begin.
    steps: HashMap<usize, usize>,
    /// The types of the arguments; of an input that was not met there is none yet.
    arguments: Vec<Option<Type>>,
    /// The number of each argument.
    numbers: HashMap<Source<'a>, usize>,
    parts: Vec<Part>,
}

impl<'a> Made<'a> {
    fn part(&mut self, step: &Step<'a>) -> Option<Part> {
        let operands = step.operands.iter().chain(&step.filled);
        let operands = operands.map(|operand| self.operand(operand));
        let operands = operands.collect::<Option<Vec<_>>>()?;
        let of_last = || operands.last().map(|(_, kind)| vec![kind.clone()]);
        let (what, results) = match &step.kind {
            Kind::Fill(bits, scalar) => {
                let results = step.filled.as_ref().and_then(|_| of_last())?;
                (What::Fill(*bits, *scalar), results)
            }
            Kind::Splat(bits, scalar, sizes) => {
                let kind = Type {
                    sizes: sizes.clone(),
                    element: *scalar,
                };
                (What::Splat(*bits), vec![kind])
            }
            Kind::Named(Named::Softmax(dimension)) => (What::Softmax(*dimension), of_last()?),
            Kind::Named(Named::Product(product)) => (What::Product(product.clone()), of_last()?),
            Kind::Named(Named::ArgCompare(dimension, region)) => {
                let results = operands.iter().skip(1).map(|(_, kind)| kind.clone());
                let results = results.collect();
                (What::ArgCompare(*dimension, region.clone()), results)
            }
            Kind::Reshape { to, groups, .. } => {
                let (_, from) = operands.first()?;
                let kind = Type {
                    sizes: to.to_vec(),
                    element: from.element,
                };
                (What::Reshape(groups.clone()?), vec![kind])
            }
            Kind::Generic {
                name,
                inputs,
                accesses,
                reduced,
                body,
            } => {
                let what = What::Generic {
                    name: *name,
                    inputs: *inputs,
                    accesses: accesses.clone(),
                    reduced: reduced.clone(),
                    body: Body::of(body.as_ref().ok()?)?,
                };
                let results = operands.iter().skip(*inputs);
                (what, results.map(|(_, kind)| kind.clone()).collect())
            }
            Kind::Refused(_) => return None,
        };
        Some(Part {
            what,
            operands,
            results,
        })
    }

    fn operand(&mut self, used: &Used<'a>) -> Option<(Operand, Type)> {
        let kind = Type {
            sizes: used.sizes.to_vec(),
            element: used.element,
        };
        let number = self.numbers.get(&used.source).copied();
        let part = match used.source {
            Source::Defined(place, result) => self.steps.get(&place).map(|&part| (part, result)),
            Source::Argument(_) => None,
        };
        let operand = match (number, part) {
            (Some(number), _) => {
                self.arguments[number].get_or_insert_with(|| kind.clone());
                Operand::Argument(number)
            }
            (None, Some((part, result))) => Operand::Result(part, result),
            // The form has what is empty and open, so that it has an open size.
            (None, None) if kind.open().is_some() && !used.is_empty => return None,
            (None, None) => {
                let number = self.arguments.len();
                self.arguments.push(Some(kind.clone()));
                self.numbers.insert(used.source, number);
                Operand::Argument(number)
            }
        };
        Some((operand, kind))
    }
}
