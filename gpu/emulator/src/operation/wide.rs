//! Operations with a 64-bit source or result.

use super::float::{
    f32_bits,
    f64_bits::{self, add, fma, mul, unary, value},
};
use super::integer::{msad_u8, sad_u8};
use super::lanes::{carrying_wide, wide};

/// Computes a function without specified last bits.
#[inline(always)]
fn approximate(a: u64, function: impl Fn(f64) -> f64) -> u64 {
    unary(a, function)
}

/// Returns the nearest single of a double; a NaN keeps the upper bits of its payload.
#[inline(always)]
fn to_single(a: u64) -> u64 {
    // 29 is the difference of the fraction lengths, 52 and 23 bits.
    let nan = ((a >> 32) as u32 & f32_bits::SIGN) | f32_bits::NAN | ((a >> 29) as u32 & 0x3f_ffff);
    u64::from(if f64_bits::is_nan(a) {
        nan
    } else {
        (value(a) as f32).to_bits()
    })
}

/// Returns the double equal to a single; a NaN keeps its payload and becomes quiet.
#[inline(always)]
fn from_single(a: u64) -> u64 {
    let bits = a as u32;
    let nan = (u64::from(bits & f32_bits::SIGN) << 32)
        | f64_bits::NAN
        | (u64::from(bits & 0x3f_ffff) << 29);
    if f32_bits::is_nan(bits) {
        nan
    } else {
        f64::from(f32::from_bits(bits)).to_bits()
    }
}

/// Returns four sums of absolute differences of the bytes of `b` with sliding windows of `a`, 16
/// bits each.
#[inline(always)]
fn windows(a: u64, b: u64, c: u64, sum: impl Fn(u32, u32, u32) -> u32) -> u64 {
    (0..4).fold(0, |result, i| {
        let start = (c >> (16 * i)) as u32 & 0xffff;
        result | (u64::from(sum((a >> (8 * i)) as u32, b as u32, start) & 0xffff) << (16 * i))
    })
}

wide! {
    MOV(B64) -> B64 = |_, a| a;
    ADD(F64, F64) -> F64 = |_, a, b| add(a, b);
    MUL(F64, F64) -> F64 = |_, a, b| mul(a, b);
    MAX(F64, F64) -> F64 = |m, a, b| f64_bits::max(m.ieee(), a, b);
    MIN(F64, F64) -> F64 = |m, a, b| f64_bits::min(m.ieee(), a, b);
    FMA(F64, F64, F64) -> F64 = |_, a, b, c| fma(a, b, c);
    FMAC(F64, F64, F64) -> F64 [accumulates] = |_, a, b, c| fma(a, b, c);
    LDEXP(F64, B32) -> F64 = |_, a, n| f64_bits::ldexp(a, n as u32 as i32);
    FLOOR(F64) -> F64 = |_, a| unary(a, f64::floor);
    CEIL(F64) -> F64 = |_, a| unary(a, f64::ceil);
    TRUNC(F64) -> F64 = |_, a| unary(a, f64::trunc);
    RNDNE(F64) -> F64 = |_, a| unary(a, f64::round_ties_even);
    FRACT(F64) -> F64 = |_, a| f64_bits::fract(a);
    FREXP_MANTISSA(F64) -> F64 = |_, a| f64_bits::frexp_mantissa(a);
    FREXP_EXPONENT(F64) -> B32 = |_, a| u64::from(f64_bits::frexp_exponent(a) as u32);
    RCP(F64) -> F64 [approximate] = |_, a| approximate(a, |x| 1.0 / x);
    RSQ(F64) -> F64 [approximate] = |_, a| approximate(a, |x| 1.0 / x.sqrt());
    SQRT(F64) -> F64 [approximate] = |_, a| approximate(a, f64::sqrt);
    CVT_I32_F64(F64) -> B32 = |_, a| u64::from(value(a) as i32 as u32);
    CVT_U32_F64(F64) -> B32 = |_, a| u64::from(value(a) as u32);
    CVT_F64_I32(B32) -> F64 = |_, a| f64::from(a as u32 as i32).to_bits();
    CVT_F64_U32(B32) -> F64 = |_, a| f64::from(a as u32).to_bits();
    CVT_F32_F64(F64) -> F32 = |_, a| to_single(a);
    CVT_F64_F32(F32) -> F64 = |_, a| from_single(a);
    LSHLREV_B64(B32, B64) -> B64 = |_, a, b| b << (a & 63);
    LSHRREV_B64(B32, B64) -> B64 = |_, a, b| b >> (a & 63);
    ASHRREV_I64(B32, I64) -> I64 = |_, a, b| ((b as i64) >> (a & 63)) as u64;
    // Shifts by more than 4 are unsupported and count as 0 (CDNA 3 manual, 12.11.1).
    LSHL_ADD_U64(B64, B32, B64) -> B64 = |_, a, b, c| (a << [0, 1, 2, 3, 4, 0, 0, 0][b as usize & 7]).wrapping_add(c);
    QSAD_PK_U16_U8(B64, B32, B64) -> B64 = |_, a, b, c| windows(a, b, c, sad_u8);
    MQSAD_PK_U16_U8(B64, B32, B64) -> B64 = |_, a, b, c| windows(a, b, c, msad_u8);
}

carrying_wide! {
    MAD_U64_U32(B32, B32, B64) -> B64 reads false writes true [sums] = |m, a, b, c, _| {
        // The 32-bit sources are zero-extended, so the product cannot overflow.
        let (sum, carry) = (a * b).overflowing_add(c);
        (if m.clamp() & carry { u64::MAX } else { sum }, carry)
    };
    MAD_I64_I32(B32, B32, I64) -> I64 reads false writes true = |m, a, b, c, _| {
        let product = i64::from(a as u32 as i32) * i64::from(b as u32 as i32);
        let (sum, overflow) = product.overflowing_add(c as i64);
        let limit = if product < 0 { i64::MIN } else { i64::MAX };
        (if m.clamp() & overflow { limit } else { sum } as u64, overflow)
    };
}
