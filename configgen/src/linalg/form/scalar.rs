//! The bodies of operations: what is computed of one element of each operand.

use std::fmt::{self, Display, Formatter};

use super::super::chain::body::{self, What};
use super::listed;
use crate::Function;
use crate::comparator::Form as Takes;
use crate::comparator::{Constant, Opcode, Region, ScalarType};
use crate::reduction::Fold;

/// A body. `Display` prints its operations, with that which yields.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Body {
    arguments: Vec<ScalarType>,
    /// With the number of the value that each gives: the arguments come first.
    operations: Vec<(usize, Scalar)>,
    yields: Vec<(usize, ScalarType)>,
}

/// An operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Scalar {
    operator: Operator,
    operands: Vec<Taken>,
    result: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Operator {
    Operation(Opcode),
    Power,
    Index(usize),
    IndexCast,
}

/// An operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Taken {
    Value(usize, Kind),
    Constant(u64, ScalarType),
}

/// A type; `None` is `index`.
type Kind = Option<ScalarType>;

impl Body {
    /// The body of an operation, if nothing of it is unknown.
    pub(super) fn of(read: &body::Body<'_>) -> Option<Body> {
        let arguments = read.arguments.iter().enumerate();
        let arguments = arguments.map(|(number, scalar)| Taken::Value(number, Some(*scalar)));
        // Of each value that was read. Constants have no number.
        let mut values: Vec<Taken> = arguments.collect();
        let mut operations = Vec::new();
        for instruction in &read.instructions {
            let operator = match instruction.what {
                What::Constant(bits) => {
                    values.push(Taken::Constant(bits, instruction.result?));
                    continue;
                }
                What::Operation(opcode) | What::Known(opcode) => Operator::Operation(opcode),
                What::Power => Operator::Power,
                What::Index(dimension) => Operator::Index(dimension),
                What::IndexCast => Operator::IndexCast,
                What::Other(_) => return None,
            };
            let operands: Vec<Taken> = instruction.operands.iter().map(|&it| values[it]).collect();
            let is_constant = |it: &Taken| matches!(it, Taken::Constant(..));
            // Such a one is folded before.
            if !operands.is_empty() && operands.iter().all(is_constant) {
                return None;
            }
            let result = match operator {
                Operator::Index(_) => None,
                _ => Some(instruction.result?),
            };
            let number = read.arguments.len() + operations.len();
            values.push(Taken::Value(number, result));
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
            Taken::Value(number, kind) => Some((number, kind?)),
            Taken::Constant(..) => None,
        });
        Some(Body {
            arguments: read.arguments.clone(),
            yields: yields.collect::<Option<_>>()?,
            operations,
        })
    }

    /// The body that combines an accumulator, its last argument, with an element, or with what is computed of several. `is_first`: whether
    /// the accumulator is the first operand of what combines them.
    pub(super) fn fold(fold: &Fold, function: Option<&Function>, is_first: bool) -> Option<Body> {
        let accumulator: ScalarType = fold.accumulator().into();
        let element: ScalarType = fold.element().into();
        let region = function.map(Function::region);
        let mut arguments = region.map_or_else(|| vec![element], |it| it.types().to_vec());
        let of_accumulator = arguments.len();
        arguments.push(accumulator);
        // Of each value of the region.
        let mut taken: Vec<Taken> = arguments[..of_accumulator]
            .iter()
            .enumerate()
            .map(|(number, scalar)| Taken::Value(number, Some(*scalar)))
            .collect();
        let mut operations = Vec::new();
        let mut append = |opcode: Opcode, operands: Vec<Taken>, result: ScalarType| {
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
            Taken::Value(number, result)
        };
        for operation in region.into_iter().flat_map(Region::operations) {
            let operands = operation.operands.iter().map(|it| taken[it.index()]);
            let operands: Vec<Taken> = operands.collect();
            taken.push(match operation.opcode {
                Opcode::Constant(bits) => Taken::Constant(bits, operation.result),
                opcode => append(opcode, operands, operation.result),
            });
        }
        let mut element = taken[region.map_or(0, |it| it.result().index())];
        if let Some(widening) = fold.widening() {
            element = append(widening, vec![element], accumulator);
        }
        let mut operands = vec![element, Taken::Value(of_accumulator, Some(accumulator))];
        if is_first {
            operands.reverse();
        }
        let combine = fold.opcode();
        match append(combine, operands, accumulator) {
            Taken::Value(number, _) => Some(Body {
                arguments,
                operations,
                yields: vec![(number, accumulator)],
            }),
            Taken::Constant(..) => None,
        }
    }

    /// `%0: f32, %1: f32`, as a block or a region has them.
    pub(super) fn arguments(&self) -> String {
        let arguments = self.arguments.iter().enumerate();
        listed(arguments.map(|(number, scalar)| format!("{}: {scalar}", name(number))))
    }

    /// The operations that have constants.
    pub(super) fn bound(&self) -> impl Iterator<Item = Bound> {
        let operations = self.operations.iter();
        operations.filter_map(|(_, scalar)| Bound::of(scalar))
    }
}

