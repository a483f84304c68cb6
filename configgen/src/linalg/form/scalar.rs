//! Bodies of operations: computations on one element of each operand.

use std::fmt::{self, Display, Formatter};

use super::super::chain::body::{self, BodyOperation};
use super::super::chain::step::{ChainStep, ChainStepKind};
use super::{Type, listed};
use crate::Function;
use crate::comparator::OpcodeSignature as Takes;
use crate::comparator::{Constant, Opcode, Region, ScalarType};
use crate::reduction::Fold;

/// A body. `Display` prints its operations and the yield.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ScalarBody {
    arguments: Vec<ScalarType>,
    /// The first argument that is a tensor around the body, and the end of those; 0 and 0 without
    /// such a tensor.
    tables: (usize, usize),
    /// The operations with the numbers of their values, which follow the arguments.
    operations: Vec<(usize, Scalar)>,
    yields: Vec<(usize, ScalarType)>,
}

/// An operation of a body.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Scalar {
    operator: Operator,
    operands: Vec<ScalarOperand>,
    result: ScalarOrIndex,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Operator {
    Operation(Opcode),
    Power,
    Index(usize),
    IndexCast,
    /// An element of a tensor of this type around the body, the first operand.
    Extract(Type),
    Assert(usize),
}

/// An operand of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ScalarOperand {
    Value(usize, ScalarOrIndex),
    Constant(u64, ScalarType),
    Index(u64),
}

impl ScalarOperand {
    fn is_constant(self) -> bool {
        !matches!(self, ScalarOperand::Value(..))
    }
}

/// A type; none stands for `index`.
type ScalarOrIndex = Option<ScalarType>;

impl ScalarBody {
    /// Returns the body of an operation, if it has one and all its operations are known.
    pub(super) fn of(step: &ChainStep<'_>) -> Option<ScalarBody> {
        let ChainStepKind::Generic { body: Ok(read), .. } = &step.kind else {
            return None;
        };
        let arguments = read.arguments.iter().enumerate();
        let arguments =
            arguments.map(|(number, scalar)| ScalarOperand::Value(number, Some(*scalar)));
        // The operand for each parsed value. Constants have no number.
        let mut values: Vec<ScalarOperand> = arguments.collect();
        let mut operations = Vec::new();
        for instruction in &read.instructions {
            let operator = match instruction.what {
                BodyOperation::Constant(bits) => {
                    values.push(ScalarOperand::Constant(bits, instruction.result?));
                    continue;
                }
                BodyOperation::IndexConstant(number) => {
                    values.push(ScalarOperand::Index(number));
                    continue;
                }
                BodyOperation::Operation(opcode) | BodyOperation::Known(opcode) => {
                    Operator::Operation(opcode)
                }
                BodyOperation::Extract => {
                    Operator::Extract(Type::of_operand(&step.operands[instruction.operands[0]]))
                }
                BodyOperation::Assert(number) => Operator::Assert(number),
                BodyOperation::Power => Operator::Power,
                BodyOperation::Index(dimension) => Operator::Index(dimension),
                BodyOperation::IndexCast => Operator::IndexCast,
                BodyOperation::Other(_) => return None,
            };
            let operands: Vec<ScalarOperand> =
                instruction.operands.iter().map(|&it| values[it]).collect();
            // IREE folds an operation on constants before it asks a matcher, unless it rounds one.
            let is_constant = operands.iter().all(|it| it.is_constant());
            if !operands.is_empty()
                && is_constant
                && !rounds(&operator, &operands, instruction.result)
            {
                return None;
            }
            let result = match &operator {
                Operator::Index(_) | Operator::Assert(_) => None,
                Operator::IndexCast => instruction.result,
                // An operation of indices.
                Operator::Operation(_) if matches!(instruction.what, BodyOperation::Known(_)) => {
                    instruction.result
                }
                _ => Some(instruction.result?),
            };
            let number = read.arguments.len() + operations.len();
            values.push(ScalarOperand::Value(number, result));
            operations.push((
                number,
                Scalar {
                    operator,
                    operands,
                    result,
                },
            ));
        }
        let yields = read.yields.iter().map(|&value| match values[value] {
            // A body that yields an index or a constant has no printed form.
            ScalarOperand::Value(number, kind) => Some((number, kind?)),
            ScalarOperand::Constant(..) | ScalarOperand::Index(_) => None,
        });
        // The outputs' arguments are as many as the yielded values.
        let end = read.arguments.len().checked_sub(read.yields.len())?;
        Some(ScalarBody {
            tables: match read.tables {
                0 => (0, 0),
                count => (end.checked_sub(count)?, end),
            },
            arguments: read.arguments.clone(),
            yields: yields.collect::<Option<_>>()?,
            operations,
        })
    }

