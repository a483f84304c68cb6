//! Operations that compute a float.

use configgen::comparator::{self, Opcode, Operation, ScalarType};

use super::remainder::remainder;
use super::types::{self, call, is_narrow};
use super::{Printer, narrow};
use crate::native::ir::Value;

impl Printer<'_> {
    /// The number that an operation computes; a NaN is the canonical one where its bits are seen.
    pub(super) fn computed(&mut self, value: comparator::Value, operation: &Operation) -> Value {
        let number = self.number_of(operation);
        let scalar = operation.result;
        // Types without infinities have one NaN, but for its sign, and are given it when they are encoded.
        if !self.seen[value.index()] || !scalar.has_infinity() || is_from_integer(operation.opcode)
        {
            return number;
        }
        let kind = types::number(scalar);
        let nan = match is_narrow(scalar) {
            true => types::single(f64::NAN),
            false => types::constant(scalar, scalar.canonical_nan()),
        };
        let is_nan = self
            .ir
            .value(format_args!("fcmp uno {kind} {number}, {number}"));
        self.ir.value(format_args!(
            "select i1 {is_nan}, {kind} {nan}, {kind} {number}"
        ))
    }

    fn number_of(&mut self, operation: &Operation) -> Value {
        match operation.opcode {
            Opcode::Addf => self.sum("fadd", operation),
            Opcode::Subf => self.sum("fsub", operation),
            Opcode::Mulf => self.arithmetic("fmul", operation),
            Opcode::Divf | Opcode::Sqrt | Opcode::Remf => self.wide_arithmetic(operation),
            Opcode::Fma => self.fused(operation),
            Opcode::Maximumf => self.extreme("maximum", operation),
            Opcode::Minimumf => self.extreme("minimum", operation),
            Opcode::Maxnumf => self.extreme("maxnum", operation),
            Opcode::Minnumf => self.extreme("minnum", operation),
            Opcode::Extf => self.extended(operation),
            Opcode::Truncf => self.truncated(operation),
            _ => self.float_of_integer(operation),
        }
    }

    fn fused(&mut self, operation: &Operation) -> Value {
        let scalar = operation.result;
        let kind = types::number(scalar);
        let numbers = self.numbers(operation);
        let [x, y, z] = [0, 1, 2].map(|n| &numbers[n]);
        // LLVM makes a sum of it where a factor is one, and then the sign of a zero is at risk as in `zero_term`.
        let constants = [0, 1, 2].map(|n| self.region.constant(operation.operands[n]));
        let one = scalar.round(1.0);
        let ones = [one, one | scalar.sign_bit()].map(Some);
        let other = match constants {
            [a, _, Some(0)] if ones.contains(&a) => Some((y, a)),
            [_, b, Some(0)] if ones.contains(&b) => Some((x, b)),
            _ => None,
        };
        let sum = match other {
            Some((x, factor)) if factor == Some(one) => {
                types::with_positive_zero(self.ir, kind, x.clone())
            }
            Some((x, _)) => {
                let negative = self.ir.value(format_args!("fneg {kind} {x}"));
                types::with_positive_zero(self.ir, kind, negative)
            }
            None => call(self.ir, "fma", kind, &[x, y, z]),
        };
        self.rounded(scalar, sum)
    }

    fn numbers(&mut self, operation: &Operation) -> Vec<Value> {
        let operands = operation.operands.iter();
        operands.map(|&operand| self.number(operand)).collect()
    }

    /// What LLVM computes exactly rounded in the type of the numbers; f16 too.
    fn arithmetic(&mut self, instruction: &str, operation: &Operation) -> Value {
        let kind = types::number(operation.result);
        let numbers = self.numbers(operation);
        let number = self.ir.value(format_args!(
            "{instruction} {kind} {}, {}",
            numbers[0], numbers[1]
        ));
        self.rounded(operation.result, number)
    }

    /// A sum or difference. LLVM's AMDGPU back end folds `0.0 - x`, and what it turns into that, into the instruction
    /// that uses it, as `-x`: that is another zero if x is one. So nothing is added to, or taken from, a constant zero
    /// that decides the sign of a zero.
    fn sum(&mut self, instruction: &str, operation: &Operation) -> Value {
        let [x, y] = [0, 1].map(|n| operation.operands[n]);
        let scalar = operation.result;
        let kind = types::number(scalar);
        let is_sum = instruction == "fadd";
        let is = |value, zero| self.region.constant(value) == Some(zero);
        // What is +0 as the second term of a sum. An FNUZ type has no -0, whose bits are its NaN.
        let positive = match is_sum {
            true => 0,
            false => scalar.sign_bit(),
        };
        let term = if is(x, 0) {
            let y = self.number(y);
            match is_sum {
                true => y,
                false => self.ir.value(format_args!("fneg {kind} {y}")),
            }
        } else if is(y, positive) && !scalar.is_nan(positive) {
            self.number(x)
        } else {
            return self.arithmetic(instruction, operation);
        };
        types::with_positive_zero(self.ir, kind, term)
    }

    /// A number that was computed in the type of the numbers of `scalar`, as one of `scalar`.
    fn rounded(&mut self, scalar: ScalarType, number: Value) -> Value {
        match is_narrow(scalar) {
            true => narrow::round(self.ir, scalar, "float", &number),
            false => number,
        }
    }

    /// What is computed in f32 for f16: older versions of LLVM divide in f16 with an error beyond half a unit,
    /// and the instruction for square roots has one.
    fn wide_arithmetic(&mut self, operation: &Operation) -> Value {
        let scalar = operation.result;
        let operands = operation.operands.iter();
        let x: Vec<Value> = operands.map(|&operand| self.widened(operand)).collect();
        let kind = wide(scalar);
        match operation.opcode {
            Opcode::Divf => {
                let quotient = self
                    .ir
                    .value(format_args!("fdiv {kind} {}, {}", x[0], x[1]));
                // Of a division by a constant LLVM makes a product where it can.
                self.narrowed_product(scalar, quotient)
            }
            Opcode::Sqrt => {
                let root = call(self.ir, "sqrt", kind, &[&x[0]]);
                self.narrowed(scalar, root)
            }
            _ => {
                // A remainder is a number of the operands' type: there is nothing to round, but the sign of a zero.
                let exact = remainder(self.ir, kind, &x[0], &x[1]);
                match is_narrow(scalar) {
                    true => narrow::with_its_zero(self.ir, scalar, exact),
                    false => self.narrowed(scalar, exact),
                }
            }
        }
    }

    /// A value in f64 or, if its type is smaller than that, in f32.
    pub(super) fn widened(&mut self, value: comparator::Value) -> Value {
        let number = self.number(value);
        match self.region.type_of(value) {
            ScalarType::F16 => self.ir.value(format_args!("fpext half {number} to float")),
            _ => number,
        }
    }

    /// The number of type `scalar` nearest to one in f64 or f32, whichever [`wide`] says.
    pub(super) fn narrowed(&mut self, scalar: ScalarType, number: Value) -> Value {
        match scalar {
            ScalarType::F16 => self
                .ir
                .value(format_args!("fptrunc float {number} to half")),
            _ => self.rounded(scalar, number),
        }
    }

    /// As [`Self::narrowed`], of a number that may come of a product. LLVM's AMDGPU back end rounds a product to f16 by a
    /// fused multiply-add of +0, which makes a zero positive; so zeros are converted as bits.
    pub(super) fn narrowed_product(&mut self, scalar: ScalarType, number: Value) -> Value {
        let rounded = self.narrowed(scalar, number.clone());
        if scalar != ScalarType::F16 {
            return rounded;
        }
        let bits = self.ir.value(format_args!("bitcast float {number} to i32"));
        let upper = self.ir.value(format_args!("lshr i32 {bits}, 16"));
        let upper = self.ir.value(format_args!("trunc i32 {upper} to i16"));
        let zero = self.ir.value(format_args!("bitcast i16 {upper} to half"));
        let is_zero = self.ir.value(format_args!("fcmp oeq float {number}, 0.0"));
        self.ir.value(format_args!(
            "select i1 {is_zero}, half {zero}, half {rounded}"
        ))
    }

    /// Minimum or maximum: one of two numbers, so nothing is rounded.
    ///
    /// `maxnum` and `minnum` ignore a NaN, but what they do with a signalling one changes with the version of LLVM; hence
    /// the operands are made quiet, which LLVM drops where they are. It leaves open which of two zeros they give; the
    /// instructions of all targets order them.
    fn extreme(&mut self, name: &str, operation: &Operation) -> Value {
        let kind = types::number(operation.result);
        let mut numbers = self.numbers(operation);
        if name.ends_with("num") {
            for number in &mut numbers {
                *number = call(self.ir, "canonicalize", kind, &[number]);
            }
        }
        call(self.ir, name, kind, &[&numbers[0], &numbers[1]])
    }
}

/// The type in which [`Printer::widened`] gives a value.
pub(super) fn wide(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::F64 => "double",
        _ => "float",
    }
}

/// Whether an operation makes a float of an integer, which gives no NaN in a type that has infinities.
fn is_from_integer(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Sitofp | Opcode::Uitofp)
}
