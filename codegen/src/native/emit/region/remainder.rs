//! `remf`: exact, by a loop. LLVM's own `frem` is a quotient, rounded, and a product, which is no remainder once the
//! quotient has more bits than a mantissa.

use super::types::{call, constant, suffix};
use crate::native::ir::{Ir, Phi, Value};
use configgen::comparator::ScalarType;

/// The remainder of a truncated division of two values of type `kind`, `float` or `double`, with the sign of `x`.
///
/// Long division, bit by bit: with mantissas x, y in [1/2, 1) and exponents e, f, the remainder of x·2^e by y·2^f is
/// that of x·2^(e-f) by y, times 2^f. Each step doubles what is left and subtracts y if it can, both of which are exact.
pub(super) fn remainder(ir: &mut Ir, kind: &str, x: &Value, y: &Value) -> Value {
    let (zero, infinity, nan) = constants(kind);
    let dividend = call(ir, "fabs", kind, &[x]);
    let divisor = call(ir, "fabs", kind, &[y]);
    // False where either is a NaN.
    let finite = ir.value(format_args!("fcmp olt {kind} {dividend}, {infinity}"));
    let nonzero = ir.value(format_args!("fcmp ogt {kind} {divisor}, {zero}"));
    let defined = ir.value(format_args!("and i1 {finite}, {nonzero}"));
    let reaches = ir.value(format_args!("fcmp oge {kind} {dividend}, {divisor}"));
    let divides = ir.value(format_args!("and i1 {defined}, {reaches}"));

    let (left, e) = parts(ir, kind, &dividend);
    let (unit, f) = parts(ir, kind, &divisor);
    let distance = ir.value(format_args!("sub i32 {e}, {f}"));
    let steps = ir.value(format_args!("select i1 {divides}, i32 {distance}, i32 0"));
    let left = reduced(ir, kind, &left, &unit);
    let left = long_division(ir, kind, left, &unit, &steps);

    let remainder = scaled(ir, kind, &left, &f);
    let magnitude = ir.value(format_args!(
        "select i1 {divides}, {kind} {remainder}, {kind} {dividend}"
    ));
    let magnitude = ir.value(format_args!(
        "select i1 {defined}, {kind} {magnitude}, {kind} {nan}"
    ));
    call(ir, "copysign", kind, &[&magnitude, x])
}

/// What is left after so many steps.
fn long_division(ir: &mut Ir, kind: &str, first: Value, unit: &Value, steps: &Value) -> Value {
    let before = ir.block().to_owned();
    let (head, step, done) = (ir.label("divide"), ir.label("step"), ir.label("divided"));
    ir.jump(&head);

    ir.start(&head);
    let place = ir.phi_place();
    let (left, count) = (ir.name(), ir.name());
    let goes_on = ir.value(format_args!("icmp sgt i32 {count}, 0"));
    ir.branch(&goes_on, &step, &done);

    ir.start(&step);
    let twice = ir.value(format_args!("fadd {kind} {left}, {left}"));
    let next = reduced(ir, kind, &twice, unit);
    let fewer = ir.value(format_args!("sub i32 {count}, 1"));
    ir.jump(&head);

    let phi = |name, kind, first, next| Phi {
        name,
        kind,
        from: [(first, before.as_str()), (next, step.as_str())],
    };
    ir.phis(
        place,
        &[
            phi(&left, kind, &first, &next),
            phi(&count, "i32", steps, &fewer),
        ],
    );
    ir.start(&done);
    left
}

/// `left - unit` where that is not negative, else `left`.
fn reduced(ir: &mut Ir, kind: &str, left: &Value, unit: &Value) -> Value {
    let less = ir.value(format_args!("fsub {kind} {left}, {unit}"));
    let fits = ir.value(format_args!("fcmp oge {kind} {left}, {unit}"));
    ir.value(format_args!(
        "select i1 {fits}, {kind} {less}, {kind} {left}"
    ))
}

/// Mantissa and exponent (i32) of a finite number; of others, anything.
fn parts(ir: &mut Ir, kind: &str, x: &Value) -> (Value, Value) {
    let both = format!("{{ {kind}, i32 }}");
    let suffix = suffix(kind);
    let parts = ir.value(format_args!(
        "call {both} @llvm.frexp.{suffix}.i32({kind} {x})"
    ));
    let mantissa = ir.value(format_args!("extractvalue {both} {parts}, 0"));
    let exponent = ir.value(format_args!("extractvalue {both} {parts}, 1"));
    (mantissa, exponent)
}

/// `x` times two to the power of `exponent` (i32).
fn scaled(ir: &mut Ir, kind: &str, x: &Value, exponent: &Value) -> Value {
    let suffix = suffix(kind);
    ir.value(format_args!(
        "call {kind} @llvm.ldexp.{suffix}.i32({kind} {x}, i32 {exponent})"
    ))
}

/// Zero, infinity and the NaN of this type.
fn constants(kind: &str) -> (Value, Value, Value) {
    let scalar = match kind {
        "double" => ScalarType::F64,
        _ => ScalarType::F32,
    };
    let [zero, infinity, nan] =
        [0, scalar.greatest(), scalar.canonical_nan()].map(|bits| constant(scalar, bits));
    (zero, infinity, nan)
}
