//! Rounded functions in f32, within the errors of [`configgen::comparator::RoundedFunction`].
//!
//! The hardware has powers and logarithms to base 2 and an inverse root. The coefficients of
//! polynomials are minimax fits or Taylor series. A simulation of each formula in f32, with results
//! of instructions up to 1 ULP off, stays within 0.8 of the errors.

use std::f64::consts::{FRAC_2_PI, LN_2, LOG2_E};

use configgen::comparator::{FloatPredicate, Opcode};

use super::types::single;
use crate::native::ir::{Binary, Builder, IrOperation, Unary, Value};

/// (tanh(x) / x - 1) / x² as a polynomial of x², for x up to 0.625.
const TANH: [f64; 5] = [
    -0.333_333_283_662_796,
    0.133_327_707_648_277_28,
    -0.053_850_948_810_577_39,
    0.020_997_341_722_249_985,
    -0.006_096_922_326_833_01,
];

/// erf(x) / x as a polynomial of x², for x up to 1.
const ERF: [f64; 7] = [
    1.128_379_106_521_606_4,
    -0.376_126_259_565_353_4,
    0.112_835_854_291_915_9,
    -0.026_853_810_995_817_184,
    0.005_188_327_282_667_16,
    -0.000_801_019_137_725_234,
    0.000_078_538_541_856_687_52,
];

/// -ln(1 - erf(x)) as a polynomial of x, for x from 1 to 4.
const ERF_TAIL: [f64; 7] = [
    0.000_353_713_636_286_556_7,
    1.127_040_028_572_082_5,
    0.638_225_615_024_566_7,
    0.103_037_409_484_386_44,
    -0.021_805_336_698_889_732,
    0.002_939_611_906_185_746,
    -0.000_185_574_506_758_712_23,
];

/// (e^x - 1 - x) / x² as a polynomial of x, for x up to 0.5: its Taylor series.
const EXPM1: [f64; 7] = [
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5040.0,
    1.0 / 40320.0,
];

/// (ln((1 + s) / (1 - s)) / 2s - 1) / s² as a polynomial of s²: its Taylor series.
const LOG1P: [f64; 7] = [
    1.0 / 3.0,
    1.0 / 5.0,
    1.0 / 7.0,
    1.0 / 9.0,
    1.0 / 11.0,
    1.0 / 13.0,
    1.0 / 15.0,
];

/// (sin(x) / x - 1) / x² as a polynomial of x², for x up to π/4.
const SIN: [f64; 4] = [
    -0.166_666_671_633_720_4,
    0.008_333_331_905_305_386,
    -0.000_198_400_462_977_588_18,
    0.000_002_724_133_082_665_503,
];

/// (cos(x) - 1 + x²/2) / x⁴ as a polynomial of x², for x up to π/4.
const COS: [f64; 4] = [
    0.041_666_667_908_430_1,
    -0.001_388_965_174_555_777_5,
    0.000_025_156_878_109_555_69,
    -0.000_000_657_290_058_825_310_6,
];

/// π/2 as three numbers of f32, all positive, so that their products with a zero have one sign.
const HALF_PI: [f64; 3] = [
    1.570_796_251_296_997,
    0.000_000_075_497_894_158_615_96,
    0.000_000_000_000_005_390_302_529_957_765,
];

/// Computes a function of an f32.
pub(super) fn function(ir: &mut Builder, opcode: Opcode, x: Value) -> Value {
    match opcode {
        Opcode::Exp => power(ir, x),
        Opcode::Exp2 => ir.unary(Unary::PowerOfTwo, x),
        Opcode::Expm1 => expm1(ir, x),
        Opcode::Log => logarithm(ir, x),
        Opcode::Log2 => ir.unary(Unary::LogarithmOfTwo, x),
        Opcode::Log1p => log1p(ir, x),
        Opcode::Tanh => tanh(ir, x),
        Opcode::Erf => erf(ir, x),
        Opcode::Sin => wave(ir, x, 0.0),
        Opcode::Cos => wave(ir, x, 1.0),
        Opcode::Rsqrt => ir.unary(Unary::InverseRoot, x),
        exact => unreachable!("{exact:?} is exact"),
    }
}

/// Computes e^x.
fn power(ir: &mut Builder, x: Value) -> Value {
    let scaled = ir.binary(Binary::MulFloat, x, single(LOG2_E));
    ir.unary(Unary::PowerOfTwo, scaled)
}

/// Computes ln(x).
fn logarithm(ir: &mut Builder, x: Value) -> Value {
    let log = ir.unary(Unary::LogarithmOfTwo, x);
    ir.binary(Binary::MulFloat, log, single(LN_2))
}

fn expm1(ir: &mut Builder, x: Value) -> Value {
    let series = polynomial(ir, x, &EXPM1);
    let small = times_one_and(ir, x, (x, series));
    let power = power(ir, x);
    let large = ir.binary(Binary::SubFloat, power, single(1.0));
    below(ir, x, 0.5, small, large)
}

/// Computes ln(1 + x). Near 0, 1 + x loses digits of x. There it is (1 + s) / (1 - s) with
/// s = x / (2 + x).
fn log1p(ir: &mut Builder, x: Value) -> Value {
    let divisor = ir.binary(Binary::AddFloat, x, single(2.0));
    let s = ir.binary(Binary::DivFloat, x, divisor);
    let square = ir.binary(Binary::MulFloat, s, s);
    let twice = ir.binary(Binary::AddFloat, s, s);
    let series = polynomial(ir, square, &LOG1P);
    let rest = ir.binary(Binary::MulFloat, twice, square);
    let small = fused(ir, rest, series, twice);
    let sum = ir.binary(Binary::AddFloat, x, single(1.0));
    let large = logarithm(ir, sum);
    below(ir, x, 0.5, small, large)
}

