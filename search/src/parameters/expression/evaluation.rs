//! The stack machine that evaluates an expression.

use crate::parameters::ParameterValue;

/// A parsed expression over some parameters of a space.
#[derive(Debug, Clone)]
pub struct Expression {
    code: Vec<Instruction>,
    parameters: Vec<usize>,
}

/// An instruction of the stack machine. A jump's target is a position in the code.
#[derive(Debug, Clone)]
pub(super) enum Instruction {
    Constant(ParameterValue),
    /// Pushes the value of a parameter, by its number in [`Expression::parameters`].
    Parameter(usize),
    Arithmetic(Operator),
    Negate,
    Not,
    Compare(Comparison),
    /// Compares two values. If the comparison fails, pushes false and jumps. Otherwise pushes the
    /// right-hand value again.
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
pub(super) enum StackValue<'a> {
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
    pub fn holds<'a>(
        &'a self,
        values: &[&'a ParameterValue],
        stack: &mut ExpressionStack<'a>,
    ) -> bool {
        let result = self.evaluate(values, &mut stack.0);
        result.is_some_and(StackValue::is_true)
    }

    /// Returns the value as a parameter has it, or none if an evaluation fails.
    pub(super) fn constant<'a>(
        &'a self,
        values: &[&'a ParameterValue],
        stack: &mut ExpressionStack<'a>,
    ) -> Option<ParameterValue> {
        // The stack has 0 and 1 for booleans, but they must print as `true` and `false`.
        match self.code[..] {
            [Instruction::Constant(ref value)] => return Some(value.clone()),
            [Instruction::Parameter(slot)] => return Some(values[slot].clone()),
            _ => {}
        }
        Some(match self.evaluate(values, &mut stack.0)? {
            StackValue::Integer(integer) => ParameterValue::Integer(integer),
            StackValue::Real(real) => ParameterValue::Real(real),
            StackValue::Text(text) => ParameterValue::Text(text.to_owned()),
        })
    }

    /// Returns the value, or none if a division by zero or an overflow prevents one.
    pub(super) fn evaluate<'a>(
        &'a self,
        values: &[&'a ParameterValue],
        stack: &mut Vec<StackValue<'a>>,
    ) -> Option<StackValue<'a>> {
        // An evaluation that failed has left values behind.
        stack.clear();
        let mut at = 0;
        while let Some(instruction) = self.code.get(at) {
            at += 1;
            match instruction {
                Instruction::Constant(value) => stack.push(StackValue::of(value)),
                Instruction::Parameter(slot) => stack.push(StackValue::of(values[*slot])),
                Instruction::Arithmetic(operator) => {
                    let (right, left) = (stack.pop()?, stack.pop()?);
                    stack.push(arithmetic(*operator, left, right)?);
                }
                Instruction::Negate => {
                    // `-i64::MIN` overflows.
                    let negated = match stack.pop()? {
                        StackValue::Integer(integer) => StackValue::Integer(integer.checked_neg()?),
                        StackValue::Real(real) => StackValue::Real(-real),
                        StackValue::Text(_) => return None,
                    };
                    stack.push(negated);
                }
                Instruction::Not => {
                    let is_true = stack.pop()?.is_true();
                    stack.push(StackValue::truth(!is_true));
                }
                Instruction::Compare(comparison) => {
                    let (right, left) = (stack.pop()?, stack.pop()?);
                    stack.push(StackValue::truth(comparison.holds(left, right)));
                }
                Instruction::Link(comparison, end) => {
                    let (right, left) = (stack.pop()?, stack.pop()?);
                    let next = match comparison.holds(left, right) {
                        true => right,
                        false => {
                            // As in Python, a chain ends at its first false link.
                            at = *end;
                            StackValue::truth(false)
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
                    stack.push(StackValue::truth(is_in != *is_not));
                }
                Instruction::JumpIfTrue(end) | Instruction::JumpIfFalse(end) => {
                    let is_wanted = matches!(instruction, Instruction::JumpIfTrue(_));
                    // As in Python, the operand that decides is the result.
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

/// The memory of evaluations. A caller keeps it for the next one.
#[derive(Debug, Default)]
pub struct ExpressionStack<'a>(Vec<StackValue<'a>>);

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

    fn holds(self, left: StackValue<'_>, right: StackValue<'_>) -> bool {
        let order = match (left, right) {
            (StackValue::Integer(left), StackValue::Integer(right)) => Some(left.cmp(&right)),
            (StackValue::Text(left), StackValue::Text(right)) => Some(left.cmp(right)),
            // As in Python, a text and a number are unequal.
            (StackValue::Text(_), _) | (_, StackValue::Text(_)) => None,
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

impl<'a> StackValue<'a> {
    fn of(value: &'a ParameterValue) -> StackValue<'a> {
        match value {
            ParameterValue::Integer(integer) => StackValue::Integer(*integer),
            ParameterValue::Real(real) => StackValue::Real(*real),
            ParameterValue::Text(text) => StackValue::Text(text),
            ParameterValue::Boolean(is_true) => StackValue::truth(*is_true),
        }
    }

    fn truth(is_true: bool) -> StackValue<'a> {
        // Python's booleans are the integers 0 and 1.
        StackValue::Integer(i64::from(is_true))
    }

    fn is_true(self) -> bool {
        match self {
            StackValue::Integer(integer) => integer != 0,
            StackValue::Real(real) => real != 0.0,
            StackValue::Text(text) => !text.is_empty(),
        }
    }

    /// Returns the number; the parser admits no text here.
    fn real(self) -> f64 {
        match self {
            StackValue::Integer(integer) => integer as f64,
            StackValue::Real(real) => real,
            StackValue::Text(_) => f64::NAN,
        }
    }
}

fn arithmetic<'a>(
    operator: Operator,
    left: StackValue<'a>,
    right: StackValue<'a>,
) -> Option<StackValue<'a>> {
    if let (StackValue::Integer(left), StackValue::Integer(right)) = (left, right) {
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
            // In Python, a negative exponent gives a real.
            Operator::Power if right >= 0 => left.checked_pow(u32::try_from(right).ok()?)?,
            _ => return real_arithmetic(operator, left as f64, right as f64),
        };
        return Some(StackValue::Integer(integer));
    }
    real_arithmetic(operator, left.real(), right.real())
}

fn floor_division(left: i64, right: i64) -> Option<i64> {
    // None for a zero and for `i64::MIN / -1`, the only quotient that overflows.
    let quotient = left.checked_div(right)?;
    let is_inexact = left.checked_rem(right)? != 0;
    Some(quotient - i64::from(is_inexact && (left < 0) != (right < 0)))
}

fn real_arithmetic<'a>(operator: Operator, left: f64, right: f64) -> Option<StackValue<'a>> {
    let real = match operator {
        Operator::Add => left + right,
        Operator::Subtract => left - right,
        Operator::Multiply => left * right,
        // Rust divides by zero without an error; the infinity is rejected below.
        Operator::Divide => left / right,
        Operator::FloorDivide => (left / right).floor(),
        Operator::Remainder => {
            // Rust's remainder has the sign of the dividend, Python's that of the divisor.
            let rest = left % right;
            let is_other_sign = rest != 0.0 && (rest < 0.0) != (right < 0.0);
            if is_other_sign { rest + right } else { rest }
        }
        Operator::Power => left.powf(right),
    };
    // Python raises an error for a division by zero and for a power that overflows.
    real.is_finite().then_some(StackValue::Real(real))
}