    /// Returns the body that combines an accumulator, its last argument, with the elements.
    ///
    /// A function may compute the combined value. `is_first` makes the accumulator the first
    /// operand.
    pub(super) fn fold(
        fold: &Fold,
        function: Option<&Function>,
        is_first: bool,
    ) -> Option<ScalarBody> {
        let accumulator: ScalarType = fold.accumulator().into();
        let element: ScalarType = fold.element().into();
        let region = function.map(Function::region);
        let mut arguments = region.map_or_else(|| vec![element], |it| it.types().to_vec());
        let of_accumulator = arguments.len();
        arguments.push(accumulator);
        // The operand for each value of the region.
        let mut taken: Vec<ScalarOperand> = arguments[..of_accumulator]
            .iter()
            .enumerate()
            .map(|(number, scalar)| ScalarOperand::Value(number, Some(*scalar)))
            .collect();
        let mut operations = Vec::new();
        let mut append = |opcode: Opcode, operands: Vec<ScalarOperand>, result: ScalarType| {
            let number = of_accumulator + 1 + operations.len();
            let operator = Operator::Operation(opcode);
            let result = Some(result);
            operations.push((
                number,
                Scalar {
                    operator,
                    operands,
                    result,
                },
            ));
            ScalarOperand::Value(number, result)
        };
        for operation in region.into_iter().flat_map(Region::operations) {
            let operands = operation.operands.iter().map(|it| taken[it.index()]);
            let operands: Vec<ScalarOperand> = operands.collect();
            taken.push(match operation.opcode {
                Opcode::Constant(bits) => ScalarOperand::Constant(bits, operation.result),
                opcode => append(opcode, operands, operation.result),
            });
        }
        let mut element = taken[region.map_or(0, |it| it.result().index())];
        if let Some(widening) = fold.widening() {
            element = append(widening, vec![element], accumulator);
        }
        let mut operands = vec![
            element,
            ScalarOperand::Value(of_accumulator, Some(accumulator)),
        ];
        if is_first {
            operands.reverse();
        }
        let combine = fold.opcode();
        match append(combine, operands, accumulator) {
            ScalarOperand::Value(number, _) => Some(ScalarBody {
                tables: (0, 0),
                arguments,
                operations,
                yields: vec![(number, accumulator)],
            }),
            ScalarOperand::Constant(..) | ScalarOperand::Index(_) => None,
        }
    }

    /// Returns `%0: f32, %1: f32`, as blocks and regions have them.
    pub(super) fn arguments(&self) -> String {
        let arguments = self.arguments.iter().enumerate();
        let arguments = arguments.filter(|it| !self.tables().contains(&it.0));
        listed(arguments.map(|(number, scalar)| format!("{}: {scalar}", name(number))))
    }

    /// Returns the numbers of the arguments that are tensors around the body.
    pub(super) fn tables(&self) -> std::ops::Range<usize> {
        self.tables.0..self.tables.1
    }

    /// Returns the operations with constants.
    pub(super) fn bound(&self) -> impl Iterator<Item = ConstantOperation> {
        let operations = self.operations.iter();
        operations.filter_map(|(_, scalar)| ConstantOperation::of(scalar))
    }
}

/// Returns whether an operation rounds a constant, as torch writes an epsilon in a narrow type.
fn rounds(operator: &Operator, operands: &[ScalarOperand], result: ScalarOrIndex) -> bool {
    let (Operator::Operation(Opcode::Truncf), [ScalarOperand::Constant(bits, wide)]) =
        (operator, operands)
    else {
        return false;
    };
    let number = wide.to_f64(*bits);
    result.is_some_and(|it| it.to_f64(it.round(number)) != number)
}

/// A body with the names of the tensors around it.
pub(super) struct BodyText<'a>(pub(super) &'a ScalarBody, pub(super) &'a [String]);

/// Returns the name of a value, which differs from all names of tensors.
fn name(value: usize) -> String {
    format!("%element{value}")
}

impl Display for BodyText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let BodyText(body, tables) = self;
        let named = |value: usize| match body.tables().contains(&value) {
            true => tables[value - body.tables.0].clone(),
            false => name(value),
        };
        for (value, scalar) in &body.operations {
            scalar.write(f, &name(*value), &named)?;
        }
        let names = body.yields.iter().map(|(value, _)| name(*value));
        let kinds = body.yields.iter().map(|(_, scalar)| scalar);
        writeln!(
            f,
            "        linalg.yield {} : {}",
            listed(names),
            listed(kinds)
        )
    }
}

