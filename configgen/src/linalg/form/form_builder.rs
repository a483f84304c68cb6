//! The builder: creates an operation form from parsed operations.

use std::collections::HashMap;

use super::super::chain::step::{
    ChainOperand, ChainStep, ChainStepKind, NamedOperation, ValueSource,
};
use super::super::header::LinalgName;
use super::scalar::ScalarBody;
use super::{
    FormOperation, FormOperationKind, FormOutput, OperationForm, ProducerResult, TensorSource, Type,
};
use crate::reduction::Extent;
use crate::{IndexMap, Problem};

impl OperationForm {
    /// Returns the form of the last of these operations with the others as its producers.
    ///
    /// It computes `problem` from `inputs`. `outputs` gives the number of the problem's result
    /// for each of its results, or none for one that nothing reads. `kept` are results of
    /// producers, the problem's last ones. The form is none if a part of it has no printable
    /// matcher.
    pub(in crate::linalg) fn of<'a>(
        problem: &Problem,
        steps: &[&ChainStep<'a>],
        inputs: &[ValueSource<'a>],
        (outputs, kept): (&[Option<usize>], &[ValueSource<'a>]),
    ) -> Option<OperationForm> {
        // Several inputs may be views of one tensor.
        let mut tensors: Vec<ValueSource<'a>> = Vec::new();
        let numbers = inputs.iter().map(|source| {
            let known = tensors.iter().position(|it| it == source);
            known.unwrap_or_else(|| {
                tensors.push(*source);
                tensors.len() - 1
            })
        });
        let numbers: Vec<usize> = numbers.collect();
        let mut made = FormBuilder {
            steps: HashMap::new(),
            arguments: vec![None; tensors.len()],
            numbers: tensors.into_iter().zip(0..).collect(),
            parts: Vec::new(),
        };
        for step in steps {
            let part = made.part(step)?;
            // A call in place of a gather has one result, and converts no type.
            let mut kinds = part.operands.iter().map(|it| &it.1);
            let is_callable = part.results.len() == 1 && kinds.all(|it| it.open().is_none());
            if part.is_gather() && !is_callable {
                return None;
            }
            made.parts.push(part);
            made.steps.insert(step.place.offset(), made.parts.len() - 1);
        }
        let last = made.parts.last()?;
        // A matcher does not compare the number of a producer's result, so these must differ in
        // type.
        let (_, before) = made.parts.split_last()?;
        let differ = |part: &FormOperation| {
            let of = |kind: &Type| part.results.iter().filter(|it| *it == kind).count();
            part.results.iter().all(|kind| of(kind) == 1)
        };
        if !before.iter().all(differ) || last.results.len() != outputs.len() {
            return None;
        }
        let outputs = last.results.iter().zip(outputs);
        let outputs = outputs.map(|(kind, &result)| FormOutput {
            kind: kind.clone(),
            result,
            producer: None,
        });
        let kept = kept.iter().zip(last.results.len()..);
        let kept = kept.map(|(source, result)| made.kept(*source, result));
        let outputs = outputs.map(Some).chain(kept);
        let form = OperationForm {
            name: name(steps)?,
            inputs: numbers,
            outputs: outputs.collect::<Option<_>>()?,
            arguments: made.arguments.into_iter().collect::<Option<_>>()?,
            parts: made.parts,
            others: Vec::new(),
        };
        // The checks come last, because they need the types of all parts.
        form.is_open_as(problem).then_some(form)
    }

    /// Returns whether the form's open sizes are exactly those of the problem's count.
    ///
    /// The first input has all of them, and other inputs and results have all or none. Tensors
    /// between inputs and outputs may have fewer: a module may know a size in one place and not in
    /// another.
    fn is_open_as(&self, problem: &Problem) -> bool {
        let open = |kind: &Type| kind.open_dimensions().count();
        let all = open(&self.arguments[0]);
        let is = |kind: &Type, map: &IndexMap| {
            let is_counted = map.dimensions().any(|d| problem.shape.is_counted(d));
            open(kind) == if is_counted { all } else { 0 }
        };
        let parts = self.parts.iter();
        let mut between =
            parts.flat_map(|it| it.results.iter().chain(it.operands.iter().map(|it| &it.1)));
        let maps = problem.operands().into_iter().map(|it| it.map);
        let maps = [Extent::Elements.map(&problem.shape)]
            .into_iter()
            .chain(maps);
        let mut inputs = self.inputs().map(|it| it.1).zip(maps);
        let results = problem.results();
        let mut outputs = self.outputs.iter();
        between.all(|kind| open(kind) <= all.max(1))
            && inputs.all(|(kind, map)| is(kind, &map))
            && outputs.all(|it| match it.result {
                Some(result) => is(&it.kind, &results[result].extent.map(&problem.shape)),
                None => [0, all].contains(&open(&it.kind)),
            })
    }
}

/// Returns whether a matcher can compare an operation.
pub(in crate::linalg) fn is_printable(step: &ChainStep<'_>) -> bool {
    match &step.kind {
        ChainStepKind::Fill(..) => step.filled.is_some(),
        ChainStepKind::Reshape { groups, .. } => groups.is_some(),
        ChainStepKind::Generic { .. } => ScalarBody::of(step).is_some(),
        ChainStepKind::Splat(..) | ChainStepKind::Named(_) => true,
        ChainStepKind::Refused(_) => false,
    }
}

/// Returns a word for such operations.
fn name(steps: &[&ChainStep<'_>]) -> Option<&'static str> {
    let (last, before) = steps.split_last()?;
    let is_alone = before
        .iter()
        .all(|it| matches!(it.kind, ChainStepKind::Fill(..)));
    Some(match &last.kind {
        ChainStepKind::Named(NamedOperation::Softmax(_)) if is_alone => "softmax",
        ChainStepKind::Named(NamedOperation::Product(_)) if is_alone => "product",
        ChainStepKind::Named(NamedOperation::ArgCompare(..)) if is_alone => "arg_compare",
        ChainStepKind::Generic { name, .. } if is_alone => match name {
            LinalgName::Generic => "generic",
            LinalgName::Reduce => "reduce",
        },
        _ => "chain",
    })
}

pub(super) struct FormBuilder<'a> {
    /// The parts, by byte offset of their operations.
    steps: HashMap<usize, usize>,
    /// The types of the arguments; none for an input that has not occurred yet.
    arguments: Vec<Option<Type>>,
    /// The number of each argument.
    numbers: HashMap<ValueSource<'a>, usize>,
    parts: Vec<FormOperation>,
}

impl<'a> FormBuilder<'a> {
    /// Returns the part of an operation on its own, with arguments for all its operands.
    pub(super) fn alone(step: &ChainStep<'a>) -> Option<FormOperation> {
        let operands = step.operands.iter().chain(&step.filled);
        let numbers: HashMap<ValueSource<'a>, usize> =
            operands.map(|it| it.source).zip(0..).collect();
        let mut made = FormBuilder {
            steps: HashMap::new(),
            arguments: vec![None; step.operands.len() + 1],
            numbers,
            parts: Vec::new(),
        };
        made.part(step)
    }

    fn part(&mut self, step: &ChainStep<'a>) -> Option<FormOperation> {
        // A fill's output has no other role, so it is an operand of the form's part.
        let operands = step.operands.iter().chain(&step.filled);
        let operands = operands.map(|operand| self.operand(operand));
        let operands = operands.collect::<Option<Vec<_>>>()?;
        let of_last = || operands.last().map(|(_, kind)| vec![kind.clone()]);
        let (what, results) = match &step.kind {
            ChainStepKind::Fill(bits, scalar) => {
                let results = step.filled.as_ref().and_then(|_| of_last())?;
                (FormOperationKind::Fill(*bits, *scalar), results)
            }
            ChainStepKind::Splat(bits, scalar, sizes) => {
                let kind = Type {
                    sizes: sizes.clone(),
                    element: *scalar,
                };
                (FormOperationKind::Splat(*bits), vec![kind])
            }
            ChainStepKind::Named(NamedOperation::Softmax(dimension)) => {
                (FormOperationKind::Softmax(*dimension), of_last()?)
            }
            ChainStepKind::Named(NamedOperation::Product(product)) => {
                (FormOperationKind::Product(product.clone()), of_last()?)
            }
            ChainStepKind::Named(NamedOperation::ArgCompare(dimension, region)) => {
                let results = operands.iter().skip(1).map(|(_, kind)| kind.clone());
                let results = results.collect();
                (
                    FormOperationKind::ArgCompare(*dimension, region.clone()),
                    results,
                )
            }
            ChainStepKind::Named(NamedOperation::Slice(operation, sizes)) => {
                let (_, from) = operands.first()?;
                let kind = Type {
                    sizes: sizes.iter().copied().map(Some).collect(),
                    element: from.element,
                };
                (FormOperationKind::Slice(operation.clone()), vec![kind])
            }
            ChainStepKind::Reshape { to, groups, .. } => {
                let (_, from) = operands.first()?;
                let kind = Type {
                    // An unparsed grouping cannot be printed.
                    sizes: to.to_vec(),
                    element: from.element,
                };
                (FormOperationKind::Reshape(groups.clone()?), vec![kind])
            }
            ChainStepKind::Generic {
                name,
                inputs,
                accesses,
                reduced,
                ..
            } => {
                let what = FormOperationKind::Generic {
                    name: *name,
                    inputs: *inputs,
                    accesses: accesses.clone(),
                    reduced: reduced.clone(),
                    body: ScalarBody::of(step)?,
                };
                let results = operands.iter().skip(*inputs);
                (what, results.map(|(_, kind)| kind.clone()).collect())
            }
            ChainStepKind::Refused(_) => return None,
        };
        Some(FormOperation {
            what,
            operands,
            results,
        })
    }

    /// Returns a result of a producer.
    fn kept(&self, source: ValueSource<'a>, result: usize) -> Option<FormOutput> {
        let ValueSource::Defined(place, number) = source else {
            return None;
        };
        let part = *self.steps.get(&place)?;
        let producer = ProducerResult {
            operands: self.path(self.parts.len() - 1, part)?,
            number,
        };
        Some(FormOutput {
            kind: self.parts[part].results.get(number)?.clone(),
            result: Some(result),
            producer: Some(producer),
        })
    }

    /// Returns the numbers of the operands that lead from the part `from` to an earlier one.
    fn path(&self, from: usize, to: usize) -> Option<Vec<usize>> {
        // The first way to each part, from the last part on.
        let mut ways: HashMap<usize, Vec<usize>> = HashMap::from([(from, Vec::new())]);
        for part in (to..=from).rev() {
            let Some(way) = ways.get(&part).cloned() else {
                continue;
            };
            for (number, (operand, _)) in self.parts[part].operands.iter().enumerate() {
                if let TensorSource::Result(before, _) = *operand {
                    let on = || [&way[..], &[number]].concat();
                    ways.entry(before).or_insert_with(on);
                }
            }
        }
        ways.remove(&to)
    }

    fn operand(&mut self, used: &ChainOperand<'a>) -> Option<(TensorSource, Type)> {
        let kind = Type::of_operand(used);
        let number = self.numbers.get(&used.source).copied();
        let part = match used.source {
            ValueSource::Defined(place, result) => {
                self.steps.get(&place).map(|&part| (part, result))
            }
            ValueSource::Argument(_) => None,
        };
        let operand = match (number, part) {
            (Some(number), _) => {
                self.arguments[number].get_or_insert_with(|| kind.clone());
                TensorSource::Argument(number)
            }
            (None, Some((part, result))) => TensorSource::Result(part, result),
            // The form makes empty tensors with an open size itself, so that it has the size as
            // an argument.
            (None, None) if kind.open().is_some() && !used.is_empty => return None,
            (None, None) => {
                let number = self.arguments.len();
                self.arguments.push(Some(kind.clone()));
                self.numbers.insert(used.source, number);
                TensorSource::Argument(number)
            }
        };
        Some((operand, kind))
    }
}
