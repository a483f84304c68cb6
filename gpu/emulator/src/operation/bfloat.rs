//! bfloat16: the upper half of a single.

use super::float::f32_bits;
use super::lanes::narrow;

/// Returns the same value in single precision.
#[inline(always)]
pub(crate) fn to_single(a: u32) -> u32 {
    a << 16
}

/// Returns the nearest bfloat16 of a single, with ties to even; a NaN becomes quiet.
#[inline(always)]
pub(crate) fn from_single(a: u32) -> u32 {
    // A NaN with its payload only in the lower half would become an infinity otherwise.
    if f32_bits::is_nan(a) {
        return (a >> 16) | 0x40;
    }
    (a + 0x7fff + ((a >> 16) & 1)) >> 16
}

/// Returns the sum of two bfloat16.
#[inline(always)]
pub(crate) fn add(a: u32, b: u32) -> u32 {
    from_single(f32_bits::add(to_single(a), to_single(b)))
}

narrow! {
    CVT_F32_BF16(M16) -> F32 = |_, a| to_single(a);
    CVT_PK_BF16_F32(F32, F32) -> P16 = |_, a, b| from_single(a) | (from_single(b) << 16);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(single: u32, expected: u32) {
        assert_eq!(from_single(single), expected, "{single:#x}");
    }

    #[test]
    fn rounding_is_to_nearest_even() {
        check(0x3f80_7fff, 0x3f80);
        check(0x3f80_8000, 0x3f80);
        check(0x3f80_8001, 0x3f81);
        check(0x3f81_8000, 0x3f82);
        check(0x7f7f_ffff, 0x7f80);
        check(0xff80_0000, 0xff80);
        check(0x7f80_0001, 0x7fc0);
        check(0x0000_8001, 0x0001);
    }
}
