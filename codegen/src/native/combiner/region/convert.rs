//! Conversions between types.

use configgen::comparator::{Opcode, RegionOperation, ScalarType};

use super::float::wide;
use super::types;
use super::{Computation, narrow};
use crate::native::ir::{Conversion, Type, Value};

impl Computation<'_> {
    /// Builds `extf`, which is exact.
    pub(super) fn extended(&mut self, operation: &RegionOperation) -> Value {
        let x = self.number(operation.operands[0]);
        let to = types::number(operation.result);
        match (x.kind, to) {
            // The number of a narrow type is an f32, and so is that of every wider narrow type.
            _ if x.kind == to => x,
            // From an 8-bit float: its number is an f32, and an f16 holds it exactly.
            (Type::F32, Type::F16) => self.ir.convert(Conversion::Round, x, to),
            _ => self.ir.convert(Conversion::Extend, x, to),
        }
    }

    /// Builds `truncf`: one rounding, except from f64 to 8 bits, which rounds to f32 first.
    pub(super) fn truncated(&mut self, operation: &RegionOperation) -> Value {
        let (operand, to) = (operation.operands[0], operation.result);
        match self.region.type_of(operand) {
            ScalarType::F64 => {
                let x = self.number(operand);
                match to {
                    ScalarType::Bf16 => narrow::round(self.ir, to, x),
                    ScalarType::F16 => self.ir.convert(Conversion::Round, x, Type::F16),
                    _ => {
                        let single = self.ir.convert(Conversion::Round, x, Type::F32);
                        self.narrowed(to, single)
                    }
                }
            }
            _ => {
                let single = self.widened(operand);
                // A computed operand may be a product, see `narrowed_product`.
                match self.region.definition(operand) {
                    Some(_) => self.narrowed_product(to, single),
                    None => self.narrowed(to, single),
                }
            }
        }
    }

    /// Builds `sitofp` and `uitofp`. A result smaller than f32 is computed in f32 first.
    pub(super) fn float_of_integer(&mut self, operation: &RegionOperation) -> Value {
        let conversion = match operation.opcode {
            Opcode::Sitofp => Conversion::FromSigned,
            _ => Conversion::FromUnsigned,
        };
        let x = self.held(operation.operands[0]);
        let number = self.ir.convert(conversion, x, wide(operation.result));
        self.narrowed(operation.result, number)
    }

    /// Builds `fptosi` and `fptoui`.
    pub(super) fn integer_of_float(&mut self, operation: &RegionOperation) -> Value {
        let conversion = match operation.opcode {
            Opcode::Fptosi => Conversion::ToSigned,
            _ => Conversion::ToUnsigned,
        };
        let x = self.widened(operation.operands[0]);
        self.ir
            .convert(conversion, x, types::held(operation.result))
    }

    /// Builds `bitcast`, in the held form.
    pub(super) fn bitcast(&mut self, operation: &RegionOperation) -> Value {
        let x = self.held(operation.operands[0]);
        self.ir.bits(x, types::held(operation.result))
    }
}
