//! The narrow types, bf16 and the 8-bit floats: between bits and numbers, and rounding.
//!
//! Of the FNUZ types, which have no negative zero, no number is one either: it would be seen once it is converted to
//! another type.

use configgen::comparator::ScalarType;

use super::types::{self, call, single};
use crate::native::ir::{Ir, Value};

/// The exponent's bits of an f32.
const EXPONENT: u32 = 0x7f80_0000;

/// Bits of an f32's mantissa.
const MANTISSA: u32 = 23;

/// The least normal f32.
const LEAST: f64 = f32::MIN_POSITIVE as f64;

/// The number of a constant.
pub(super) fn constant(scalar: ScalarType, bits: u64) -> Value {
    match scalar {
        // Every bit of a NaN, too.
        ScalarType::Bf16 => types::constant(ScalarType::F32, bits << 16),
        _ => single(scalar.to_f64(bits)),
    }
}

/// The number of a value that is held.
pub(super) fn decode(ir: &mut Ir, scalar: ScalarType, held: &Value) -> Value {
    match scalar {
        ScalarType::Bf16 => {
            let wide = ir.value(format_args!("zext i16 {held} to i32"));
            let bits = ir.value(format_args!("shl i32 {wide}, 16"));
            ir.value(format_args!("bitcast i32 {bits} to float"))
        }
        // The upper half of an f16.
        ScalarType::F8E5M2 => {
            let wide = ir.value(format_args!("zext i8 {held} to i16"));
            let bits = ir.value(format_args!("shl i16 {wide}, 8"));
            let half = ir.value(format_args!("bitcast i16 {bits} to half"));
            ir.value(format_args!("fpext half {half} to float"))
        }
        _ => decode_8_bits(ir, scalar, held),
    }
}

/// Exponent and mantissa at their places in an f32 are the number but for the exponents' bias: a product brings it, and
/// makes denormals normal.
fn decode_8_bits(ir: &mut Ir, scalar: ScalarType, held: &Value) -> Value {
    let shift = shift(scalar);
    let mask = (1 << 31 | 0x7f << shift) as u32 as i32;
    let wide = ir.value(format_args!("sext i8 {held} to i32"));
    let moved = ir.value(format_args!("shl i32 {wide}, {shift}"));
    let bits = ir.value(format_args!("and i32 {moved}, {mask}"));
    let biased = ir.value(format_args!("bitcast i32 {bits} to float"));
    let bias = single(least_normal(scalar) / LEAST);
    let number = ir.value(format_args!("fmul float {biased}, {bias}"));
    let is_nan = match scalar.has_negative_zero() {
        // What would be the next number after the largest.
        true => {
            let magnitude = call(ir, "fabs", "float", &[&number]);
            let largest = single(scalar.to_f64(scalar.greatest()));
            ir.value(format_args!("fcmp ogt float {magnitude}, {largest}"))
        }
        false => ir.value(format_args!("icmp eq i8 {held}, -128")),
    };
    let nan = single(f64::NAN);
    ir.value(format_args!(
        "select i1 {is_nan}, float {nan}, float {number}"
    ))
}

/// The bits of a number of this type.
pub(super) fn encode(ir: &mut Ir, scalar: ScalarType, number: &Value) -> Value {
    match scalar {
        ScalarType::Bf16 => {
            let bits = ir.value(format_args!("bitcast float {number} to i32"));
            let upper = ir.value(format_args!("lshr i32 {bits}, 16"));
            ir.value(format_args!("trunc i32 {upper} to i16"))
        }
        ScalarType::F8E5M2 => {
            let half = ir.value(format_args!("fptrunc float {number} to half"));
            let bits = ir.value(format_args!("bitcast half {half} to i16"));
            let upper = ir.value(format_args!("lshr i16 {bits}, 8"));
            ir.value(format_args!("trunc i16 {upper} to i8"))
        }
        _ => encode_8_bits(ir, scalar, number),
    }
}

