//! The stack machine that evaluates an expression.

use crate::parameters::Value;

/// A parsed expression over some parameters of a space.
#[derive(Debug, Clone)]
pub struct Expression {
    code: Vec<Instruction>,
    parameters: Vec<usize>,
}

/// An instruction of the stack machine. A jump's target is a position in the code.
#[derive(Debug, Clone)]
pub(super) enum Instruction {
    Constant(Value),
    /// Pushes the value of a parameter, by its number in [`Expression::parameters`].
    Parameter(usize),
    Arithmetic(Operator),
    Negate,
    Not,
    Compare(Comparison),
    /// Compares two values. If they fail, pushes false and jumps; else pushes the right one again.
    Link(Comparison, usize),
    /// Pops `count` values and one more, and pushes whether that one is among them.
    In {
        count: usize,
        is_not: bool,
    },
    /// Jumps with a true value, or pops it.
    JumpIfTrue(usize),
    /// Jumps with a false value, or pops it.
    JumpIfFalse(usize),
}

/// An arithmetic operator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Remainder,
    Power,
}

/// A comparison of two values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// A value on the stack.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Scalar<'a> {
    Integer(i64),
    Real(f64),
    Text(&'a str),
}

impl Expression {
    pub(super) fn new(code: Vec<Instruction>, parameters: Vec<usize>) -> Expression {
        Expression { code, parameters }
    }

    /// Returns the numbers of the parameters in the expression, in order of appearance.
    pub fn parameters(&self) -> &[usize] {
        &self.parameters
    }

    /// Returns true if the expression holds for these values of its
    /// [parameters](Self::parameters). An expression that fails to evaluate does not hold.
    pub fn holds<'a>(&'a self, values: &[&'a Value], stack: &mut ExpressionStack<'a>) -> bool {
        let result = self.evaluate(values, &mut stack.0);
        result.is_some_and(Scalar::is_true)
    }

    /// Returns the value, or none if a division by zero or an overflow prevents one.
    pub(super) fn evaluate<'a>(
        &'a self,
        values: &[&'a Value],
        stack: &mut Vec<Scalar<'a>>,
    ) -> Option<Scalar<'a>> {
        stack.clear();
        let mut at = 0;
        while let Some(instruction) = self.code.get(at) {
            at += 1;
            match instruction {
                Instruction::Constant(value) => stack.push(Scalar::of(value)),
                Instruction::Parameter(slot) => stack.push(Scalar::of(values[*slot])),
                Instruction::Arithmetic(operator) => {
                    let (right, left) = (stack.pop()?, stack.pop()?);
                    stack.push(arithmetic(*operator, left, right)?);
                }
                Instruction::Negate => {
                    let negated = match stack.pop()? {
                        Scalar::Integer(integer) => Scalar::Integer(integer.checked_neg()?),
                        Scalar::Real(real) => Scalar::Real(-real),
                        Scalar::Text(_) => return None,
                    };
                    stack.push(negated);
                }
                Instruction::Not => {
                    let is_true = stack.pop()?.is_true();
                    stack.push(Scalar::truth(!is_true));
                }
                Instruction::Compare(comparison) => {
                    let (right, left) = (stack.pop()?, stack.pop()?);
                    stack.push(Scalar::truth(comparison.holds(left, right)));
                }
                Instruction::Link(comparison, end) => {
                    let (right, left) = (stack.pop()?, stack.pop()?);
                    let next = match comparison.holds(left, right) {
                        true => right,
                        false => {
                            at = *end;
                            Scalar::truth(false)
                        }
                    };
                    stack.push(next);
                }
                Instruction::In { count, is_not } => {
                    let first = stack.len().checked_sub(*count)?;
                    let left = *stack.get(first.checked_sub(1)?)?;
                    let mut members = stack[first..].iter();
                    let is_in = members.any(|&one| Comparison::Equal.holds(left, one));
                    stack.truncate(first - 1);
                    stack.push(Scalar::truth(is_in != *is_not));
                }
                Instruction::JumpIfTrue(end) | Instruction::JumpIfFalse(end) => {
                    let is_wanted = matches!(instruction, Instruction::JumpIfTrue(_));
                    match stack.last()?.is_true() == is_wanted {
                        true => at = *end,
                        false => drop(stack.pop()),
                    }
                }
            }
        }
        stack.pop()
    }
}

/// The memory of evaluations, which a caller keeps for the next one.
#[derive(Debug, Default)]
pub struct ExpressionStack<'a>(Vec<Scalar<'a>>);