impl Scalar {
    /// Prints its constants and the operation, with the name `result`.
    fn write(
        &self,
        f: &mut Formatter<'_>,
        result: &str,
        named: &dyn Fn(usize) -> String,
    ) -> fmt::Result {
        let mut names: Vec<String> = Vec::new();
        // Constants precede their user, because a matcher's root may be any operation of the
        // body.
        for (place, operand) in self.operands.iter().enumerate() {
            let earlier = self.operands[..place].iter().position(|it| it == operand);
            names.push(match *operand {
                // A module has each constant once.
                _ if earlier.is_some() => names[earlier.unwrap_or(place)].clone(),
                ScalarOperand::Value(value, _) => named(value),
                ScalarOperand::Constant(bits, scalar) => {
                    let (name, value) = (format!("{result}_{place}"), Constant(bits, scalar));
                    writeln!(f, "        {name} = arith.constant {value}")?;
                    name
                }
                ScalarOperand::Index(number) => {
                    let name = format!("{result}_{place}");
                    writeln!(f, "        {name} = arith.constant {number} : index")?;
                    name
                }
            });
        }
        let kind = |place: usize| match self.operands[place] {
            ScalarOperand::Value(_, kind) => shown(kind),
            ScalarOperand::Constant(_, scalar) => scalar.name(),
            ScalarOperand::Index(_) => shown(None),
        };
        let to = shown(self.result);
        if let Operator::Extract(table) = &self.operator {
            let (of, indices) = (&names[0], listed(&names[1..]));
            return writeln!(
                f,
                "        {result} = tensor.extract {of}[{indices}] : {table}"
            );
        }
        let names = listed(names);
        if let Operator::Assert(number) = self.operator {
            let message = body::ASSERTIONS[number];
            return writeln!(f, "        cf.assert {names}, \"{message}\"");
        }
        write!(f, "        {result} = ")?;
        match self.operator {
            Operator::Index(dimension) => writeln!(f, "linalg.index {dimension} : index"),
            Operator::IndexCast => writeln!(f, "arith.index_cast {names} : {} to {to}", kind(0)),
            Operator::Extract(_) | Operator::Assert(_) => unreachable!("these are printed above"),
            // `math.powf` has an exponent of the same type, `math.fpowi` an integer.
            Operator::Power if kind(0) == kind(1) => {
                writeln!(f, "math.powf {names} : {to}")
            }
            Operator::Power => writeln!(f, "math.fpowi {names} : {to}, {}", kind(1)),
            Operator::Operation(opcode) => {
                f.write_str(opcode.name())?;
                match opcode {
                    Opcode::Cmpf(predicate) => write!(f, " {predicate},")?,
                    Opcode::Cmpi(predicate) => write!(f, " {predicate},")?,
                    _ => {}
                }
                match opcode.signature() {
                    Takes::Cast(..) => writeln!(f, " {names} : {} to {to}", kind(0)),
                    Takes::Compare(_) => writeln!(f, " {names} : {}", kind(0)),
                    _ => writeln!(f, " {names} : {to}"),
                }
            }
        }
    }
}

fn shown(kind: ScalarOrIndex) -> &'static str {
    kind.map_or("index", ScalarType::name)
}

/// An operation of a body with constants among its operands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConstantOperation(Scalar);

impl ConstantOperation {
    /// Returns the operation with its other operands numbered by position; none without
    /// constants.
    fn of(scalar: &Scalar) -> Option<ConstantOperation> {
        if !scalar.operands.iter().any(|it| it.is_constant()) {
            return None;
        }
        let operands = scalar.operands.iter().enumerate();
        // Equal operations of different bodies must compare equal, so values are numbered by
        // position.
        let operands = operands.map(|(place, operand)| match *operand {
            ScalarOperand::Value(_, kind) => ScalarOperand::Value(place, kind),
            constant => constant,
        });
        Some(ConstantOperation(Scalar {
            operands: operands.collect(),
            ..scalar.clone()
        }))
    }

    /// Returns `%x0: f32`: its operands that are no constants.
    pub fn arguments(&self) -> String {
        let operands = self.0.operands.iter();
        listed(
            operands.filter_map(|operand| match (*operand, &self.0.operator) {
                (ScalarOperand::Value(0, _), Operator::Extract(table)) => {
                    Some(format!("%x0: {table}"))
                }
                (ScalarOperand::Value(place, kind), _) => {
                    Some(format!("%x{place}: {}", shown(kind)))
                }
                (ScalarOperand::Constant(..) | ScalarOperand::Index(_), _) => None,
            }),
        )
    }

    /// Returns the type of its result.
    pub fn result(&self) -> &'static str {
        shown(self.0.result)
    }
}

/// Prints its constants and the operation, with the result `%bound`.
impl Display for ConstantOperation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.write(f, "%bound", &|place| format!("%x{place}"))
    }
}
