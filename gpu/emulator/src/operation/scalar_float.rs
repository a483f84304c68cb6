//! Float operations of the scalar unit (gfx11.5 and later): the vector unit's operations on one
//! value, without modifiers.

use super::extremum::{binary16, binary32};
use super::float::f32_bits;
use super::scalar::{ScalarInput, ScalarOperation, scalar};
use super::{Mode, half};

/// Applies the input denormal mode to the low 16 bits of a source.
fn half_in(mode: Mode, a: u64) -> u32 {
    let a = a as u32 & 0xffff;
    if mode.denormals_16_64() & 1 == 0 {
        half::flush(a)
    } else {
        a
    }
}
fn half_out(mode: Mode, a: u32) -> u64 {
    let flushed = mode.denormals_16_64() & 2 == 0;
    u64::from(if flushed { half::flush(a) } else { a } & 0xffff)
}
fn single_in(mode: Mode, a: u64) -> u32 {
    let a = a as u32;
    if mode.denormals_32() & 1 == 0 {
        f32_bits::flush(a)
    } else {
        a
    }
}
fn single_out(mode: Mode, a: u32) -> u64 {
    let flushed = mode.denormals_32() & 2 == 0;
    u64::from(if flushed { f32_bits::flush(a) } else { a })
}

/// Applies a function to the first and second source and the old destination.
fn of_halves(x: &ScalarInput, function: impl Fn(u32, u32, u32) -> u32) -> (u64, bool) {
    let [a, b, d] = [x.a, x.b, x.d].map(|source| half_in(x.mode, source));
    (half_out(x.mode, function(a, b, d)), x.scc)
}
fn of_singles(x: &ScalarInput, function: impl Fn(u32, u32, u32) -> u32) -> (u64, bool) {
    let [a, b, d] = [x.a, x.b, x.d].map(|source| single_in(x.mode, source));
    (single_out(x.mode, function(a, b, d)), x.scc)
}

fn test_halves(x: &ScalarInput, relation: impl Fn(f32, f32) -> bool) -> (u64, bool) {
    let [a, b] = [x.a, x.b].map(|a| f32::from_bits(half::to_single(half_in(x.mode, a))));
    (0, relation(a, b))
}
fn test_singles(x: &ScalarInput, relation: impl Fn(f32, f32) -> bool) -> (u64, bool) {
    let [a, b] = [x.a, x.b].map(|a| f32::from_bits(single_in(x.mode, a)));
    (0, relation(a, b))
}

fn less_or_greater(a: f32, b: f32) -> bool {
    ordered(a, b) && a != b
}
fn ordered(a: f32, b: f32) -> bool {
    !a.is_nan() && !b.is_nan()
}
/// Returns the difference with the vector unit's NaN rules.
fn subtract(a: u32, b: u32) -> u32 {
    f32_bits::settle(f32::from_bits(a) - f32::from_bits(b), a, b)
}
fn unary(x: &ScalarInput, function: impl Fn(f32) -> f32) -> (u64, bool) {
    of_singles(x, |a, _, _| f32_bits::unary(a, &function))
}
fn unary_half(x: &ScalarInput, function: impl Fn(f32) -> f32) -> (u64, bool) {
    of_halves(x, |a, _, _| half::unary(a, &function))
}