/// Computes tanh(x) as 1 - 2 / (e^2x + 1) for large x.
fn tanh(ir: &mut Builder, x: Value) -> Value {
    let square = ir.binary(Binary::MulFloat, x, x);
    let series = polynomial(ir, square, &TANH);
    let small = times_one_and(ir, x, (square, series));
    let magnitude = ir.unary(Unary::AbsFloat, x);
    let twice = ir.binary(Binary::AddFloat, magnitude, magnitude);
    let power = power(ir, twice);
    let divisor = ir.binary(Binary::AddFloat, power, single(1.0));
    let part = ir.binary(Binary::DivFloat, single(2.0), divisor);
    let large = ir.binary(Binary::SubFloat, single(1.0), part);
    let large = ir.binary(Binary::CopySign, large, x);
    below(ir, x, 0.625, small, large)
}

fn erf(ir: &mut Builder, x: Value) -> Value {
    let square = ir.binary(Binary::MulFloat, x, x);
    let series = polynomial(ir, square, &ERF);
    let small = ir.binary(Binary::MulFloat, x, series);
    // Beyond 4, the function is 1 in f32. A NaN is not above 4, so it stays.
    let magnitude = ir.unary(Unary::AbsFloat, x);
    let is_beyond = ir.compare(FloatPredicate::Ogt, magnitude, single(4.0));
    let magnitude = ir.select(is_beyond, single(4.0), magnitude);
    let exponent = polynomial(ir, magnitude, &ERF_TAIL);
    let exponent = ir.unary(Unary::Negate, exponent);
    let tail = power(ir, exponent);
    let large = ir.binary(Binary::SubFloat, single(1.0), tail);
    let large = ir.binary(Binary::CopySign, large, x);
    below(ir, x, 1.0, small, large)
}

/// Computes the sine of x and a number of quarters of a turn.
fn wave(ir: &mut Builder, x: Value, quarters: f64) -> Value {
    // The sum with 0 makes the turns of a zero positive. Less these times π/2, a zero stays as it
    // is.
    let turns = fused(ir, x, single(FRAC_2_PI), single(0.0));
    let turns = ir.unary(Unary::RoundEven, turns);
    let rest = HALF_PI.into_iter().fold(x, |rest, part| {
        let part = single(-part);
        fused(ir, turns, part, rest)
    });
    let square = ir.binary(Binary::MulFloat, rest, rest);
    let series = polynomial(ir, square, &SIN);
    let sine = times_one_and(ir, rest, (square, series));
    let series = polynomial(ir, square, &COS);
    let fourth = ir.binary(Binary::MulFloat, square, square);
    let parabola = fused(ir, square, single(-0.5), single(1.0));
    let cosine = fused(ir, fourth, series, parabola);
    // The number of the quarter is a float below 2^24, so it has a remainder of a division by 4.
    let quarter = ir.binary(Binary::AddFloat, turns, single(quarters));
    let whole = ir.binary(Binary::MulFloat, quarter, single(0.25));
    let whole = ir.unary(Unary::Floor, whole);
    let quarter = fused(ir, whole, single(-4.0), quarter);
    let is =
        |ir: &mut Builder, number: f64| ir.compare(FloatPredicate::Oeq, quarter, single(number));
    let (first, third) = (is(ir, 1.0), is(ir, 3.0));
    let is_odd = ir.or(first, third);
    let magnitude = ir.select(is_odd, cosine, sine);
    let is_behind = ir.compare(FloatPredicate::Oge, quarter, single(2.0));
    let negative = ir.unary(Unary::Negate, magnitude);
    let result = ir.select(is_behind, negative, magnitude);
    // A huge angle leaves a rest that is no part of a turn.
    let is_above = ir.compare(FloatPredicate::Ogt, result, single(1.0));
    let result = ir.select(is_above, single(1.0), result);
    let is_below = ir.compare(FloatPredicate::Olt, result, single(-1.0));
    ir.select(is_below, single(-1.0), result)
}

/// Returns `small` if the magnitude of x is below a limit, else `large`, which may be NaN.
fn below(ir: &mut Builder, x: Value, limit: f64, small: Value, large: Value) -> Value {
    let magnitude = ir.unary(Unary::AbsFloat, x);
    let is_small = ir.compare(FloatPredicate::Olt, magnitude, single(limit));
    ir.select(is_small, small, large)
}

/// Computes a polynomial by Horner's rule.
fn polynomial(ir: &mut Builder, x: Value, coefficients: &[f64]) -> Value {
    let mut coefficients = coefficients.iter().rev().map(|&it| single(it));
    let highest = coefficients.next().unwrap_or_else(|| single(0.0));
    coefficients.fold(highest, |sum, coefficient| fused(ir, sum, x, coefficient))
}

/// Computes x · (1 + y · z). Unlike x + x · y · z, it keeps the sign of a zero.
fn times_one_and(ir: &mut Builder, x: Value, (y, z): (Value, Value)) -> Value {
    let factor = fused(ir, y, z, single(1.0));
    ir.binary(Binary::MulFloat, x, factor)
}

fn fused(ir: &mut Builder, x: Value, y: Value, z: Value) -> Value {
    ir.value(x.kind, IrOperation::FusedMultiplyAdd(x, y, z))
}
