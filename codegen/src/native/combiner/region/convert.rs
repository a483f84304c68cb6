//! Conversions between types.

use configgen::comparator::{Opcode, RegionOperation, ScalarType};

use super::float::wide;
use super::types;
use super::{Computation, narrow};
use crate::native::ir::{Conversion, Type, Value};

impl Computation<'_> {
    /// `extf`: exact.
    pub(super) fn extended(&mut self, operation: &RegionOperation) -> Value {
        let x = self.number(operation.operands[0]);
        let to = types::number(operation.result);
        match (x.kind, to) {
            // The number of a narrow type is an f32, and one of every wider narrow type.
            _ if x.kind == to => x,
            // An 8-bit float.
            (Type::F32, Type::F16) => self.ir.convert(Conversion::Round, x, to),
            _ => self.ir.convert(Conversion::Extend, x, to),
        }
    }

    /// `truncf`: one rounding, but from f64 to 8 bits, which goes through f32.
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
                match self.region.definition(operand) {
                    Some(_) => self.narrowed_product(to, single),
                    None => self.narrowed(to, single),
                }
            }
        }
    }

    /// `sitofp` and `uitofp`: to what is smaller than f32 by way of it.
    pub(super) fn float_of_integer(&mut self, operation: &RegionOperation) -> Value {
        let conversion = match operation.opcode {
            Opcode::Sitofp => Conversion::FromSigned,
            _ => Conversion::FromUnsigned,
        };
        let x = self.held(operation.operands[0]);
        let number = self.ir.convert(conversion, x, wide(operation.result));
        self.narrowed(operation.result, number)
    }

    /// `fptosi` and `fptoui`.
    pub(super) fn integer_of_float(&mut self, operation: &RegionOperation) -> Value {
        let conversion = match operation.opcode {
            Opcode::Fptosi => Conversion::ToSigned,
            _ => Conversion::ToUnsigned,
        };
        let x = self.widened(operation.operands[0]);
        self.ir
            .convert(conversion, x, types::held(operation.result))
    }

    /// `bitcast`, as it is held.
    pub(super) fn bitcast(&mut self, operation: &RegionOperation) -> Value {
        let x = self.held(operation.operands[0]);
        self.ir.bits(x, types::held(operation.result))
    }
}
