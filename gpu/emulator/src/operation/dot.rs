//! Dot products of integers with separate signs, of halves and of bfloat16.
//!
//! Those with a sum in single precision follow the manuals' pseudocode, and flush denormals in
//! every mode (CDNA 3 manual, 6.4). For a half or bfloat16 sum, the manuals give the order of the
//! terms but not the rounding steps. The emulator rounds each sum, and counts the result as
//! approximate.

use super::float::f32_bits;
use super::integer::{field, signed_32};
use super::lanes::narrow;
use super::{VectorOperation, bfloat, half};

#[inline(always)]
fn mixed(clamp: bool, [a, b, c]: [u32; 3], bits: u32, [first, second]: [bool; 2]) -> u32 {
    // 64 bits hold the exact sum, so only the end saturates.
    let start = i64::from(c as i32);
    let sum = (0..32 / bits).fold(start, |sum, index| {
        sum + field(a, index, bits, first) * field(b, index, bits, second)
    });
    signed_32(clamp, sum)
}

/// Returns the products of the low parts and of the high parts, as singles.
#[inline(always)]
fn products(a: u32, b: u32, single: impl Fn(u32) -> u32) -> [u32; 2] {
    let product = |a: u32, b: u32| f32_bits::flush(f32_bits::mul(single(a), single(b)));
    [product(a & 0xffff, b & 0xffff), product(a >> 16, b >> 16)]
}
#[inline(always)]
fn half_single(a: u32) -> u32 {
    half::to_single(half::flush(a))
}
#[inline(always)]
fn bfloat_single(a: u32) -> u32 {
    f32_bits::flush(bfloat::to_single(a))
}
#[inline(always)]
fn sum(a: u32, b: u32) -> u32 {
    f32_bits::flush(f32_bits::add(a, b))
}

/// Returns the sum of `c` and the products, in this order.
#[inline(always)]
fn after([low, high]: [u32; 2], c: u32) -> u32 {
    sum(sum(f32_bits::flush(c), low), high)
}

#[inline(always)]
fn bfloat_dot(a: u32, b: u32, c: u32) -> u32 {
    let [low, high] = products(a, b, bfloat_single);
    let first = bfloat::from_single(sum(bfloat_single(c & 0xffff), low));
    bfloat::from_single(sum(bfloat_single(first), high))
}

narrow! {
    DOT4_U8_U8(B32, B32, B32) -> B32 = |m, a, b, c| mixed(m.clamp(), [a, b, c], 8, [false, false]);
    DOT4_I8_U8(B32, B32, B32) -> B32 = |m, a, b, c| mixed(m.clamp(), [a, b, c], 8, [true, false]);
    DOT4_U8_I8(B32, B32, B32) -> B32 = |m, a, b, c| mixed(m.clamp(), [a, b, c], 8, [false, true]);
    DOT4_I8_I8(B32, B32, B32) -> B32 = |m, a, b, c| mixed(m.clamp(), [a, b, c], 8, [true, true]);
    DOT8_U4_U4(B32, B32, B32) -> B32 = |m, a, b, c| mixed(m.clamp(), [a, b, c], 4, [false, false]);
    DOT8_I4_U4(B32, B32, B32) -> B32 = |m, a, b, c| mixed(m.clamp(), [a, b, c], 4, [true, false]);
    DOT8_U4_I4(B32, B32, B32) -> B32 = |m, a, b, c| mixed(m.clamp(), [a, b, c], 4, [false, true]);
    DOT8_I4_I4(B32, B32, B32) -> B32 = |m, a, b, c| mixed(m.clamp(), [a, b, c], 4, [true, true]);

    DOT2_F16_F16(P16, P16, F16) -> F16 [approximate] = |_, a, b, c| {
        half::fma(a >> 16, b >> 16, half::fma(a & 0xffff, b & 0xffff, c & 0xffff))
    };
    DOT2_BF16_BF16(P16, P16, B16) -> B16 [approximate] = |_, a, b, c| bfloat_dot(a, b, c);
    DOT2_F32_F16(PF16, PF16, F32) -> F32 = |_, a, b, c| after(products(a, b, half_single), c);
    DOT2ACC_F32_F16(P16, P16, F32) -> F32 [accumulates] = |_, a, b, c| after(products(a, b, half_single), c);
    DOT2_F32_BF16(P16, P16, F32) -> F32 = |_, a, b, c| after(products(a, b, bfloat_single), c);
    DOT2ACC_F32_BF16(P16, P16, F32) -> F32 [accumulates] = |_, a, b, c| after(products(a, b, bfloat_single), c);
    // This one adds the third source last (CDNA 4 manual, V_DOT2_F32_BF16).
    DOT2_F32_BF16_LAST(P16, P16, F32) -> F32 = |_, a, b, c| {
        let [low, high] = products(a, b, bfloat_single);
        sum(sum(low, high), f32_bits::flush(c))
    };
}

/// The variants of `v_dot4_i32_iu8`, by the encoding's negation bits, which mark the signed
/// sources.
pub(crate) static DOT4_I32_IU8: [&VectorOperation; 4] =
    [&DOT4_U8_U8, &DOT4_I8_U8, &DOT4_U8_I8, &DOT4_I8_I8];
/// The same as [`DOT4_I32_IU8`] for 4-bit integers.
pub(crate) static DOT8_I32_IU4: [&VectorOperation; 4] =
    [&DOT8_U4_U4, &DOT8_I4_U4, &DOT8_U4_I4, &DOT8_I4_I4];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(signed: [bool; 2], expected: i32) {
        let (a, b) = (0x80ff_0102, 0xff02_0380);
        let byte = |word: u32, index: u32, signed: bool| {
            let byte = (word >> (8 * index)) as u8;
            if signed {
                i32::from(byte as i8)
            } else {
                i32::from(byte)
            }
        };
        let sum: i32 = (0..4)
            .map(|i| byte(a, i, signed[0]) * byte(b, i, signed[1]))
            .sum();
        assert_eq!(sum + 7, expected);
        assert_eq!(mixed(false, [a, b, 7], 8, signed) as i32, expected);
    }

    #[test]
    fn each_source_has_its_own_sign() {
        check([false, false], 33_416);
        check([true, false], -32_376);
        check([false, true], 136);
        check([true, true], -120);
    }

    #[test]
    fn saturation_is_signed() {
        let all = [0x7f7f_7f7f, 0x7f7f_7f7f, i32::MAX as u32];
        assert_eq!(mixed(true, all, 8, [true, true]), i32::MAX as u32);
        assert_eq!(mixed(false, all, 8, [true, true]) as i32, i32::MIN + 64_515);
    }
}