/// The name of a value. No name of a body is one of tensors.
fn name(value: usize) -> String {
    format!("%element{value}")
}

impl Display for Body {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (value, scalar) in &self.operations {
            scalar.write(f, &name(*value), &|operand| name(operand))?;
        }
        let names = self.yields.iter().map(|(value, _)| name(*value));
        let kinds = self.yields.iter().map(|(_, scalar)| scalar);
        writeln!(
            f,
            "        linalg.yield {} : {}",
            listed(names),
            listed(kinds)
        )
    }
}

impl Scalar {
    /// Prints its constants and itself, which gives `result`.
    fn write(
        &self,
        f: &mut Formatter<'_>,
        result: &str,
        named: &dyn Fn(usize) -> String,
    ) -> fmt::Result {
        let mut names = Vec::new();
        for (place, operand) in self.operands.iter().enumerate() {
            names.push(match *operand {
                Taken::Value(value, _) => named(value),
                Taken::Constant(bits, scalar) => {
                    let (name, value) = (format!("{result}_{place}"), Constant(bits, scalar));
                    writeln!(f, "        {name} = arith.constant {value}")?;
                    name
                }
            });
        }
        let names = listed(names);
        let kind = |place: usize| match self.operands[place] {
            Taken::Value(_, kind) => shown(kind),
            Taken::Constant(_, scalar) => scalar.name(),
        };
        let to = shown(self.result);
        write!(f, "        {result} = ")?;
        match self.operator {
            Operator::Index(dimension) => writeln!(f, "linalg.index {dimension} : index"),
            Operator::IndexCast => writeln!(f, "arith.index_cast {names} : index to {to}"),
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
                match opcode.form() {
                    Takes::Cast(..) => writeln!(f, " {names} : {} to {to}", kind(0)),
                    Takes::Compare(_) => writeln!(f, " {names} : {}", kind(0)),
                    _ => writeln!(f, " {names} : {to}"),
                }
            }
        }
    }
}

fn shown(kind: Kind) -> &'static str {
    kind.map_or("index", ScalarType::name)
}

/// An operation of a body with constants among its operands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Bound(Scalar);

impl Bound {
    /// The operation with its other operands as they come; `None` where it has no constants.
    fn of(scalar: &Scalar) -> Option<Bound> {
        let is_constant = |it: &Taken| matches!(it, Taken::Constant(..));
        if !scalar.operands.iter().any(is_constant) {
            return None;
        }
        let operands = scalar.operands.iter().enumerate();
        let operands = operands.map(|(place, operand)| match *operand {
            Taken::Value(_, kind) => Taken::Value(place, kind),
            constant => constant,
        });
        Some(Bound(Scalar {
            operands: operands.collect(),
            ..scalar.clone()
        }))
    }

    /// `%x0: f32`: its operands that are no constants.
    pub fn arguments(&self) -> String {
        let operands = self.0.operands.iter();
        listed(operands.filter_map(|operand| match *operand {
            Taken::Value(place, kind) => Some(format!("%x{place}: {}", shown(kind))),
            Taken::Constant(..) => None,
        }))
    }

    /// The type of its result.
    pub fn result(&self) -> &'static str {
        shown(self.0.result)
    }
}

/// Prints its constants and itself; the result is `%bound`.
impl Display for Bound {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.write(f, "%bound", &|place| format!("%x{place}"))
    }
}
