//! Half-precision arithmetic: exact in a wider format, then rounded once.

use super::float::f32_bits;
use super::integer::sext16;
use super::lanes::narrow;

const SIGN: u32 = 0x8000;
pub(crate) const INFINITY: u32 = 0x7c00;
pub(crate) const QUIET: u32 = 0x0200;
const NAN: u32 = 0x7e00;

#[inline(always)]
pub(crate) fn is_nan(a: u32) -> bool {
    (a & 0x7fff) > INFINITY
}
#[inline(always)]
pub(crate) fn is_signalling(a: u32) -> bool {
    is_nan(a) && a & QUIET == 0
}
/// Flushes a denormal to a zero of its sign.
#[inline(always)]
pub(crate) fn flush(a: u32) -> u32 {
    if a & INFINITY == 0 { a & SIGN } else { a }
}

/// Returns the bits of the same value in single precision; a signalling NaN becomes quiet.
#[inline(always)]
pub(crate) fn to_single(a: u32) -> u32 {
    let sign = (a & SIGN) << 16;
    let magnitude = a & 0x7fff;
    let normal = (magnitude << 13) + (112 << 23);
    // With an exponent of zero, the fraction counts units of 2^-24.
    let denormal = (magnitude as i32 as f32 * (1.0 / 16_777_216.0)).to_bits();
    let special = (magnitude << 13) | f32_bits::INFINITY;
    let special = if magnitude > INFINITY {
        special | f32_bits::QUIET
    } else {
        special
    };
    // Both cases are computed and one is selected, so that the lane loop has no branches.
    let bits = if magnitude < 0x400 { denormal } else { normal };
    let bits = if magnitude >= INFINITY { special } else { bits };
    sign | bits
}

/// Returns the nearest half of a single.
#[inline(always)]
pub(crate) fn from_single(a: u32) -> u32 {
    let sign = (a >> 16) & SIGN;
    let magnitude = a & f32_bits::MAGNITUDE;
    // The unit in the last place of 2^-1 equals that of a half's denormals, so the addition
    // rounds there.
    let denormal = (f32::from_bits(magnitude) + 0.5)
        .to_bits()
        .wrapping_sub(0.5f32.to_bits());
    let odd = (magnitude >> 13) & 1;
    // The bias difference is 112 exponents; the rounding carry may increase the exponent.
    let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(0xfff + odd) >> 13;
    let special = if magnitude > f32_bits::INFINITY {
        NAN | ((magnitude >> 13) & 0x1ff)
    } else {
        INFINITY
    };
    let bits = if magnitude < (113 << 23) {
        denormal
    } else {
        normal
    };
    let bits = if magnitude >= (143 << 23) {
        special
    } else {
        bits
    };
    sign | bits
}

/// Returns the next half of a single toward zero; an overflow gives the largest half.
#[inline(always)]
pub(crate) fn from_single_toward_zero(a: u32) -> u32 {
    let sign = (a >> 16) & SIGN;
    let magnitude = a & f32_bits::MAGNITUDE;
    let scaled = f32::from_bits(magnitude) * 16_777_216.0;
    let denormal = scaled as u32;
    let normal = magnitude.wrapping_sub(112 << 23) >> 13;
    let special = if magnitude > f32_bits::INFINITY {
        NAN | ((magnitude >> 13) & 0x1ff)
    } else if magnitude == f32_bits::INFINITY {
        INFINITY
    } else {
        0x7bff
    };
    let bits = if magnitude < (113 << 23) {
        denormal
    } else {
        normal
    };
    let bits = if magnitude >= (143 << 23) {
        special
    } else {
        bits
    };
    sign | bits
}

/// Returns the nearest half of a double that is not NaN.
#[inline(always)]
fn from_double(x: f64) -> u32 {
    // The last bit of the single collects the truncated bits (round to odd), so that only the
    // last step rounds.
    let single = x as f32;
    let back = f64::from(single);
    let bits = single.to_bits();
    // An odd last bit already marks a truncated value.
    let as_it_is = (back == x) | !single.is_finite() | (bits & 1 == 1);
    let odd = if back.abs() > x.abs() {
        bits.wrapping_sub(1)
    } else {
        bits.wrapping_add(1)
    };
    let odd = if as_it_is { bits } else { odd };
    from_single(odd)
}

