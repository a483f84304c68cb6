//! Conversions between types.

use configgen::comparator::{Opcode, Operation, ScalarType};

use super::float::wide;
use super::types::{self, suffix};
use super::{Printer, narrow};
use crate::native::ir::Value;

impl Printer<'_> {
    /// `extf`: exact.
    pub(super) fn extended(&mut self, operation: &Operation) -> Value {
        let operand = operation.operands[0];
        let x = self.number(operand);
        let from = types::number(self.region.type_of(operand));
        let to = types::number(operation.result);
        match (from, to) {
            // The number of a narrow type is an f32, and one of every wider narrow type.
            _ if from == to => x,
            // An 8-bit float.
            ("float", "half") => self.ir.value(format_args!("fptrunc float {x} to half")),
            _ => self.ir.value(format_args!("fpext {from} {x} to {to}")),
        }
    }

    /// `truncf`: one rounding, but from f64 to 8 bits, which goes through f32.
    pub(super) fn truncated(&mut self, operation: &Operation) -> Value {
        let (operand, to) = (operation.operands[0], operation.result);
        match self.region.type_of(operand) {
            ScalarType::F64 => {
                let x = self.number(operand);
                match to {
                    ScalarType::Bf16 => narrow::round(self.ir, to, "double", &x),
                    ScalarType::F16 => self.ir.value(format_args!("fptrunc double {x} to half")),
                    _ => {
                        let single = self.ir.value(format_args!("fptrunc double {x} to float"));
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
    pub(super) fn float_of_integer(&mut self, operation: &Operation) -> Value {
        let operand = operation.operands[0];
        let instruction = match operation.opcode {
            Opcode::Sitofp => "sitofp",
            _ => "uitofp",
        };
        let (from, to) = (self.region.type_of(operand), wide(operation.result));
        let x = self.held(operand);
        let number = self
            .ir
            .value(format_args!("{instruction} {from} {x} to {to}"));
        self.narrowed(operation.result, number)
    }

    /// `fptosi` and `fptoui`.
    pub(super) fn integer_of_float(&mut self, operation: &Operation) -> Value {
        let operand = operation.operands[0];
        let name = match operation.opcode {
            Opcode::Fptosi => "fptosi",
            _ => "fptoui",
        };
        let x = self.widened(operand);
        let from = wide(self.region.type_of(operand));
        let (to, suffix) = (operation.result, suffix(from));
        self.ir.value(format_args!(
            "call {to} @llvm.{name}.sat.{to}.{suffix}({from} {x})"
        ))
    }

    /// `bitcast`, as it is held.
    pub(super) fn bitcast(&mut self, operation: &Operation) -> Value {
        let operand = operation.operands[0];
        let x = self.held(operand);
        let from = types::held(self.region.type_of(operand));
        let to = types::held(operation.result);
        match from == to {
            true => x,
            false => self.ir.value(format_args!("bitcast {from} {x} to {to}")),
        }
    }
}
