//! Operations that only change a sign, also of a NaN, and keep all other bits.

use configgen::comparator::{IntegerPredicate, Opcode, RegionOperation};

use super::types::{self, is_narrow};
use super::{Computation, narrow};
use crate::native::ir::{Binary, Conversion, Type, Unary, Value};

impl Computation<'_> {
    /// Builds the result in its held form.
    pub(super) fn signed_bits(&mut self, operation: &RegionOperation) -> Value {
        let scalar = operation.result;
        let x = self.held(operation.operands[0]);
        if !is_narrow(scalar) {
            return match operation.opcode {
                Opcode::Negf => self.ir.unary(Unary::Negate, x),
                Opcode::Absf => self.ir.unary(Unary::AbsFloat, x),
                _ => {
                    let sign = self.held(operation.operands[1]);
                    self.ir.binary(Binary::CopySign, x, sign)
                }
            };
        }
        let sign_bit = types::constant(scalar, scalar.sign_bit());
        let others = types::constant(scalar, scalar.sign_bit() - 1);
        let signed = match operation.opcode {
            Opcode::Negf => self.ir.binary(Binary::Xor, x, sign_bit),
            Opcode::Absf => self.ir.and(x, others),
            _ => {
                let sign = self.held(operation.operands[1]);
                let sign = self.ir.and(sign, sign_bit);
                let magnitude = self.ir.and(x, others);
                self.ir.or(magnitude, sign)
            }
        };
        if scalar.has_negative_zero() {
            return signed;
        }
        // In a type without negative zero, a zero and a NaN have no magnitude and no sign to
        // change.
        let magnitude = self.ir.and(x, others);
        let zero = types::constant(scalar, 0);
        let is_number = self.ir.compare(IntegerPredicate::Ne, magnitude, zero);
        self.ir.select(is_number, signed, x)
    }

    /// Builds the number of the result, which has a narrow type.
    pub(super) fn signed_number(&mut self, operation: &RegionOperation) -> Value {
        let scalar = operation.result;
        let x = self.number(operation.operands[0]);
        match operation.opcode {
            Opcode::Negf => {
                let negative = self.ir.unary(Unary::Negate, x);
                narrow::with_its_zero(self.ir, scalar, negative)
            }
            Opcode::Absf => self.ir.unary(Unary::AbsFloat, x),
            _ => {
                // Only the bits hold the sign of a NaN.
                let sign = self.held(operation.operands[1]);
                let sign = self.sign_as_float(sign);
                let signed = self.ir.binary(Binary::CopySign, x, sign);
                narrow::with_its_zero(self.ir, scalar, signed)
            }
        }
    }

    fn sign_as_float(&mut self, held: Value) -> Value {
        let wide = self.ir.convert(Conversion::SignExtend, held, Type::I32);
        self.ir.bits(wide, Type::F32)
    }
}
