//! The narrow types, bf16 and the 8-bit floats: conversion between bits and numbers, and
//! rounding.
//!
//! The FNUZ types have no negative zero, so their numbers must not be one either. A conversion to
//! another type would make it visible.

use configgen::comparator::{FloatPredicate, IntegerPredicate, ScalarType};

use super::types::{self, single};
use crate::native::ir::{Binary, Builder, Conversion, Type, Unary, Value};

/// The exponent bits of an f32.
const EXPONENT: u64 = 0x7f80_0000;

/// The mantissa bits of an f32.
const MANTISSA: u32 = 23;

/// The least normal f32.
const LEAST: f64 = f32::MIN_POSITIVE as f64;

/// Returns the number of a constant.
pub(super) fn constant(scalar: ScalarType, bits: u64) -> Value {
    match scalar {
        // A shift keeps every bit of a NaN, too.
        ScalarType::Bf16 => types::constant(ScalarType::F32, bits << 16),
        _ => single(scalar.to_f64(bits)),
    }
}

/// Converts a held value to its number.
pub(super) fn decode(ir: &mut Builder, scalar: ScalarType, held: Value) -> Value {
    match scalar {
        ScalarType::Bf16 => {
            let wide = ir.convert(Conversion::ZeroExtend, held, Type::I32);
            let bits = ir.shifted_left(wide, 16);
            ir.bits(bits, Type::F32)
        }
        // An f8E5M2 is the upper half of an f16.
        ScalarType::F8E5M2 => {
            let wide = ir.convert(Conversion::ZeroExtend, held, Type::I16);
            let bits = ir.shifted_left(wide, 8);
            let half = ir.bits(bits, Type::F16);
            ir.convert(Conversion::Extend, half, Type::F32)
        }
        _ => decode_8_bits(ir, scalar, held),
    }
}

/// Converts an 8-bit float to its number. Exponent and mantissa at their places in an f32 are the
/// number but for the exponent bias. A product corrects the bias and makes denormals normal.
fn decode_8_bits(ir: &mut Builder, scalar: ScalarType, held: Value) -> Value {
    let shift = shift(scalar);
    let wide = ir.convert(Conversion::SignExtend, held, Type::I32);
    let moved = ir.shifted_left(wide, shift);
    let bits = ir.masked(moved, 1 << 31 | 0x7f << shift);
    let biased = ir.bits(bits, Type::F32);
    let bias = single(least_normal(scalar) / LEAST);
    let number = ir.binary(Binary::MulFloat, biased, bias);
    let is_nan = match scalar.has_negative_zero() {
        // The NaN's bits are those of the next number after the largest.
        true => {
            let magnitude = ir.unary(Unary::AbsFloat, number);
            let largest = single(scalar.to_f64(scalar.greatest()));
            ir.compare(FloatPredicate::Ogt, magnitude, largest)
        }
        false => {
            let nan = types::constant(scalar, scalar.sign_bit());
            ir.compare(IntegerPredicate::Eq, held, nan)
        }
    };
    ir.select(is_nan, single(f64::NAN), number)
}

/// Converts a number of this type to its bits.
pub(super) fn encode(ir: &mut Builder, scalar: ScalarType, number: Value) -> Value {
    match scalar {
        ScalarType::Bf16 => {
            let bits = ir.bits(number, Type::I32);
            let upper = ir.shifted_right(bits, 16);
            ir.convert(Conversion::Truncate, upper, Type::I16)
        }
        ScalarType::F8E5M2 => {
            let half = ir.convert(Conversion::Round, number, Type::F16);
            let bits = ir.bits(half, Type::I16);
            let upper = ir.shifted_right(bits, 8);
            ir.convert(Conversion::Truncate, upper, Type::I8)
        }
        _ => encode_8_bits(ir, scalar, number),
    }
}

fn encode_8_bits(ir: &mut Builder, scalar: ScalarType, number: Value) -> Value {
    // The product with a power of two is exact and produces the denormals of the 8-bit type.
    let bias = single(LEAST / least_normal(scalar));
    let biased = ir.binary(Binary::MulFloat, number, bias);
    let bits = ir.bits(biased, Type::I32);
    let moved = ir.shifted_right(bits, shift(scalar));
    let magnitude = ir.masked(moved, 127);
    let upper = ir.shifted_right(bits, 24);
    let sign = ir.masked(upper, 128);
    let byte = ir.or(magnitude, sign);
    let byte = ir.convert(Conversion::Truncate, byte, Type::I8);
    let is_nan = ir.compare(FloatPredicate::Uno, number, number);
    let nan = types::constant(scalar, scalar.canonical_nan());
    ir.select(is_nan, nan, byte)
}

/// Rounds `x` to the nearest number of this type, ties to even.
pub(super) fn round(ir: &mut Builder, scalar: ScalarType, x: Value) -> Value {
    match scalar {
        ScalarType::Bf16 => {
            let narrow = ir.convert(Conversion::Round, x, Type::BF16);
            ir.convert(Conversion::Extend, narrow, Type::F32)
        }
        _ => round_to_8_bits(ir, scalar, x),
    }
}

/// Rounds by an addition: a sum whose last place is the result's unit rounds as the result does.
fn round_to_8_bits(ir: &mut Builder, scalar: ScalarType, x: Value) -> Value {
    let magnitude = ir.unary(Unary::AbsFloat, x);
    let bits = ir.bits(magnitude, Type::I32);
    let exponent = ir.masked(bits, EXPONENT);
    // Below the least normal number the unit stays the same, as for denormals.
    let least = Value::i32((least_normal(scalar) as f32).to_bits());
    let exponent = ir.binary(Binary::MaxUnsigned, exponent, least);
    let shifter = ir.add(exponent, Value::i32(shift(scalar) << MANTISSA));
    let shifter = ir.bits(shifter, Type::F32);
    let sum = ir.binary(Binary::AddFloat, magnitude, shifter);
    let rounded = ir.binary(Binary::SubFloat, sum, shifter);

    // The largest number takes all that is nearer to it than to the number that would come next.
    let largest = match scalar.has_infinity() {
        true => scalar.greatest() - 1,
        false => scalar.greatest(),
    };
    let [below, last] = [largest - 1, largest].map(|bits| scalar.to_f64(bits));
    let limit = single(last + (last - below) / 2.0);
    let comparison = match largest & 1 {
        0 => FloatPredicate::Ole,
        _ => FloatPredicate::Olt,
    };
    let fits = ir.compare(comparison, magnitude, limit);
    let beyond = match scalar.has_infinity() {
        // The sum is infinity, or NaN if x is.
        true => ir.binary(Binary::AddFloat, magnitude, single(f64::INFINITY)),
        false => single(f64::NAN),
    };
    let rounded = ir.select(fits, rounded, beyond);
    let signed = ir.binary(Binary::CopySign, rounded, x);
    with_its_zero(ir, scalar, signed)
}

/// Replaces a negative zero by the positive one if the type has no negative zero.
pub(super) fn with_its_zero(ir: &mut Builder, scalar: ScalarType, number: Value) -> Value {
    match scalar.has_negative_zero() {
        true => number,
        false => types::with_positive_zero(ir, number),
    }
}

/// Returns the number of bits by which an 8-bit float's mantissa is shorter than an f32's.
fn shift(scalar: ScalarType) -> u32 {
    MANTISSA - scalar.least_normal().trailing_zeros()
}

fn least_normal(scalar: ScalarType) -> f64 {
    scalar.to_f64(scalar.least_normal())
}
