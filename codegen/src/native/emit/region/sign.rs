//! Operations that only change a sign: of a NaN too, and without touching its other bits.

use configgen::comparator::{Opcode, Operation, ScalarType};

use super::types::{self, call, is_narrow};
use super::{Printer, narrow};
use crate::native::ir::Value;

impl Printer<'_> {
    /// The result as it is held.
    pub(super) fn signed_bits(&mut self, operation: &Operation) -> Value {
        let scalar = operation.result;
        let kind = types::held(scalar);
        let x = self.held(operation.operands[0]);
        if !is_narrow(scalar) {
            return match operation.opcode {
                Opcode::Negf => self.ir.value(format_args!("fneg {kind} {x}")),
                Opcode::Absf => call(self.ir, "fabs", kind, &[&x]),
                _ => {
                    let sign = self.held(operation.operands[1]);
                    call(self.ir, "copysign", kind, &[&x, &sign])
                }
            };
        }
        let sign_bit = types::constant(scalar, scalar.sign_bit());
        let others = types::constant(scalar, scalar.sign_bit() - 1);
        let magnitude =
            |printer: &mut Self| printer.ir.value(format_args!("and {kind} {x}, {others}"));
        let signed = match operation.opcode {
            Opcode::Negf => self.ir.value(format_args!("xor {kind} {x}, {sign_bit}")),
            Opcode::Absf => magnitude(self),
            _ => {
                let sign = self.held(operation.operands[1]);
                let sign = self.ir.value(format_args!("and {kind} {sign}, {sign_bit}"));
                let magnitude = magnitude(self);
                self.ir.value(format_args!("or {kind} {magnitude}, {sign}"))
            }
        };
        if scalar.has_negative_zero() {
            return signed;
        }
        // Zero and NaN have no magnitude, and no sign to change.
        let magnitude = magnitude(self);
        let is_number = self.ir.value(format_args!("icmp ne {kind} {magnitude}, 0"));
        self.ir.value(format_args!(
            "select i1 {is_number}, {kind} {signed}, {kind} {x}"
        ))
    }

    /// The number of the result, which is of a narrow type.
    pub(super) fn signed_number(&mut self, operation: &Operation) -> Value {
        let scalar = operation.result;
        let x = self.number(operation.operands[0]);
        match operation.opcode {
            Opcode::Negf => {
                let negative = self.ir.value(format_args!("fneg float {x}"));
                narrow::with_its_zero(self.ir, scalar, negative)
            }
            Opcode::Absf => call(self.ir, "fabs", "float", &[&x]),
            _ => {
                // A NaN has its sign in the bits alone.
                let sign = self.held(operation.operands[1]);
                let sign = self.sign_as_float(scalar, &sign);
                let signed = call(self.ir, "copysign", "float", &[&x, &sign]);
                narrow::with_its_zero(self.ir, scalar, signed)
            }
        }
    }

    fn sign_as_float(&mut self, scalar: ScalarType, held: &Value) -> Value {
        let kind = types::held(scalar);
        let wide = self.ir.value(format_args!("sext {kind} {held} to i32"));
        self.ir.value(format_args!("bitcast i32 {wide} to float"))
    }
}
