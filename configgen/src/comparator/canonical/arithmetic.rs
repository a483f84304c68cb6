//! Simplification of signs, conversions and integers.

use super::super::opcode::Opcode;
use super::super::region::Value;
use super::super::scalar::ScalarType;
use super::super::semantics::{apply, is_negative};
use super::graph::Graph;

impl Graph {
    /// Builds an operation of one operand.
    pub(super) fn unary(&mut self, opcode: Opcode, x: Value, result: ScalarType) -> Value {
        use Opcode::*;
        let from = self.type_of(x);
        if from == result && opcode == Bitcast {
            return x;
        }
        let inner = self
            .definition(x)
            .and_then(|(inner, operands)| Some((inner, *operands.first()?)));
        let Some((inner, y)) = inner else {
            return self.intern(opcode, &[x], result);
        };
        match (opcode, inner) {
            // Two negations cancel to the bit, since a negation only flips the sign, of a NaN
            // too.
            (Negf, Negf) => y,
            (Absf, Negf | Absf | Copysign) => self.unary(Absf, y, result),
            (Absi, Absi) => x,
            (outer, inner) if outer.rounds() && inner.rounds() => x,
            (Extf, Extf)
            | (Extsi, Extsi)
            | (Extui, Extui)
            | (Trunci, Trunci)
            | (Bitcast, Bitcast) => self.unary(opcode, y, result),
            // A zero-extended value is not negative, so its sign extension adds zeros too.
            (Extsi, Extui) => self.unary(Extui, y, result),
            (Sitofp, Extui) => self.unary(Uitofp, y, result),
            (Sitofp, Extsi) | (Uitofp, Extui) => self.unary(opcode, y, result),
            (Trunci, Extsi | Extui) => match self.type_of(y).bits().cmp(&result.bits()) {
                std::cmp::Ordering::Equal => y,
                std::cmp::Ordering::Less => self.unary(inner, y, result),
                std::cmp::Ordering::Greater => self.unary(Trunci, y, result),
            },
            _ => self.intern(opcode, &[x], result),
        }
    }

    pub(super) fn copysign(&mut self, x: Value, y: Value) -> Value {
        let ty = self.type_of(x);
        if x == y {
            return x;
        }
        if let Some(bits) = self.bits(y) {
            // A constant sign is a negation or a magnitude, which have fewer operands.
            let magnitude = self.unary(Opcode::Absf, x, ty);
            return match is_negative(ty, bits) {
                true => self.build(Opcode::Negf, &[magnitude], ty),
                false => magnitude,
            };
        }
        match self.definition(x) {
            Some((Opcode::Negf | Opcode::Absf | Opcode::Copysign, operands)) => {
                let inner = operands[0];
                self.copysign(inner, y)
            }
            _ => self.intern(Opcode::Copysign, &[x, y], ty),
        }
    }

    /// Builds an operation on two integers, which are in order if they commute.
    pub(super) fn integer(&mut self, opcode: Opcode, x: Value, y: Value) -> Value {
        use Opcode::*;
        let ty = self.type_of(x);
        if x == y {
            match opcode {
                Andi | Ori | Maxsi | Maxui | Minsi | Minui => return x,
                Subi | Xori => return self.constant(0, ty),
                _ => {}
            }
        }
        if let Some(constant) = self.bits(y) {
            let all = ty.mask();
            match (opcode, constant) {
                (Addi | Subi | Ori | Xori | Shli | Shrsi | Shrui, 0) => return x,
                (Andi | Muli, 0) => return y,
                (Muli | Divui | Divsi, 1) => return x,
                (Andi, bits) if bits == all => return x,
                (Ori, bits) if bits == all => return y,
                (Xori, _) if ty == ScalarType::I1 => return self.negate(x),
                // One form for both: a subtraction of a constant is an addition.
                (Subi, bits) => {
                    let negative = self.constant(bits.wrapping_neg() & all, ty);
                    return self.build(Addi, &[x, negative], ty);
                }
                _ => {}
            }
            if let Some(value) = self.associate(opcode, x, constant, ty) {
                return value;
            }
        }
        match (opcode, ty) {
            (Andi | Ori | Xori, ScalarType::I1) => self.logic(opcode, x, y),
            _ => self.intern(opcode, &[x, y], ty),
        }
    }

    /// Builds `(z op c) op constant` as `z op (c op constant)`.
    fn associate(
        &mut self,
        opcode: Opcode,
        x: Value,
        constant: u64,
        ty: ScalarType,
    ) -> Option<Value> {
        // Integer operations wrap, so these associate to the bit; float operations do not.
        use Opcode::*;
        if !matches!(
            opcode,
            Addi | Muli | Andi | Ori | Xori | Maxsi | Maxui | Minsi | Minui
        ) {
            return None;
        }
        let (inner, operands) = self.definition(x)?;
        if inner != opcode {
            return None;
        }
        let (z, other) = (operands[0], self.bits(operands[1])?);
        let both = self.constant(apply(opcode, ty, ty, [other, constant, 0]), ty);
        Some(self.build(opcode, &[z, both], ty))
    }
}