/// Returns `result` rounded, or the NaN of the sources.
#[inline(always)]
fn settle(result: f32, a: u32, b: u32) -> u32 {
    let second = if is_nan(b) { b | QUIET } else { NAN };
    let nan = if is_nan(a) { a | QUIET } else { second };
    if result.is_nan() {
        nan
    } else {
        from_single(result.to_bits())
    }
}

#[inline(always)]
pub(crate) fn value(a: u32) -> f32 {
    f32::from_bits(to_single(a))
}

#[inline(always)]
pub(crate) fn add(a: u32, b: u32) -> u32 {
    settle(value(a) + value(b), a, b)
}
#[inline(always)]
pub(crate) fn sub(a: u32, b: u32) -> u32 {
    settle(value(a) - value(b), a, b)
}
#[inline(always)]
pub(crate) fn mul(a: u32, b: u32) -> u32 {
    settle(value(a) * value(b), a, b)
}

/// Returns the fused multiply-add. It has no branches, so that the lane loop vectorizes.
#[inline(always)]
pub(crate) fn fma(a: u32, b: u32, c: u32) -> u32 {
    let (x, y, z) = (
        f64::from(value(a)),
        f64::from(value(b)),
        f64::from(value(c)),
    );
    let product = x * y;
    let sum = product + z;
    // The exact error of the sum; only its sign matters, for the side of a tie.
    let part = sum - product;
    let error = (product - (sum - part)) + (z - part);
    let bits = sum.to_bits();
    let as_it_is = (error == 0.0) | (bits & 1 == 1) | !sum.is_finite();
    let odd = if (error > 0.0) == (sum > 0.0) {
        bits.wrapping_add(1)
    } else {
        bits.wrapping_sub(1)
    };
    let rounded = from_double(f64::from_bits(if as_it_is { bits } else { odd }));
    let third = if is_nan(c) { c | QUIET } else { NAN };
    let second = if is_nan(b) { b | QUIET } else { third };
    let nan = if is_nan(a) { a | QUIET } else { second };
    if sum.is_nan() { nan } else { rounded }
}

/// Returns [`fma`] of both halves.
#[inline(always)]
pub(crate) fn packed_fma(a: u32, b: u32, c: u32) -> u32 {
    let low = fma(a & 0xffff, b & 0xffff, c & 0xffff);
    low | (fma(a >> 16, b >> 16, c >> 16) << 16)
}

/// Maps all values other than NaN to ordered integers, with -0 below +0.
#[inline(always)]
pub(crate) fn key(a: u32) -> i32 {
    let signed = sext16(a) as i32;
    if signed < 0 { signed ^ 0x7fff } else { signed }
}
#[inline(always)]
fn pick(ieee: bool, a: u32, b: u32, chosen: u32) -> u32 {
    let number = if is_nan(b) { a } else { chosen };
    let number = if is_nan(a) { b } else { number };
    let number = if ieee & is_signalling(b) {
        b | QUIET
    } else {
        number
    };
    let number = if ieee & is_signalling(a) {
        a | QUIET
    } else {
        number
    };
    number & 0xffff
}
#[inline(always)]
pub(crate) fn max(ieee: bool, a: u32, b: u32) -> u32 {
    pick(ieee, a, b, if key(a) >= key(b) { a } else { b })
}
#[inline(always)]
pub(crate) fn min(ieee: bool, a: u32, b: u32) -> u32 {
    pick(ieee, a, b, if key(a) < key(b) { a } else { b })
}
#[inline(always)]
fn min3(ieee: bool, a: u32, b: u32, c: u32) -> u32 {
    min(ieee, min(ieee, a, b), c)
}
#[inline(always)]
fn max3(ieee: bool, a: u32, b: u32, c: u32) -> u32 {
    max(ieee, max(ieee, a, b), c)
}
#[inline(always)]
fn med3(ieee: bool, a: u32, b: u32, c: u32) -> u32 {
    let most = value(max3(ieee, a, b, c));
    let median = if most == value(a) {
        max(ieee, b, c)
    } else if most == value(b) {
        max(ieee, a, c)
    } else {
        max(ieee, a, b)
    };
    if is_nan(a) | is_nan(b) | is_nan(c) {
        min3(ieee, a, b, c)
    } else {
        median
    }
}

