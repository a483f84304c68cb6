//! `remf`: exact, by a loop. LLVM's own `frem` rounds a quotient and takes a product. That is no
//! remainder once the quotient has more bits than a mantissa.

use configgen::comparator::{FloatPredicate, IntegerPredicate, ScalarType};

use super::types::constant;
use crate::native::ir::{Binary, Builder, IrOperation, Type, Unary, Value};

/// Computes the remainder of a truncated division of two values, both f32 or f64, with the sign
/// of `x`.
///
/// Uses long division, bit by bit. Let x, y in [1/2, 1) be the mantissas and e, f the exponents.
/// The remainder of x·2^e by y·2^f is that of x·2^(e-f) by y, times 2^f. Each step doubles the
/// rest and subtracts y if possible; both are exact.
pub(super) fn remainder(ir: &mut Builder, x: Value, y: Value) -> Value {
    let (zero, infinity, nan) = constants(x.kind);
    let dividend = ir.unary(Unary::AbsFloat, x);
    let divisor = ir.unary(Unary::AbsFloat, y);
    // The comparison is false if either is a NaN.
    let finite = ir.compare(FloatPredicate::Olt, dividend, infinity);
    let nonzero = ir.compare(FloatPredicate::Ogt, divisor, zero);
    let defined = ir.and(finite, nonzero);
    let reaches = ir.compare(FloatPredicate::Oge, dividend, divisor);
    let divides = ir.and(defined, reaches);

    let [left, e] = parts(ir, dividend);
    let [unit, f] = parts(ir, divisor);
    let distance = ir.binary(Binary::Sub, e, f);
    let steps = ir.select(divides, distance, Value::i32(0));
    let left = reduced(ir, left, unit);
    let left = long_division(ir, left, unit, steps);

    let remainder = ir.value(x.kind, IrOperation::Scale(left, f));
    let magnitude = ir.select(divides, remainder, dividend);
    let magnitude = ir.select(defined, magnitude, nan);
    ir.binary(Binary::CopySign, magnitude, x)
}

/// Returns the rest after `steps` steps.
fn long_division(ir: &mut Builder, first: Value, unit: Value, steps: Value) -> Value {
    let left = ir.tested_turns(
        vec![first, steps],
        |ir, carried| {
            let goes_on = ir.compare(IntegerPredicate::Sgt, carried[1], Value::i32(0));
            (goes_on, vec![carried[0]])
        },
        |ir, carried, _| {
            let twice = ir.binary(Binary::AddFloat, carried[0], carried[0]);
            let next = reduced(ir, twice, unit);
            let fewer = ir.binary(Binary::Sub, carried[1], Value::i32(1));
            vec![next, fewer]
        },
    );
    left[0]
}

/// Computes `left - unit` if that is not negative, else `left`.
fn reduced(ir: &mut Builder, left: Value, unit: Value) -> Value {
    let less = ir.binary(Binary::SubFloat, left, unit);
    let fits = ir.compare(FloatPredicate::Oge, left, unit);
    ir.select(fits, less, left)
}

/// Splits a finite number into mantissa and exponent (i32). The result is arbitrary for other
/// numbers.
fn parts(ir: &mut Builder, x: Value) -> [Value; 2] {
    ir.pair([x.kind, Type::I32], IrOperation::Split(x))
}

/// Returns zero, infinity and the NaN of this type.
fn constants(kind: Type) -> (Value, Value, Value) {
    let scalar = match kind {
        Type::F64 => ScalarType::F64,
        _ => ScalarType::F32,
    };
    let [zero, infinity, nan] =
        [0, scalar.greatest(), scalar.canonical_nan()].map(|bits| constant(scalar, bits));
    (zero, infinity, nan)
}
