//! Named comparators.
//!
//! - `argmax` and `argmin` keep the first of the extreme elements and ignore NaN.
//! - With `_nan`, the first NaN wins (torch, numpy).
//! - With `_last`, the last of equal elements wins (ONNX's `select_last_index`).
//! - A predicate behind a point, as in `argmin.ult`, names the comparison.
//!
//! Without a predicate, integers are signed, except `i1`. True is greater than false there, as in
//! StableHLO, JAX and numpy, and `argmax` gives the first true element. (As a signed number, true
//! is -1. IREE lowers torch's argmax of truth values to `argmax.sgt`; torch itself has none.)

use super::opcode::Opcode;
use super::predicate::{FloatPredicate, IntegerPredicate};
use super::region::{Region, Value};
use super::scalar::ScalarType;

/// The comparison of the candidate with the accumulator in a named comparator.
#[derive(Clone, Copy)]
enum Test {
    Float(FloatPredicate),
    /// The comparison, and the accumulator is not NaN. With an unordered predicate, a NaN wins.
    FloatNan(FloatPredicate),
    /// A comparison of integers.
    Integer(IntegerPredicate),
    /// A comparison of integers except `i1`.
    Number(IntegerPredicate),
    /// A comparison of `i1` alone.
    Truth(IntegerPredicate),
}

use Test::{Float, FloatNan, Integer, Number, Truth};

/// The names; of several for one comparator, the preferred one comes first.
const NAMES: [(&str, Test); 30] = [
    ("argmax", Float(FloatPredicate::Ogt)),
    ("argmin", Float(FloatPredicate::Olt)),
    ("argmax", Number(IntegerPredicate::Sgt)),
    ("argmax", Truth(IntegerPredicate::Ugt)),
    ("argmin", Number(IntegerPredicate::Slt)),
    ("argmin", Truth(IntegerPredicate::Ult)),
    ("argmax_nan", FloatNan(FloatPredicate::Ugt)),
    ("argmin_nan", FloatNan(FloatPredicate::Ult)),
    ("argmax_last", Float(FloatPredicate::Oge)),
    ("argmin_last", Float(FloatPredicate::Ole)),
    ("argmax_last", Number(IntegerPredicate::Sge)),
    ("argmax_last", Truth(IntegerPredicate::Uge)),
    ("argmin_last", Number(IntegerPredicate::Sle)),
    ("argmin_last", Truth(IntegerPredicate::Ule)),
    ("argmax.ogt", Float(FloatPredicate::Ogt)),
    ("argmax.oge", Float(FloatPredicate::Oge)),
    ("argmax.ugt", Float(FloatPredicate::Ugt)),
    ("argmax.uge", Float(FloatPredicate::Uge)),
    ("argmin.olt", Float(FloatPredicate::Olt)),
    ("argmin.ole", Float(FloatPredicate::Ole)),
    ("argmin.ult", Float(FloatPredicate::Ult)),
    ("argmin.ule", Float(FloatPredicate::Ule)),
    ("argmax.sgt", Integer(IntegerPredicate::Sgt)),
    ("argmax.sge", Integer(IntegerPredicate::Sge)),
    ("argmax.ugt", Integer(IntegerPredicate::Ugt)),
    ("argmax.uge", Integer(IntegerPredicate::Uge)),
    ("argmin.slt", Integer(IntegerPredicate::Slt)),
    ("argmin.sle", Integer(IntegerPredicate::Sle)),
    ("argmin.ult", Integer(IntegerPredicate::Ult)),
    ("argmin.ule", Integer(IntegerPredicate::Ule)),
];

/// Returns the names of this type's comparators, each with its region, preferred names first.
pub(super) fn regions(element: ScalarType) -> impl Iterator<Item = (&'static str, Region)> {
    NAMES
        .iter()
        .filter_map(move |&(name, test)| Some((name, test.region(element)?)))
}

impl Test {
    fn region(self, element: ScalarType) -> Option<Region> {
        let mut region = Region::new(element, 2);
        let compare = |opcode, region: &mut Region, x, y| {
            let operands = [x, y].into_iter().collect();
            region.append(opcode, operands, ScalarType::I1).ok()
        };
        let is_truth = element == ScalarType::I1;
        let result = match self {
            // Truth values are compared as unsigned, so that true is greater than false.
            Number(_) if is_truth => return None,
            Truth(_) if !is_truth => return None,
            Float(predicate) => compare(Opcode::Cmpf(predicate), &mut region, Value::A, Value::B)?,
            Integer(predicate) | Number(predicate) | Truth(predicate) => {
                compare(Opcode::Cmpi(predicate), &mut region, Value::A, Value::B)?
            }
            // An unordered predicate also holds for a NaN accumulator, so the second test
            // excludes that.
            FloatNan(predicate) => {
                let wins = compare(Opcode::Cmpf(predicate), &mut region, Value::A, Value::B)?;
                let number = compare(
                    Opcode::Cmpf(FloatPredicate::Ord),
                    &mut region,
                    Value::B,
                    Value::B,
                )?;
                compare(Opcode::Andi, &mut region, wins, number)?
            }
        };
        region.set_result(result);
        Some(region)
    }
}
