//! The keys of `arg_compare`: registers of elements or values computed from them, and the
//! extremes of both.

use configgen::Initial;
use configgen::comparator::order::ExtremeKind;
use configgen::comparator::{FloatPredicate, IntegerPredicate, ScalarType};

use super::arg_compare::{ArgCompare, ElementComparison};
use super::{region, register};
use crate::native::ir::Scalar;
use crate::native::ir::{Binary, Builder, Predicate, Value};

impl ArgCompare {
    /// Returns the comparison of registers or keys that holds if the first is better (or equal,
    /// with `or_equal`).
    pub(super) fn predicate(&self, is_float: bool, or_equal: bool) -> Predicate {
        use {FloatPredicate as F, IntegerPredicate as I};
        match (is_float, self.is_signed(), self.side(), or_equal) {
            (true, _, ExtremeKind::Max, false) => F::Ogt.into(),
            (true, _, ExtremeKind::Max, true) => F::Oge.into(),
            (true, _, ExtremeKind::Min, false) => F::Olt.into(),
            (true, _, ExtremeKind::Min, true) => F::Ole.into(),
            (false, true, ExtremeKind::Max, false) => I::Sgt.into(),
            (false, true, ExtremeKind::Max, true) => I::Sge.into(),
            (false, true, ExtremeKind::Min, false) => I::Slt.into(),
            (false, true, ExtremeKind::Min, true) => I::Sle.into(),
            (false, false, ExtremeKind::Max, false) => I::Ugt.into(),
            (false, false, ExtremeKind::Max, true) => I::Uge.into(),
            (false, false, ExtremeKind::Min, false) => I::Ult.into(),
            (false, false, ExtremeKind::Min, true) => I::Ule.into(),
        }
    }

    /// Returns the type of a key before it is widened.
    fn key_type(&self) -> ScalarType {
        match (&self.test, self.extreme()) {
            (ElementComparison::Keyed, Some(extreme)) => extreme.key.type_of(extreme.key.result()),
            _ => self.element.into(),
        }
    }

    /// Returns the register type of keys: 32 or 64 bits, so that lanes exchange them without
    /// conversion.
    pub(crate) fn key(&self) -> Scalar {
        let key = self.key_type();
        match (key.is_float(), key.bits()) {
            (true, 64) => Scalar::F64,
            (true, _) => Scalar::F32,
            (false, 64) => Scalar::I64,
            (false, _) => Scalar::I32,
        }
    }

    /// Computes the key of a state's value.
    pub(crate) fn key_of(&self, ir: &mut Builder, value: Value) -> Value {
        let ordered = match (&self.test, self.extreme()) {
            (ElementComparison::Keyed, Some(extreme)) => {
                let argument = self.argument(ir, value);
                let key = region::build(ir, &extreme.key, &[argument]);
                match self.key_type().element() {
                    Some(element) => register::ordered(ir, element, self.is_signed(), key),
                    // A truth value has no ordered form of its own.
                    None => key,
                }
            }
            _ => value,
        };
        register::widened(ir, self.is_signed(), ordered)
    }

    /// Computes as `i1` whether key `a` is better than key `b`, and not equal.
    pub(super) fn is_better(&self, ir: &mut Builder, a: Value, b: Value) -> Value {
        ir.compare(self.predicate(a.kind.is_float(), false), a, b)
    }

    /// Computes as `i1` whether two keys are equally good; +0 and -0 are.
    pub(crate) fn is_same(&self, ir: &mut Builder, a: Value, b: Value) -> Value {
        match a.kind.is_float() {
            true => ir.compare(FloatPredicate::Oeq, a, b),
            false => ir.compare(IntegerPredicate::Eq, a, b),
        }
    }

    /// Computes the better of two keys, with either sign if both are zeros. Keys are no NaN. The
    /// printers may tell the compiler, so that it does not quiet the operands first. Only a given
    /// initial value may be a NaN.
    pub(crate) fn best(&self, ir: &mut Builder, a: Value, b: Value) -> Value {
        ir.binary(self.extreme_of(a, self.initial == Initial::Worst), a, b)
    }

    /// Returns the operation for the better of two registers of this type.
    fn extreme_of(&self, register: Value, is_no_nan: bool) -> Binary {
        let is_float = register.kind.is_float();
        match (is_float, self.is_signed(), self.side()) {
            (true, _, ExtremeKind::Max) if is_no_nan => Binary::MaxNumberNoNan,
            (true, _, ExtremeKind::Min) if is_no_nan => Binary::MinNumberNoNan,
            (true, _, ExtremeKind::Max) => Binary::MaxNumber,
            (true, _, ExtremeKind::Min) => Binary::MinNumber,
            (false, true, ExtremeKind::Max) => Binary::MaxSigned,
            (false, true, ExtremeKind::Min) => Binary::MinSigned,
            (false, false, ExtremeKind::Max) => Binary::MaxUnsigned,
            (false, false, ExtremeKind::Min) => Binary::MinUnsigned,
        }
    }

    /// Computes the better of two elements in their registers, if one comparison decides. Returns
    /// the number for a NaN and a number.
    pub(crate) fn better_element(&self, ir: &mut Builder, a: Value, b: Value) -> Value {
        ir.binary(self.extreme_of(a, false), a, b)
    }
}

#[cfg(test)]
mod tests {
    use configgen::{Generator, Problem, Space, TARGETS};

    use super::*;
    use crate::native::ir::IrOperation;
    use crate::native::{NativeStage, explain};

    /// Checks the operation that finds the better of two keys.
    #[track_caller]
    fn check(problem: &str, expected: Binary) {
        let problem: Problem = problem.parse().unwrap();
        let combiner = ArgCompare::new(&problem, problem.reduction.comparison().unwrap());
        let mut ir = Builder::new();
        let key = Value::any(combiner.key().into());
        combiner.best(&mut ir, key, key);
        let (block, _) = ir.finish();
        let operation = &block.statements[0].operation;
        assert_eq!(*operation, IrOperation::Binary(expected, key, key));
    }

    #[test]
    fn keys_may_be_nan_if_initial_values_may() {
        check("argmax:[9]xf32", Binary::MaxNumberNoNan);
        check("argmin:[9]xbf16", Binary::MinNumberNoNan);
        check("argmax:[9]xf32:i32:initial", Binary::MaxNumber);
        check("argmin_last:[9]xf16:i64:initial", Binary::MinNumber);
        check("argmax:[9]xi32:i32:initial", Binary::MaxSigned);
    }

    /// In whole kernels, of which some say that nothing is a NaN where they begin with the worst value.
    #[test]
    fn kernels_that_begin_with_initial_pairs_tell_llvm_nothing_of_nan() {
        for target in &TARGETS {
            for (initial, says) in [("", true), (":initial", false)] {
                let problem: Problem = format!("argmax:7x[4099]xf32:i32{initial}").parse().unwrap();
                let space = Space::new(&problem, target, Generator::NATIVE);
                let mut texts = space.sample(40, 1).into_iter().map(|configuration| {
                    explain(&problem, target, &configuration, NativeStage::Llvm).unwrap()
                });
                assert_eq!(
                    texts.any(|text| text.contains("nnan")),
                    says,
                    "{target} {problem}"
                );
            }
        }
    }
}
