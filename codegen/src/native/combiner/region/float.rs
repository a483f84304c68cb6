//! Operations that compute a float.

use configgen::comparator::{self, FloatPredicate, Opcode, RegionOperation, ScalarType};

use super::remainder::remainder;
use super::types::{self, is_narrow};
use super::{Computation, narrow, rounded_function};
use crate::native::ir::{self, Binary, Conversion, Type, Unary, Value};

impl Computation<'_> {
    /// Builds the number that an operation computes. A NaN is the canonical one if its bits are
    /// visible.
    pub(super) fn computed(
        &mut self,
        value: comparator::Value,
        operation: &RegionOperation,
    ) -> Value {
        let number = self.number_of(operation);
        let scalar = operation.result;
        // Types without infinities have one NaN apart from its sign; the encoding sets it.
        if !self.seen[value.index()] || !scalar.has_infinity() || is_from_integer(operation.opcode)
        {
            return number;
        }
        let nan = match is_narrow(scalar) {
            true => types::single(f64::NAN),
            false => types::constant(scalar, scalar.canonical_nan()),
        };
        let is_nan = self.ir.compare(FloatPredicate::Uno, number, number);
        self.ir.select(is_nan, nan, number)
    }

    fn number_of(&mut self, operation: &RegionOperation) -> Value {
        match operation.opcode {
            Opcode::Addf => self.sum(Binary::AddFloat, operation),
            Opcode::Subf => self.sum(Binary::SubFloat, operation),
            Opcode::Mulf => self.arithmetic(Binary::MulFloat, operation),
            Opcode::Divf | Opcode::Sqrt | Opcode::Remf => self.wide_arithmetic(operation),
            opcode if opcode.rounded().is_some() => self.approximate(operation),
            Opcode::Floor => self.whole(Unary::Floor, operation),
            Opcode::Ceil => self.whole(Unary::Ceiling, operation),
            Opcode::Trunc => self.whole(Unary::Whole, operation),
            Opcode::Round => self.whole(Unary::RoundAway, operation),
            Opcode::Roundeven => self.whole(Unary::RoundEven, operation),
            Opcode::Fma => self.fused(operation),
            Opcode::Maximumf => self.extreme(Binary::Maximum, operation),
            Opcode::Minimumf => self.extreme(Binary::Minimum, operation),
            Opcode::Maxnumf => self.extreme(Binary::MaxNumber, operation),
            Opcode::Minnumf => self.extreme(Binary::MinNumber, operation),
            Opcode::Extf => self.extended(operation),
            Opcode::Truncf => self.truncated(operation),
            _ => self.float_of_integer(operation),
        }
    }

    fn fused(&mut self, operation: &RegionOperation) -> Value {
        let scalar = operation.result;
        let numbers = self.numbers(operation);
        let [x, y, z] = [0, 1, 2].map(|n| numbers[n]);
        // If a factor is one, LLVM turns this into a sum, whose sign of zero is at risk as in
        // `sum`.
        let constants = [0, 1, 2].map(|n| self.region.constant(operation.operands[n]));
        let one = scalar.round(1.0);
        let ones = [one, one | scalar.sign_bit()].map(Some);
        let other = match constants {
            [a, _, Some(0)] if ones.contains(&a) => Some((y, a)),
            [_, b, Some(0)] if ones.contains(&b) => Some((x, b)),
            _ => None,
        };
        let sum = match other {
            Some((x, factor)) if factor == Some(one) => types::with_positive_zero(self.ir, x),
            Some((x, _)) => {
                let negative = self.ir.unary(Unary::Negate, x);
                types::with_positive_zero(self.ir, negative)
            }
            None => {
                let fused = ir::IrOperation::FusedMultiplyAdd(x, y, z);
                self.ir.value(x.kind, fused)
            }
        };
        self.rounded(scalar, sum)
    }

    fn numbers(&mut self, operation: &RegionOperation) -> Vec<Value> {
        let operands = operation.operands.iter();
        operands.map(|&operand| self.number(operand)).collect()
    }

    /// Builds an operation that LLVM rounds correctly in the type of the numbers, f16 included.
    fn arithmetic(&mut self, arithmetic: Binary, operation: &RegionOperation) -> Value {
        let numbers = self.numbers(operation);
        let number = self.ir.binary(arithmetic, numbers[0], numbers[1]);
        self.rounded(operation.result, number)
    }

    /// Builds a sum or difference. LLVM's AMDGPU back end folds `0.0 - x`, and forms that it
    /// turns into that, into the using instruction as `-x`. That is another zero if x is one. So
    /// a constant zero that decides the sign of a zero is never added or subtracted.
    fn sum(&mut self, arithmetic: Binary, operation: &RegionOperation) -> Value {
        let [x, y] = [0, 1].map(|n| operation.operands[n]);
        let scalar = operation.result;
        let is_sum = arithmetic == Binary::AddFloat;
        let is = |value, zero| self.region.constant(value) == Some(zero);
        // The bits of +0 as the second term of a sum. An FNUZ type has no -0; these bits are its
        // NaN.
        let positive = match is_sum {
            true => 0,
            false => scalar.sign_bit(),
        };
        let term = if is(x, 0) {
            let y = self.number(y);
            match is_sum {
                true => y,
                false => self.ir.unary(Unary::Negate, y),
            }
        } else if is(y, positive) && !scalar.is_nan(positive) {
            self.number(x)
        } else {
            return self.arithmetic(arithmetic, operation);
        };
        types::with_positive_zero(self.ir, term)
    }

    /// Rounds a number that was computed in the number type of `scalar` to `scalar`.
    fn rounded(&mut self, scalar: ScalarType, number: Value) -> Value {
        match is_narrow(scalar) {
            true => narrow::round(self.ir, scalar, number),
            false => number,
        }
    }

    /// Builds an operation that is computed in f32 for f16. Older versions of LLVM divide in f16
    /// with an error beyond half a unit, and so does the square root instruction.
    fn wide_arithmetic(&mut self, operation: &RegionOperation) -> Value {
        let scalar = operation.result;
        let operands = operation.operands.iter();
        let x: Vec<Value> = operands.map(|&operand| self.widened(operand)).collect();
        match operation.opcode {
            Opcode::Divf => {
                let quotient = self.ir.binary(Binary::DivFloat, x[0], x[1]);
                // LLVM turns a division by a constant into a product if it can.
                self.narrowed_product(scalar, quotient)
            }
            Opcode::Sqrt => {
                let root = self.ir.unary(Unary::SquareRoot, x[0]);
                self.narrowed(scalar, root)
            }
            _ => {
                // A remainder is exact in the operands' type; only the sign of a zero may differ.
                let exact = remainder(self.ir, x[0], x[1]);
                match is_narrow(scalar) {
                    true => narrow::with_its_zero(self.ir, scalar, exact),
                    false => self.narrowed(scalar, exact),
                }
            }
        }
    }

    /// Converts a value to f64 or, if its type is smaller, to f32.
    pub(super) fn widened(&mut self, value: comparator::Value) -> Value {
        let number = self.number(value);
        match self.region.type_of(value) {
            ScalarType::F16 => self.ir.convert(Conversion::Extend, number, Type::F32),
            _ => number,
        }
    }

    /// Rounds a number in f64 or f32, as [`wide`] says, to the nearest of type `scalar`.
    pub(super) fn narrowed(&mut self, scalar: ScalarType, number: Value) -> Value {
        match scalar {
            ScalarType::F16 if self.ir.is_product(&number) => self.narrowed_product(scalar, number),
            ScalarType::F16 => self.ir.convert(Conversion::Round, number, Type::F16),
            _ => self.rounded(scalar, number),
        }
    }

    /// Rounds as [`Self::narrowed`] a number that may be a product. LLVM's AMDGPU back end rounds
    /// a product to f16 by a fused multiply-add of +0, which makes a zero positive. An opaque
    /// operation hides the product from it.
    pub(super) fn narrowed_product(&mut self, scalar: ScalarType, number: Value) -> Value {
        if scalar != ScalarType::F16 {
            return self.narrowed(scalar, number);
        }
        let bits = self.ir.bits(number, Type::I32);
        let bits = self.ir.unary(Unary::Opaque, bits);
        let number = self.ir.bits(bits, Type::F32);
        self.narrowed(scalar, number)
    }

    /// Builds a rounded function, which is computed in f32.
    fn approximate(&mut self, operation: &RegionOperation) -> Value {
        let x = self.widened(operation.operands[0]);
        let number = rounded_function::function(self.ir, operation.opcode, x);
        self.narrowed(operation.result, number)
    }

    /// Rounds a number to an integer. Every type has this integer, so the result is exact, but it
    /// may be a negative zero.
    fn whole(&mut self, whole: Unary, operation: &RegionOperation) -> Value {
        let number = self.number(operation.operands[0]);
        let integer = self.ir.unary(whole, number);
        narrow::with_its_zero(self.ir, operation.result, integer)
    }

    /// Builds a minimum or maximum: one of two numbers, so nothing is rounded.
    ///
    /// `maxnum` and `minnum` ignore a NaN, but the effect of a signalling NaN depends on the
    /// version of LLVM. Therefore the operands are made quiet; LLVM drops that if they are. LLVM
    /// leaves open which of two zeros results; the instructions of all targets order them.
    fn extreme(&mut self, extreme: Binary, operation: &RegionOperation) -> Value {
        let mut numbers = self.numbers(operation);
        if matches!(extreme, Binary::MaxNumber | Binary::MinNumber) {
            for number in &mut numbers {
                *number = self.ir.unary(Unary::Canonicalize, *number);
            }
        }
        self.ir.binary(extreme, numbers[0], numbers[1])
    }
}

/// Returns the type of the result of [`Computation::widened`].
pub(super) fn wide(scalar: ScalarType) -> Type {
    match scalar {
        ScalarType::F64 => Type::F64,
        _ => Type::F32,
    }
}

/// Returns true if an operation converts an integer to a float. The result is no NaN in a type
/// with infinities.
fn is_from_integer(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Sitofp | Opcode::Uitofp)
}
