//! The builder: creates the expression of a chain's result from its operations.

use std::collections::HashMap;

use super::body::{BodyOperation, ChainBody, Instruction, MAX_OPERANDS};
use super::dimensions::{ChainDimensions, Dimensions, Leaf, first, result};
use super::expression::Expressions;
use super::node::{Id, Node};
use super::step::{ChainOperand, ChainRefusal, ChainStep, ChainStepKind, ValueSource};
use crate::comparator::{ComparatorError, Opcode, ScalarType};
use crate::reduction::Combining;

/// The result of a chain as an expression.
pub(super) struct ChainExpression<'a> {
    pub(super) expressions: Expressions<'a>,
    pub(super) leaves: Vec<Leaf<'a>>,
    pub(super) root: Id,
    /// The axis numbers of the result's dimensions.
    pub(super) dimensions: Vec<Option<u32>>,
    /// The expressions of all results of the chain's operations.
    pub(super) results: HashMap<ValueSource<'a>, Id>,
}

/// Returns the expression of the result of the last of these operations.
pub(super) fn build<'a>(
    steps: &[&ChainStep<'a>],
    last: &ChainStep<'a>,
) -> Result<ChainExpression<'a>, ComparatorError> {
    let found = ChainDimensions::of(steps);
    let too_long = || {
        last.place
            .error("this chain computes more than any row operation")
    };
    let numbers = found.axes.numbered().ok_or_else(too_long)?;
    let numbered = |dimensions: &Dimensions| -> Vec<Option<u32>> {
        dimensions
            .iter()
            .map(|it| it.map(|it| numbers[it]))
            .collect()
    };
    let mut writer = ExpressionBuilder {
        expressions: Expressions::new(),
        values: HashMap::new(),
        found: &found,
        numbers: &numbers,
    };
    for (step, iteration) in steps.iter().zip(&found.iterations) {
        writer.step(step, iteration);
        // Recognition needs the other half for the candidates' expressions.
        if writer.expressions.is_half_full() {
            return Err(too_long());
        }
    }
    // The result that uses a row's result on the row again decides. Recognition compares the
    // others later.
    let results = (0..MAX_OPERANDS).map(|number| result(last, number));
    let results = results.filter_map(|it| Some((it, *writer.values.get(&it)?)));
    let uses_rows = |it: &(ValueSource<'a>, Id)| writer.expressions.uses_rows_again(it.1);
    let found_root = results.clone().find(uses_rows).or(results.clone().next());
    let Some((source, root)) = found_root else {
        return Err(too_long());
    };
    let ExpressionBuilder {
        expressions,
        values,
        ..
    } = writer;
    // Leaves get numbers instead of axes, because axes are merged no further.
    let dimensions = found.tensors.get(&source).map(numbered).unwrap_or_default();
    let leaves = found.leaves.into_iter().map(|leaf| Leaf {
        dimensions: numbered(&leaf.axes),
        ..leaf
    });
    Ok(ChainExpression {
        leaves: leaves.collect(),
        expressions,
        root,
        dimensions,
        results: values,
    })
}

fn no_part(name: &str) -> String {
    format!("{name} is not part of any row operation")
}

/// The builder of a chain's expressions.
struct ExpressionBuilder<'b, 'a> {
    expressions: Expressions<'a>,
    /// The expressions of the operations' results.
    values: HashMap<ValueSource<'a>, Id>,
    found: &'b ChainDimensions<'a>,
    numbers: &'b [u32],
}

