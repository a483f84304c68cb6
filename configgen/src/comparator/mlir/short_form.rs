//! Short forms: operations of MLIR's `math` that the parser replaces by others.
//!
//! A test of a float's kind becomes a comparison. `clampf` becomes MLIR's lowering to LLVM: the
//! greater of the lower limit and the lesser of the value and the upper limit. It is NaN if one
//! of the three is.

use arrayvec::ArrayVec;

use super::super::opcode::Opcode;
use super::super::predicate::FloatPredicate;
use super::super::region::{Region, Value};
use super::super::scalar::ScalarType;

/// A short form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::comparator) enum Short {
    IsNan,
    IsInf,
    IsFinite,
    IsNormal,
    Clamp,
}

const TABLE: [(Short, &str); 5] = [
    (Short::IsNan, "math.isnan"),
    (Short::IsInf, "math.isinf"),
    (Short::IsFinite, "math.isfinite"),
    (Short::IsNormal, "math.isnormal"),
    (Short::Clamp, "math.clampf"),
];

impl Short {
    pub(in crate::comparator) fn from_name(name: &str) -> Option<Short> {
        TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Returns their names.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|row| row.1)
    }

    fn name(self) -> &'static str {
        let row = TABLE.iter().find(|row| row.0 == self);
        row.map_or("", |row| row.1)
    }

    /// Returns the number of operands, which have one type.
    pub(super) fn arity(self) -> usize {
        match self {
            Short::Clamp => 3,
            Short::IsNan | Short::IsInf | Short::IsFinite | Short::IsNormal => 1,
        }
    }

    /// Returns the type of the result for operands of this type.
    pub(super) fn result(self, operands: ScalarType) -> ScalarType {
        match self {
            Short::Clamp => operands,
            Short::IsNan | Short::IsInf | Short::IsFinite | Short::IsNormal => ScalarType::I1,
        }
    }

    /// Appends the operations that it stands for. The operands must be values of the region.
    ///
    /// # Errors
    /// Returns the expected form, if there are too many operations or the types do not fit.
    pub(super) fn append(
        self,
        region: &mut Region,
        operands: &[Value],
        result: ScalarType,
    ) -> Result<Value, String> {
        let name = self.name();
        let [x, ..] = *operands else {
            return Err(format!("{name} takes operands"));
        };
        let ty = region.type_of(x);
        if operands.len() != self.arity() {
            let (arity, count) = (self.arity(), operands.len());
            return Err(format!("{name} takes {arity} operands, not {count}"));
        }
        if !ty.is_float() {
            return Err(format!("{name} takes a floating-point type, not {ty}"));
        }
        if result != self.result(ty) {
            let wanted = self.result(ty);
            return Err(format!("{name} of {ty} gives {wanted}, not {result}"));
        }
        let mut add = |opcode: Opcode, operands: &[Value], result: ScalarType| {
            region.append(
                opcode,
                operands.iter().copied().collect::<ArrayVec<_, 3>>(),
                result,
            )
        };
        if self == Short::IsNan {
            return add(Opcode::Cmpf(FloatPredicate::Uno), &[x, x], result);
        }
        if let (Short::Clamp, &[x, low, high]) = (self, operands) {
            // The lower limit comes last, as in MLIR's lowering.
            let most = add(Opcode::Minimumf, &[x, high], ty)?;
            return add(Opcode::Maximumf, &[most, low], ty);
        }
        // A type without infinity has no infinite value.
        if self == Short::IsInf && !ty.has_infinity() {
            return add(Opcode::Constant(0), &[], result);
        }
        // Bounds compare the magnitude, so that one comparison serves both signs.
        let magnitude = add(Opcode::Absf, &[x], ty)?;
        let mut is = |predicate: FloatPredicate, bits: u64| {
            let bound = add(Opcode::Constant(bits), &[], ty)?;
            add(Opcode::Cmpf(predicate), &[magnitude, bound], ScalarType::I1)
        };
        let finite = ty.greatest_finite();
        match self {
            Short::IsInf => is(FloatPredicate::Oeq, ty.greatest()),
            Short::IsFinite => is(FloatPredicate::Ole, finite),
            _ => {
                let is_finite = is(FloatPredicate::Ole, finite)?;
                let is_large = is(FloatPredicate::Oge, ty.least_normal())?;
                add(Opcode::Andi, &[is_finite, is_large], ScalarType::I1)
            }
        }
    }
}
