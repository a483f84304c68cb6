//! Single-precision operations and conversions of 32 bits.

use super::float::f32_bits::{self, add, fma, is_nan, max, min, mul, unary, value};
use super::half::single_to_normalised;
use super::lanes::narrow;

/// Computes a function without specified last bits: in double precision, with denormals flushed.
#[inline(always)]
fn approximate(a: u32, function: impl Fn(f64) -> f64) -> u32 {
    let result = unary(f32_bits::flush(a), |x| function(f64::from(x)) as f32);
    f32_bits::flush(result)
}

/// Returns the product, or 0 if a factor is zero.
#[inline(always)]
fn mul_legacy(a: u32, b: u32) -> u32 {
    let zero = f32_bits::is_zero(a) | f32_bits::is_zero(b);
    if zero { 0 } else { mul(a, b) }
}
#[inline(always)]
fn mad(a: u32, b: u32, c: u32, multiply: impl Fn(u32, u32) -> u32) -> u32 {
    let product = f32_bits::flush(multiply(f32_bits::flush(a), f32_bits::flush(b)));
    f32_bits::flush(add(product, f32_bits::flush(c)))
}
#[inline(always)]
fn fma_legacy(a: u32, b: u32, c: u32) -> u32 {
    let zero = f32_bits::is_zero(a) | f32_bits::is_zero(b);
    if zero { c } else { fma(a, b, c) }
}
/// Returns the product for lighting. It is the most negative number if the second factor is as
/// small, or if the third source is not positive.
#[inline(always)]
fn mullit(a: u32, b: u32, c: u32) -> u32 {
    let least = f32::MIN.to_bits();
    let dark = value(b) <= f32::MIN || is_nan(b) || value(c) <= 0.0 || is_nan(c);
    let zero = f32_bits::is_zero(a) | f32_bits::is_zero(b);
    if dark {
        least
    } else if zero {
        0
    } else {
        mul(a, b)
    }
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

/// Returns the 8-bit integer of a float, rounded to even and saturated.
#[inline(always)]
fn to_u8(a: u32) -> u32 {
    let x = value(a);
    if x.is_nan() {
        0
    } else {
        x.round_ties_even().clamp(0.0, 255.0) as u32
    }
}

/// Returns the 16-bit integer of the integral part, saturated; NaN gives 0.
#[inline(always)]
fn to_i16(a: u32) -> u32 {
    (value(a) as i32).clamp(-0x8000, 0x7fff) as u32 & 0xffff
}
#[inline(always)]
fn to_u16(a: u32) -> u32 {
    (value(a) as u32).min(0xffff)
}

/// Returns the longest axis of a direction: 0 for x, 1 for y, 2 for z; ties go to the later one.
#[inline(always)]
fn major_axis(x: f32, y: f32, z: f32) -> u32 {
    if z.abs() >= x.abs() && z.abs() >= y.abs() {
        2
    } else if y.abs() >= x.abs() {
        1
    } else {
        0
    }
}

#[inline(always)]
fn with_byte(word: u32, index: u32, byte: u32) -> u32 {
    let shift = 8 * (index & 3);
    (word & !(0xff << shift)) | (byte << shift)
}

narrow! {
    ADD(F32, F32) -> F32 = |_, a, b| add(a, b);
    SUB(F32, F32) -> F32 = |_, a, b| f32_bits::settle(value(a) - value(b), a, b);
    SUBREV(F32, F32) -> F32 = |_, a, b| {
        f32_bits::settle(value(b) - value(a), a, b)
    };
    MUL(F32, F32) -> F32 = |_, a, b| mul(a, b);
    MUL_LEGACY(F32, F32) -> F32 = |_, a, b| mul_legacy(a, b);
    // A zero factor makes the product zero, even if the other factor is infinite or NaN.
    FMA_LEGACY(F32, F32, F32) -> F32 = |_, a, b, c| fma_legacy(a, b, c);
    FMAC_LEGACY(F32, F32, F32) -> F32 [accumulates] = |_, a, b, c| fma_legacy(a, b, c);
    MULLIT(F32, F32, F32) -> F32 = |_, a, b, c| mullit(a, b, c);
    // The unfused forms round the product first, and flush denormals in every mode.
    MAC(F32, F32, F32) -> F32 [accumulates] = |_, a, b, c| mad(a, b, c, mul);
    MAD(F32, F32, F32) -> F32 = |_, a, b, c| mad(a, b, c, mul);
    MAD_LEGACY(F32, F32, F32) -> F32 = |_, a, b, c| mad(a, b, c, mul_legacy);
    MAX(F32, F32) -> F32 = |m, a, b| max(m.ieee(), a, b);
    MIN(F32, F32) -> F32 = |m, a, b| min(m.ieee(), a, b);
    MAX3(F32, F32, F32) -> F32 = |m, a, b, c| max3(m.ieee(), a, b, c);
    MIN3(F32, F32, F32) -> F32 = |m, a, b, c| min3(m.ieee(), a, b, c);
    MED3(F32, F32, F32) -> F32 = |m, a, b, c| med3(m.ieee(), a, b, c);
    MAXMIN(F32, F32, F32) -> F32 = |m, a, b, c| min(m.ieee(), max(m.ieee(), a, b), c);
    MINMAX(F32, F32, F32) -> F32 = |m, a, b, c| max(m.ieee(), min(m.ieee(), a, b), c);
    FMA(F32, F32, F32) -> F32 = |_, a, b, c| fma(a, b, c);
    FMAC(F32, F32, F32) -> F32 [accumulates] = |_, a, b, c| fma(a, b, c);
    LDEXP(F32, B32) -> F32 = |_, a, n| f32_bits::ldexp(a, n as i32);
    FLOOR(F32) -> F32 = |_, a| unary(a, f32::floor);
    CEIL(F32) -> F32 = |_, a| unary(a, f32::ceil);
    TRUNC(F32) -> F32 = |_, a| unary(a, f32::trunc);
    RNDNE(F32) -> F32 = |_, a| unary(a, f32::round_ties_even);
    FRACT(F32) -> F32 = |_, a| f32_bits::fract(a);
    FREXP_MANTISSA(F32) -> F32 = |_, a| f32_bits::frexp_mantissa(a);
    FREXP_EXPONENT(F32) -> B32 = |_, a| f32_bits::frexp_exponent(a) as u32;
    RCP(F32) -> F32 [approximate] = |_, a| approximate(a, |x| 1.0 / x);
    RSQ(F32) -> F32 [approximate] = |_, a| approximate(a, |x| 1.0 / x.sqrt());
    SQRT(F32) -> F32 [approximate] = |_, a| approximate(a, f64::sqrt);
    EXP(F32) -> F32 [approximate] = |_, a| approximate(a, f64::exp2);
    LOG(F32) -> F32 [approximate] = |_, a| approximate(a, f64::log2);
    CVT_F32_I32(B32) -> F32 = |_, a| (a as i32 as f32).to_bits();
    CVT_F32_U32(B32) -> F32 = |_, a| (a as f32).to_bits();
    CVT_U32_F32(F32) -> B32 = |_, a| value(a) as u32;
    CVT_I32_F32(F32) -> B32 = |_, a| value(a) as i32 as u32;
    // The sum needs double precision: a single would round before `floor`.
    CVT_RPI_I32_F32(F32) -> B32 = |_, a| (f64::from(value(a)) + 0.5).floor() as i32 as u32;
    CVT_FLR_I32_F32(F32) -> B32 = |_, a| value(a).floor() as i32 as u32;
    CVT_OFF_F32_I4(B32) -> F32 = |_, a| ((((a << 28) as i32) >> 28) as f32 / 16.0).to_bits();
    CVT_F32_UBYTE0(B32) -> F32 = |_, a| ((a & 0xff) as f32).to_bits();
    CVT_F32_UBYTE1(B32) -> F32 = |_, a| (((a >> 8) & 0xff) as f32).to_bits();
    CVT_F32_UBYTE2(B32) -> F32 = |_, a| (((a >> 16) & 0xff) as f32).to_bits();
    CVT_F32_UBYTE3(B32) -> F32 = |_, a| ((a >> 24) as f32).to_bits();
    CVT_PK_I16_F32(F32, F32) -> P16 = |_, a, b| to_i16(a) | (to_i16(b) << 16);
    CVT_PK_U16_F32(F32, F32) -> P16 = |_, a, b| to_u16(a) | (to_u16(b) << 16);
    CVT_PK_U8_F32(F32, B32, B32) -> B32 = |_, a, b, c| with_byte(c, b, to_u8(a));
    CVT_PKACCUM_U8_F32(F32, B32, B32) -> B32 [accumulates] = |_, a, b, c| with_byte(c, b, to_u8(a));
    CVT_PKNORM_I16(F32, F32) -> P16 = |_, a, b| {
        single_to_normalised(a, 32767.0, -32767, 32767) | (single_to_normalised(b, 32767.0, -32767, 32767) << 16)
    };
    CVT_PKNORM_U16(F32, F32) -> P16 = |_, a, b| {
        single_to_normalised(a, 65535.0, 0, 65535) | (single_to_normalised(b, 65535.0, 0, 65535) << 16)
    };
    CUBEID(F32, F32, F32) -> F32 = |_, x, y, z| {
        let (x, y, z) = (value(x), value(y), value(z));
        let axis = major_axis(x, y, z);
        let negative = [x, y, z][axis as usize] < 0.0;
        ((2 * axis + u32::from(negative)) as f32).to_bits()
    };
    CUBESC(F32, F32, F32) -> F32 = |_, x, y, z| match major_axis(value(x), value(y), value(z)) {
        2 if value(z) < 0.0 => x ^ f32_bits::SIGN,
        1 | 2 => x,
        _ if value(x) < 0.0 => z,
        _ => z ^ f32_bits::SIGN,
    };
    CUBETC(F32, F32, F32) -> F32 = |_, x, y, z| match major_axis(value(x), value(y), value(z)) {
        1 if value(y) < 0.0 => z ^ f32_bits::SIGN,
        1 => z,
        _ => y ^ f32_bits::SIGN,
    };
    CUBEMA(F32, F32, F32) -> F32 = |_, x, y, z| {
        let axis = major_axis(value(x), value(y), value(z));
        mul([x, y, z][axis as usize], 2f32.to_bits())
    };
}