scalar! {
    ADD_F32: 32 [32, 32] false = |x| of_singles(x, |a, b, _| f32_bits::add(a, b));
    SUB_F32: 32 [32, 32] false = |x| of_singles(x, |a, b, _| subtract(a, b));
    MUL_F32: 32 [32, 32] false = |x| of_singles(x, |a, b, _| f32_bits::mul(a, b));
    MIN_F32: 32 [32, 32] false = |x| of_singles(x, |a, b, _| f32_bits::min(x.mode.ieee(), a, b));
    MAX_F32: 32 [32, 32] false = |x| of_singles(x, |a, b, _| f32_bits::max(x.mode.ieee(), a, b));
    FMAC_F32: 32 [32, 32] false = |x| of_singles(x, f32_bits::fma);
    // The literal is the second factor or the addend.
    FMA_F32: 32 [32, 32, 32] false = |x| of_singles(x, |a, b, _| f32_bits::fma(a, b, single_in(x.mode, x.c)));
    ADD_F16: 32 [16, 16] false = |x| of_halves(x, |a, b, _| half::add(a, b));
    SUB_F16: 32 [16, 16] false = |x| of_halves(x, |a, b, _| half::sub(a, b));
    MUL_F16: 32 [16, 16] false = |x| of_halves(x, |a, b, _| half::mul(a, b));
    MIN_F16: 32 [16, 16] false = |x| of_halves(x, |a, b, _| half::min(x.mode.ieee(), a, b));
    MAX_F16: 32 [16, 16] false = |x| of_halves(x, |a, b, _| half::max(x.mode.ieee(), a, b));
    FMAC_F16: 32 [16, 16] false = |x| of_halves(x, half::fma);
    MIN_NUM_F32: 32 [32, 32] false = |x| of_singles(x, |a, b, _| binary32::min_number(a, b));
    MAX_NUM_F32: 32 [32, 32] false = |x| of_singles(x, |a, b, _| binary32::max_number(a, b));
    MINIMUM_F32: 32 [32, 32] false = |x| of_singles(x, |a, b, _| binary32::minimum(a, b));
    MAXIMUM_F32: 32 [32, 32] false = |x| of_singles(x, |a, b, _| binary32::maximum(a, b));
    MIN_NUM_F16: 32 [16, 16] false = |x| of_halves(x, |a, b, _| binary16::min_number(a, b));
    MAX_NUM_F16: 32 [16, 16] false = |x| of_halves(x, |a, b, _| binary16::max_number(a, b));
    MINIMUM_F16: 32 [16, 16] false = |x| of_halves(x, |a, b, _| binary16::minimum(a, b));
    MAXIMUM_F16: 32 [16, 16] false = |x| of_halves(x, |a, b, _| binary16::maximum(a, b));
    CVT_PK_RTZ_F16_F32: 32 [32, 32] false = |x| {
        let [low, high] = [x.a, x.b].map(|a| half::from_single_toward_zero(single_in(x.mode, a)));
        (u64::from(low | (high << 16)), x.scc)
    };

    CEIL_F32: 32 [32] false = |x| unary(x, f32::ceil);
    FLOOR_F32: 32 [32] false = |x| unary(x, f32::floor);
    TRUNC_F32: 32 [32] false = |x| unary(x, f32::trunc);
    RNDNE_F32: 32 [32] false = |x| unary(x, f32::round_ties_even);
    CEIL_F16: 32 [16] false = |x| unary_half(x, f32::ceil);
    FLOOR_F16: 32 [16] false = |x| unary_half(x, f32::floor);
    TRUNC_F16: 32 [16] false = |x| unary_half(x, f32::trunc);
    RNDNE_F16: 32 [16] false = |x| unary_half(x, f32::round_ties_even);
    CVT_F32_I32: 32 [32] false = |x| (u64::from((x.a as u32 as i32 as f32).to_bits()), x.scc);
    CVT_F32_U32: 32 [32] false = |x| (u64::from((x.a as u32 as f32).to_bits()), x.scc);
    CVT_I32_F32: 32 [32] false = |x| (u64::from(f32::from_bits(x.a as u32) as i32 as u32), x.scc);
    CVT_U32_F32: 32 [32] false = |x| (u64::from(f32::from_bits(x.a as u32) as u32), x.scc);
    CVT_F16_F32: 32 [32] false = |x| (half_out(x.mode, half::from_single(single_in(x.mode, x.a))), x.scc);
    CVT_F32_F16: 32 [16] false = |x| (single_out(x.mode, half::to_single(half_in(x.mode, x.a))), x.scc);
    CVT_HI_F32_F16: 32 [32] false = |x| (single_out(x.mode, half::to_single(half_in(x.mode, x.a >> 16))), x.scc);

    CMP_LT_F32: 0 [32, 32] true = |x| test_singles(x, |a, b| a < b);
    CMP_EQ_F32: 0 [32, 32] true = |x| test_singles(x, |a, b| a == b);
    CMP_LE_F32: 0 [32, 32] true = |x| test_singles(x, |a, b| a <= b);
    CMP_GT_F32: 0 [32, 32] true = |x| test_singles(x, |a, b| a > b);
    CMP_LG_F32: 0 [32, 32] true = |x| test_singles(x, less_or_greater);
    CMP_GE_F32: 0 [32, 32] true = |x| test_singles(x, |a, b| a >= b);
    CMP_O_F32: 0 [32, 32] true = |x| test_singles(x, ordered);
    CMP_U_F32: 0 [32, 32] true = |x| test_singles(x, |a, b| !ordered(a, b));
    CMP_NGE_F32: 0 [32, 32] true = |x| test_singles(x, |a, b| a < b || !ordered(a, b));
    CMP_NLG_F32: 0 [32, 32] true = |x| test_singles(x, |a, b| !less_or_greater(a, b));
    CMP_NGT_F32: 0 [32, 32] true = |x| test_singles(x, |a, b| a <= b || !ordered(a, b));
    CMP_NLE_F32: 0 [32, 32] true = |x| test_singles(x, |a, b| a > b || !ordered(a, b));
    CMP_NEQ_F32: 0 [32, 32] true = |x| test_singles(x, |a, b| a != b);
    CMP_NLT_F32: 0 [32, 32] true = |x| test_singles(x, |a, b| a >= b || !ordered(a, b));
    CMP_LT_F16: 0 [16, 16] true = |x| test_halves(x, |a, b| a < b);
    CMP_EQ_F16: 0 [16, 16] true = |x| test_halves(x, |a, b| a == b);
    CMP_LE_F16: 0 [16, 16] true = |x| test_halves(x, |a, b| a <= b);
    CMP_GT_F16: 0 [16, 16] true = |x| test_halves(x, |a, b| a > b);
    CMP_LG_F16: 0 [16, 16] true = |x| test_halves(x, less_or_greater);
    CMP_GE_F16: 0 [16, 16] true = |x| test_halves(x, |a, b| a >= b);
    CMP_O_F16: 0 [16, 16] true = |x| test_halves(x, ordered);
    CMP_U_F16: 0 [16, 16] true = |x| test_halves(x, |a, b| !ordered(a, b));
    CMP_NGE_F16: 0 [16, 16] true = |x| test_halves(x, |a, b| a < b || !ordered(a, b));
    CMP_NLG_F16: 0 [16, 16] true = |x| test_halves(x, |a, b| !less_or_greater(a, b));
    CMP_NGT_F16: 0 [16, 16] true = |x| test_halves(x, |a, b| a <= b || !ordered(a, b));
    CMP_NLE_F16: 0 [16, 16] true = |x| test_halves(x, |a, b| a > b || !ordered(a, b));
    CMP_NEQ_F16: 0 [16, 16] true = |x| test_halves(x, |a, b| a != b);
    CMP_NLT_F16: 0 [16, 16] true = |x| test_halves(x, |a, b| a >= b || !ordered(a, b));
}