/// Applies a function in single precision.
#[inline(always)]
pub(crate) fn unary(a: u32, function: impl Fn(f32) -> f32) -> u32 {
    if is_nan(a) {
        a | QUIET
    } else {
        settle(function(value(a)), a, a)
    }
}

/// Returns true if the class bits of `mask` include the class of `a`.
#[inline(always)]
pub(crate) fn class(a: u32, mask: u32) -> bool {
    let magnitude = a & 0x7fff;
    let signed = |positive: u32, negative: u32| if a & SIGN != 0 { negative } else { positive };
    let bit = if magnitude < 0x400 {
        signed(7, 4)
    } else {
        signed(8, 3)
    };
    let bit = if magnitude == 0 { signed(6, 5) } else { bit };
    let bit = if magnitude == INFINITY {
        signed(9, 2)
    } else {
        bit
    };
    let bit = if is_nan(a) {
        u32::from(a & QUIET != 0)
    } else {
        bit
    };
    (mask >> bit) & 1 != 0
}

/// Applies the clamp modifier: to [0, 1], and NaN to 0 if `dx10`.
#[inline(always)]
pub(crate) fn clamp(dx10: bool, a: u32) -> u32 {
    let number = if a & SIGN != 0 {
        0
    } else {
        (a & 0xffff).min(0x3c00)
    };
    let nan = if dx10 { 0 } else { a };
    if is_nan(a) { nan } else { number }
}

#[inline(always)]
fn ldexp(a: u32, n: i32) -> u32 {
    if is_nan(a) {
        return a | QUIET;
    }
    // Double precision is exact for every result that is not far out of range.
    let scale = f64::from_bits(((1023 + n.clamp(-100, 100)) as u64) << 52);
    from_double(f64::from(value(a)) * scale)
}

/// Returns the normalized integer. The double product rounds once; a single product would round
/// twice.
fn to_normalised(a: u32, scale: f64, low: i32, high: i32) -> u32 {
    single_to_normalised(value(a).to_bits(), scale, low, high)
}

pub(crate) fn single_to_normalised(a: u32, scale: f64, low: i32, high: i32) -> u32 {
    let x = f64::from(f32::from_bits(a)) * scale;
    let rounded = if x.is_nan() { 0.0 } else { x.round_ties_even() };
    (rounded as i32).clamp(low, high) as u32 & 0xffff
}

/// Returns the unfused multiply-add. It rounds the product first and flushes denormals in every
/// mode, as V_MAD_F32 does (Vega manual, V_MAD_F16).
#[inline(always)]
fn mad(a: u32, b: u32, c: u32) -> u32 {
    let product = flush(mul(flush(a), flush(b)));
    flush(add(product, flush(c)))
}