impl<'a> ExpressionBuilder<'_, 'a> {
    fn step(&mut self, step: &ChainStep<'a>, iteration: &Result<Dimensions, ChainRefusal<'a>>) {
        let operands: Vec<(Id, bool)> = step.operands.iter().map(|it| self.operand(it)).collect();
        self.expressions.place = Some(step.place);
        let over = match (iteration, &step.kind) {
            (Ok(iteration), ChainStepKind::Generic { reduced, .. }) => {
                let over = iteration.iter().zip(reduced).filter(|it| *it.1);
                over.filter_map(|it| *it.0).collect()
            }
            _ => Vec::new(),
        };
        let refused = match (iteration, &step.kind) {
            (Err(error), _)
            | (
                _,
                ChainStepKind::Generic {
                    body: Err(error), ..
                },
            ) => Some(error),
            _ => None,
        };
        if let Some(error) = refused {
            self.refuse(step, (&operands, &over), error);
            return;
        }
        let operands: Vec<Id> = operands.into_iter().map(|it| it.0).collect();
        match &step.kind {
            ChainStepKind::Fill(bits, scalar) | ChainStepKind::Splat(bits, scalar, _) => {
                let constant = self.expressions.constant(*bits, *scalar);
                self.values.insert(first(step), constant);
            }
            ChainStepKind::Reshape { .. } => {
                self.values.insert(first(step), operands[0]);
            }
            ChainStepKind::Refused(_)
            | ChainStepKind::Named(_)
            | ChainStepKind::Generic { body: Err(_), .. } => {}
            ChainStepKind::Generic {
                inputs,
                reduced,
                body: Ok(body),
                ..
            } if reduced.contains(&true) => {
                self.folds(step, (*inputs, body), &operands, &over);
            }
            ChainStepKind::Generic {
                inputs,
                body: Ok(body),
                ..
            } => {
                let values = self.values_of(body, &operands);
                for (number, &value) in body.yields.iter().enumerate() {
                    let value = self.of_type(step, inputs + number, values[value]);
                    self.values.insert(result(step, number), value);
                }
            }
        }
    }

    /// Gives an operation that no row operation has opaque results.
    ///
    /// They depend on the operands that have values.
    fn refuse(
        &mut self,
        step: &ChainStep<'a>,
        (operands, over): (&[(Id, bool)], &[usize]),
        error: &ChainRefusal<'a>,
    ) {
        let number = step.place.offset();
        let operands = operands.iter().filter(|it| it.1).map(|it| it.0);
        let over = self.mask(over);
        let expressions = &mut self.expressions;
        // One opaque value stands for all results, since nothing can use them in a row operation.
        let other = expressions.other_fold(number, operands.collect(), None, "", over);
        self.expressions.explain(other, error.clone());
        for number in 0..MAX_OPERANDS {
            self.values.insert(result(step, number), other);
        }
    }

    fn mask(&self, axes: &[usize]) -> u64 {
        axes.iter().fold(0, |all, &it| all | 1 << self.numbers[it])
    }

    /// Returns the element of an operand; the flag is set if it has values.
    fn operand(&mut self, operand: &ChainOperand<'a>) -> (Id, bool) {
        if let Some(&value) = self.values.get(&operand.source) {
            return (value, true);
        }
        self.expressions.place = Some(operand.place);
        match self.found.inputs.get(&operand.source) {
            Some(&number) => {
                let leaf = &self.found.leaves[number];
                let axes = leaf.axes.iter().flatten();
                let axes = axes.fold(0, |all, &it| all | 1 << self.numbers[it]);
                (self.expressions.input(number, leaf.element, axes), true)
            }
            // An output that the body does not read has no values.
            None => {
                let why = "this tensor has no values yet";
                let number = operand.place.offset();
                (self.expressions.other(number, Vec::new(), None, why), false)
            }
        }
    }

    /// Returns a value with the element type of an output.
    fn of_type(&mut self, step: &ChainStep<'a>, output: usize, value: Id) -> Id {
        let element = step.operands[output].element;
        match self.expressions.scalar(value) {
            Some(scalar) if scalar != element => {
                let number = step.operands[output].place.offset();
                let why = format!("the body yields {scalar}, and this output has type {element}");
                self.expressions
                    .other(number, vec![value], Some(element), &why)
            }
            _ => value,
        }
    }

    /// Returns the values of a body: the arguments, then the result of each instruction.
    fn values_of(&mut self, body: &ChainBody<'a>, arguments: &[Id]) -> Vec<Id> {
        let mut values = arguments.to_vec();
        for instruction in &body.instructions {
            self.expressions.place = Some(instruction.place);
            let of: Vec<Id> = instruction.operands.iter().map(|&it| values[it]).collect();
            let value = match self.instruction(instruction, &of) {
                Ok(value) => value,
                Err(why) => {
                    let number = instruction.place.offset();
                    self.expressions.other(number, of, instruction.result, &why)
                }
            };
            values.push(value);
        }
        values
    }

    fn instruction(&mut self, instruction: &Instruction<'a>, of: &[Id]) -> Result<Id, String> {
        let expressions = &mut self.expressions;
        let result = instruction.result;
        match (instruction.what, result) {
            // Numbers of another type than f32 stay constants of that type, and casts convert
            // them.
            (BodyOperation::Constant(bits), Some(scalar)) => Ok(expressions.constant(bits, scalar)),
            (BodyOperation::Operation(opcode), Some(result)) => {
                let is_cast = matches!(opcode, Opcode::Extf | Opcode::Truncf);
                let wider = |it: ScalarType| match opcode {
                    Opcode::Extf => it.is_float() && it.bits() < result.bits(),
                    _ => it.is_float() && it.bits() > result.bits(),
                };
                let fits = of.iter().all(|&it| match expressions.scalar(it) {
                    Some(scalar) if is_cast => wider(scalar),
                    Some(scalar) => scalar == result,
                    None => true,
                });
                let name = opcode.name();
                if !fits {
                    return Err(format!("{name} cannot have operands of these types"));
                }
                let value = expressions.operation(opcode, of, result);
                value.ok_or_else(|| match result {
                    ScalarType::F32 => format!("{name} of these operands is not part of any row operation"),
                    other => format!(
                        "{name} is computed in {other} here, and every part of a row operation must be computed in \
                         f32"
                    ),
                })
            }
            (BodyOperation::Power, Some(ScalarType::F32)) => {
                let power = expressions.number(of[1]);
                let value = power.and_then(|power| expressions.power(of[0], power));
                value.ok_or_else(|| {
                    "a power in a row operation must be a square, a square root or its reciprocal".to_owned()
                })
            }
            (BodyOperation::Other(name), _) => Err(no_part(name)),
            (BodyOperation::Known(opcode), Some(result)) => {
                let value = expressions.operation(opcode, of, result);
                value.ok_or_else(|| no_part(opcode.name()))
            }
            (BodyOperation::Index(_), _) => Err(no_part("linalg.index")),
            (BodyOperation::IndexCast, _) => Err(no_part("arith.index_cast")),
            (BodyOperation::Extract, _) => Err(no_part("tensor.extract")),
            (BodyOperation::Assert(_), _) => Err(no_part("cf.assert")),
            (BodyOperation::IndexConstant(_), _) => Err(no_part("an index")),
            _ => Err("every part of a row operation must be computed in f32".to_owned()),
        }
    }

    /// Creates the results of an operation that reduces along these axes.
    fn folds(
        &mut self,
        step: &ChainStep<'a>,
        (inputs, body): (usize, &ChainBody<'a>),
        operands: &[Id],
        over: &[usize],
    ) {
        let mut arguments = operands.to_vec();
        let mut accumulators = Vec::new();
        for number in inputs..arguments.len() {
            let (place, element) = (step.operands[number].place, step.operands[number].element);
            let why = "only the operation that makes the next accumulator may use the accumulator";
            let marker = self.expressions.other(
                // A name has at least two characters, so this offset is no operand's and the
                // marker is unique.
                place.offset() + 1,
                vec![operands[number]],
                Some(element),
                why,
            );
            accumulators.push(marker);
            arguments[number] = marker;
        }
        let values = self.values_of(body, &arguments);
        self.expressions.place = Some(step.place);
        for (number, &yielded) in body.yields.iter().enumerate() {
            let found = self.fold_of(body, yielded, inputs + number, &values, &accumulators);
            let element = step.operands[inputs + number].element;
            let fold = found.and_then(|(combining, taken)| {
                let initial = operands[inputs + number];
                self.fold(combining, taken, initial, element, over)
            });
            let value = fold.unwrap_or_else(|why| {
                let place = step.place.offset() + number;
                let taken = vec![values[yielded]];
                let over = self.mask(over);
                let expressions = &mut self.expressions;
                expressions.other_fold(place, taken, Some(element), &why, over)
            });
            self.values.insert(result(step, number), value);
        }
    }

    /// Returns the combination of the argument number `accumulator`, and the combined value.
    fn fold_of(
        &self,
        body: &ChainBody<'a>,
        yielded: usize,
        accumulator: usize,
        values: &[Id],
        accumulators: &[Id],
    ) -> Result<(Combining, Id), String> {
        let last = yielded.checked_sub(body.arguments.len());
        let last = last.and_then(|it| body.instructions.get(it));
        let combining = last.and_then(|it| match it.what {
            BodyOperation::Operation(opcode) => Some((it, Combining::from_opcode(opcode)?.0)),
            _ => None,
        });
        let Some((last, combining)) = combining else {
            return Err("this is neither the sum nor the maximum of a row".to_owned());
        };
        let taken = match last.operands[..] {
            [one, other] if one == accumulator && other != accumulator => other,
            [other, one] if one == accumulator && other != accumulator => other,
            _ => return Err("the yielded value does not depend on the accumulator".to_owned()),
        };
        // The combined value must not depend on an accumulator, or the operation is no fold.
        let within = self.expressions.within(values[taken]);
        match accumulators.iter().any(|it| within.contains(it)) {
            true => Err("the accumulator is used more than once".to_owned()),
            false => Ok((combining, values[taken])),
        }
    }

    fn fold(
        &mut self,
        combining: Combining,
        taken: Id,
        initial: Id,
        element: ScalarType,
        over: &[usize],
    ) -> Result<Id, String> {
        let begins = match *self.expressions.node(initial) {
            Node::Constant(bits, scalar) if scalar == element => bits,
            _ => {
                return Err(
                    "the initial value of this fold is not known: set it by a linalg.fill with an arith.constant"
                        .to_owned(),
                );
            }
        };
        // A fold accumulates in the type of its values; a conversion would round differently.
        if self.expressions.scalar(taken) != Some(element) {
            return Err("the folded value has another type than the output".to_owned());
        }
        let sizes = over.iter().map(|&it| self.found.axes.size(it));
        let count = sizes
            .map(|it| it.map(|it| it as f64))
            .product::<Option<f64>>();
        let count = count.ok_or("a reduced dimension is dynamic")?;
        let axes = self.mask(over);
        Ok(self.expressions.fold(combining, begins, taken, axes, count))
    }
}
