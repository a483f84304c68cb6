//! Short forms: operations of MLIR's `math` that stand for others, and are read as these.
//!
//! A test of a float's kind is a comparison; `clampf` is what MLIR's lowering to LLVM makes of it, the greater of the
//! lower limit and the lesser of the value and the upper limit, and NaN where one of the three is.

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

    /// Their names.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|row| row.1)
    }

    fn name(self) -> &'static str {
        let row = TABLE.iter().find(|row| row.0 == self);
        row.map_or("", |row| row.1)
    }

    /// The number of operands, which are of one type.
    pub(super) fn arity(self) -> usize {
        match self {
            Short::Clamp => 3,
            Short::IsNan | Short::IsInf | Short::IsFinite | Short::IsNormal => 1,
        }
    }

    /// The type of the result, of operands of this one.
    pub(super) fn result(self, operands: ScalarType) -> ScalarType {
        match self {
            Short::Clamp => operands,
            Short::IsNan | Short::IsInf | Short::IsFinite | Short::IsNormal => ScalarType::I1,
        }
    }

    /// Appends the operations that it stands for. The operands are values of the region.
    ///
    /// # Errors
    /// When there are too many operations, or the types do not fit: what was expected.
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
            let most = add(Opcode::Minimumf, &[x, high], ty)?;
            return add(Opcode::Maximumf, &[most, low], ty);
        }
        if self == Short::IsInf && !ty.has_infinity() {
            return add(Opcode::Constant(0), &[], result);
        }
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