fn encode_8_bits(ir: &mut Ir, scalar: ScalarType, number: &Value) -> Value {
    let bias = single(LEAST / least_normal(scalar));
    let biased = ir.value(format_args!("fmul float {number}, {bias}"));
    let bits = ir.value(format_args!("bitcast float {biased} to i32"));
    let moved = ir.value(format_args!("lshr i32 {bits}, {}", shift(scalar)));
    let magnitude = ir.value(format_args!("and i32 {moved}, 127"));
    let upper = ir.value(format_args!("lshr i32 {bits}, 24"));
    let sign = ir.value(format_args!("and i32 {upper}, 128"));
    let byte = ir.value(format_args!("or i32 {magnitude}, {sign}"));
    let byte = ir.value(format_args!("trunc i32 {byte} to i8"));
    let is_nan = ir.value(format_args!("fcmp uno float {number}, {number}"));
    let nan = types::constant(scalar, scalar.canonical_nan());
    ir.value(format_args!("select i1 {is_nan}, i8 {nan}, i8 {byte}"))
}

/// The number of this type nearest to `x` of type `kind`, ties to even.
pub(super) fn round(ir: &mut Ir, scalar: ScalarType, kind: &str, x: &Value) -> Value {
    match scalar {
        ScalarType::Bf16 => {
            let narrow = ir.value(format_args!("fptrunc {kind} {x} to bfloat"));
            ir.value(format_args!("fpext bfloat {narrow} to float"))
        }
        _ => round_to_8_bits(ir, scalar, x),
    }
}

/// A sum whose last place is the unit of the result rounds as the result does.
fn round_to_8_bits(ir: &mut Ir, scalar: ScalarType, x: &Value) -> Value {
    let magnitude = call(ir, "fabs", "float", &[x]);
    let bits = ir.value(format_args!("bitcast float {magnitude} to i32"));
    let exponent = ir.value(format_args!("and i32 {bits}, {EXPONENT}"));
    let least = Value::from((least_normal(scalar) as f32).to_bits());
    let exponent = call(ir, "umax", "i32", &[&exponent, &least]);
    let shifter = shift(scalar) << MANTISSA;
    let shifter = ir.value(format_args!("add i32 {exponent}, {shifter}"));
    let shifter = ir.value(format_args!("bitcast i32 {shifter} to float"));
    let sum = ir.value(format_args!("fadd float {magnitude}, {shifter}"));
    let rounded = ir.value(format_args!("fsub float {sum}, {shifter}"));

    // The largest number takes what is nearer to it than to the number that would be next.
    let largest = match scalar.has_infinity() {
        true => scalar.greatest() - 1,
        false => scalar.greatest(),
    };
    let [below, last] = [largest - 1, largest].map(|bits| scalar.to_f64(bits));
    let limit = single(last + (last - below) / 2.0);
    let comparison = if largest & 1 == 0 { "ole" } else { "olt" };
    let fits = ir.value(format_args!("fcmp {comparison} float {magnitude}, {limit}"));
    let beyond = match scalar.has_infinity() {
        // Infinity, or the NaN that x is.
        true => {
            let infinity = single(f64::INFINITY);
            ir.value(format_args!("fadd float {magnitude}, {infinity}"))
        }
        false => single(f64::NAN),
    };
    let rounded = ir.value(format_args!(
        "select i1 {fits}, float {rounded}, float {beyond}"
    ));
    let signed = call(ir, "copysign", "float", &[&rounded, x]);
    with_its_zero(ir, scalar, signed)
}

/// A number with the positive zero where the type has no other.
pub(super) fn with_its_zero(ir: &mut Ir, scalar: ScalarType, number: Value) -> Value {
    match scalar.has_negative_zero() {
        true => number,
        false => types::with_positive_zero(ir, "float", number),
    }
}

/// By how many places an 8-bit float's mantissa is shorter than an f32's.
fn shift(scalar: ScalarType) -> u32 {
    MANTISSA - scalar.least_normal().trailing_zeros()
}

fn least_normal(scalar: ScalarType) -> f64 {
    scalar.to_f64(scalar.least_normal())
}