narrow! {
    ADD(F16, F16) -> F16 = |_, a, b| add(a, b);
    SUB(F16, F16) -> F16 = |_, a, b| sub(a, b);
    SUBREV(F16, F16) -> F16 = |_, a, b| settle(value(b) - value(a), a, b);
    MUL(F16, F16) -> F16 = |_, a, b| mul(a, b);
    MAX(F16, F16) -> F16 = |m, a, b| max(m.ieee(), a, b);
    MIN(F16, F16) -> F16 = |m, a, b| min(m.ieee(), a, b);
    MAX3(F16, F16, F16) -> F16 [keeps_half] = |m, a, b, c| max3(m.ieee(), a, b, c);
    MIN3(F16, F16, F16) -> F16 [keeps_half] = |m, a, b, c| min3(m.ieee(), a, b, c);
    MED3(F16, F16, F16) -> F16 [keeps_half] = |m, a, b, c| med3(m.ieee(), a, b, c);
    MAXMIN(F16, F16, F16) -> F16 [keeps_half] = |m, a, b, c| min(m.ieee(), max(m.ieee(), a, b), c);
    MINMAX(F16, F16, F16) -> F16 [keeps_half] = |m, a, b, c| max(m.ieee(), min(m.ieee(), a, b), c);
    MAC(F16, F16, F16) -> F16 [accumulates keeps_half] = |_, a, b, c| mad(a, b, c);
    MAD(F16, F16, F16) -> F16 [keeps_half] = |_, a, b, c| mad(a, b, c);
    MAD_LEGACY(F16, F16, F16) -> F16 = |_, a, b, c| mad(a, b, c);
    FMA(F16, F16, F16) -> F16 [keeps_half] = |_, a, b, c| fma(a, b, c);
    FMAC(F16, F16, F16) -> F16 [accumulates keeps_half] = |_, a, b, c| fma(a, b, c);
    FMA_LEGACY(F16, F16, F16) -> F16 = |_, a, b, c| fma(a, b, c);
    LDEXP(F16, B16) -> F16 = |_, a, n| ldexp(a, sext16(n) as i32);
    FLOOR(F16) -> F16 = |_, a| unary(a, f32::floor);
    CEIL(F16) -> F16 = |_, a| unary(a, f32::ceil);
    TRUNC(F16) -> F16 = |_, a| unary(a, f32::trunc);
    RNDNE(F16) -> F16 = |_, a| unary(a, f32::round_ties_even);
    FRACT(F16) -> F16 = |_, a| {
        let rest = unary(a, |x| x - x.floor());
        if rest == 0x3c00 { 0x3bff } else { rest }
    };
    FREXP_MANTISSA(F16) -> F16 = |_, a| {
        let special = if is_nan(a) { a | QUIET } else { a };
        let mantissa = from_single(f32_bits::frexp_mantissa(to_single(a)));
        if a & INFINITY == INFINITY { special } else { mantissa }
    };
    FREXP_EXPONENT(F16) -> B16 = |_, a| f32_bits::frexp_exponent(to_single(a)) as u32 & 0xffff;
    RCP(F16) -> F16 [approximate] = |_, a| unary(a, |x| 1.0 / x);
    SQRT(F16) -> F16 [approximate] = |_, a| unary(a, f32::sqrt);
    RSQ(F16) -> F16 [approximate] = |_, a| unary(a, |x| 1.0 / x.sqrt());
    LOG(F16) -> F16 [approximate] = |_, a| unary(a, f32::log2);
    EXP(F16) -> F16 [approximate] = |_, a| unary(a, f32::exp2);
    CVT_F16_F32(F32) -> F16 = |_, a| from_single(a);
    CVT_F32_F16(F16) -> F32 = |_, a| to_single(a);
    CVT_F16_U16(B16) -> F16 = |_, a| from_single(((a & 0xffff) as f32).to_bits());
    CVT_F16_I16(B16) -> F16 = |_, a| from_single((sext16(a) as i32 as f32).to_bits());
    CVT_U16_F16(F16) -> B16 = |_, a| (value(a) as u32).min(0xffff);
    CVT_I16_F16(F16) -> B16 = |_, a| (value(a) as i32).clamp(-0x8000, 0x7fff) as u32 & 0xffff;
    CVT_NORM_I16(F16) -> B16 = |_, a| to_normalised(a, 32767.0, -32767, 32767);
    CVT_NORM_U16(F16) -> B16 = |_, a| to_normalised(a, 65535.0, 0, 65535);
    CVT_PKNORM_I16(F16, F16) -> P16 = |_, a, b| {
        to_normalised(a, 32767.0, -32767, 32767) | (to_normalised(b, 32767.0, -32767, 32767) << 16)
    };
    CVT_PKNORM_U16(F16, F16) -> P16 = |_, a, b| {
        to_normalised(a, 65535.0, 0, 65535) | (to_normalised(b, 65535.0, 0, 65535) << 16)
    };
    CVT_PKRTZ(F32, F32) -> P16 = |_, a, b| {
        from_single_toward_zero(a) | (from_single_toward_zero(b) << 16)
    };
    CVT_PK_F16_F32(F32, F32) -> P16 = |_, a, b| from_single(a) | (from_single(b) << 16);
    PACK(F16, F16) -> P16 = |_, a, b| (a & 0xffff) | (b << 16);
    PK_FMAC(PF16, PF16, PF16) -> PF16 [accumulates] = |_, a, b, c| packed_fma(a, b, c);
    // The selection has converted the sources to single precision.
    FMA_MIX(F32, F32, F32) -> F32 = |_, a, b, c| f32_bits::fma(a, b, c);
    // The sum is a single before its conversion to a half, as in the manuals.
    FMA_MIX_HALF(F32, F32, F32) -> F16 [keeps_half] = |_, a, b, c| from_single(f32_bits::fma(a, b, c));
}

#[cfg(test)]
#[path = "half_tests.rs"]
mod tests;