impl Comparison {
    /// Returns the comparison of a sign.
    pub(super) fn of(sign: &str) -> Option<Comparison> {
        Some(match sign {
            "==" => Comparison::Equal,
            "!=" => Comparison::Unequal,
            "<" => Comparison::Less,
            "<=" => Comparison::AtMost,
            ">" => Comparison::Greater,
            ">=" => Comparison::AtLeast,
            _ => return None,
        })
    }

    fn holds(self, left: Scalar<'_>, right: Scalar<'_>) -> bool {
        let order = match (left, right) {
            (Scalar::Integer(left), Scalar::Integer(right)) => Some(left.cmp(&right)),
            (Scalar::Text(left), Scalar::Text(right)) => Some(left.cmp(right)),
            (Scalar::Text(_), _) | (_, Scalar::Text(_)) => None,
            _ => left.real().partial_cmp(&right.real()),
        };
        match self {
            Comparison::Equal => order.is_some_and(|order| order.is_eq()),
            Comparison::Unequal => order.is_none_or(|order| order.is_ne()),
            Comparison::Less => order.is_some_and(|order| order.is_lt()),
            Comparison::AtMost => order.is_some_and(|order| order.is_le()),
            Comparison::Greater => order.is_some_and(|order| order.is_gt()),
            Comparison::AtLeast => order.is_some_and(|order| order.is_ge()),
        }
    }
}

impl<'a> Scalar<'a> {
    fn of(value: &'a Value) -> Scalar<'a> {
        match value {
            Value::Integer(integer) => Scalar::Integer(*integer),
            Value::Real(real) => Scalar::Real(*real),
            Value::Text(text) => Scalar::Text(text),
            Value::Boolean(is_true) => Scalar::truth(*is_true),
        }
    }

    fn truth(is_true: bool) -> Scalar<'a> {
        Scalar::Integer(i64::from(is_true))
    }

    fn is_true(self) -> bool {
        match self {
            Scalar::Integer(integer) => integer != 0,
            Scalar::Real(real) => real != 0.0,
            Scalar::Text(text) => !text.is_empty(),
        }
    }

    /// Returns the number; the parser admits no text here.
    fn real(self) -> f64 {
        match self {
            Scalar::Integer(integer) => integer as f64,
            Scalar::Real(real) => real,
            Scalar::Text(_) => f64::NAN,
        }
    }
}

fn arithmetic<'a>(operator: Operator, left: Scalar<'a>, right: Scalar<'a>) -> Option<Scalar<'a>> {
    if let (Scalar::Integer(left), Scalar::Integer(right)) = (left, right) {
        let integer = match operator {
            Operator::Add => left.checked_add(right)?,
            Operator::Subtract => left.checked_sub(right)?,
            Operator::Multiply => left.checked_mul(right)?,
            Operator::FloorDivide => floor_division(left, right)?,
            // `i64::MIN % -1` overflows although it is 0.
            Operator::Remainder if right == -1 => 0,
            Operator::Remainder => {
                let rest = left.checked_rem(right)?;
                // Python's remainder has the divisor's sign.
                let is_other_sign = rest != 0 && (rest < 0) != (right < 0);
                if is_other_sign { rest + right } else { rest }
            }
            Operator::Power if right >= 0 => left.checked_pow(u32::try_from(right).ok()?)?,
            _ => return real_arithmetic(operator, left as f64, right as f64),
        };
        return Some(Scalar::Integer(integer));
    }
    real_arithmetic(operator, left.real(), right.real())
}

fn floor_division(left: i64, right: i64) -> Option<i64> {
    let quotient = left.checked_div(right)?;
    let is_inexact = left.checked_rem(right)? != 0;
    Some(quotient - i64::from(is_inexact && (left < 0) != (right < 0)))
}

fn real_arithmetic<'a>(operator: Operator, left: f64, right: f64) -> Option<Scalar<'a>> {
    let real = match operator {
        Operator::Add => left + right,
        Operator::Subtract => left - right,
        Operator::Multiply => left * right,
        // Rust divides by zero without an error; the infinity is rejected below.
        Operator::Divide => left / right,
        Operator::FloorDivide => (left / right).floor(),
        Operator::Remainder => {
            let rest = left % right;
            let is_other_sign = rest != 0.0 && (rest < 0.0) != (right < 0.0);
            if is_other_sign { rest + right } else { rest }
        }
        Operator::Power => left.powf(right),
    };
    real.is_finite().then_some(Scalar::Real(real))
}
