//! Minimum and maximum of IEEE 754-2019. The *number* variants prefer a number to a NaN; the
//! plain ones propagate a NaN. Both order -0 below +0 and ignore the mode bits.

use super::float::f32_bits;
use super::half;
use super::lanes::{narrow, wide};

/// Defines the rules for one format, which needs `key` (an order), `is_nan`, `is_signalling` and
/// `QUIET`.
macro_rules! extrema {
    ($module:ident, $bits:ty, $($format:ident)::+) => {
        pub(crate) mod $module {
            use $($format)::+ as format;

            /// Returns a number if there is one, or the first source quieted.
            #[inline(always)]
            fn number(a: $bits, b: $bits, chosen: $bits) -> $bits {
                let (a_is_nan, b_is_nan) = (format::is_nan(a), format::is_nan(b));
                let one = if a_is_nan { b } else { chosen };
                let one = if b_is_nan { a } else { one };
                if a_is_nan & b_is_nan {
                    a | format::QUIET
                } else {
                    one
                }
            }
            /// Returns a NaN if there is one: a signalling one before a quiet one, the first
            /// source before the second.
            #[inline(always)]
            fn nan(a: $bits, b: $bits, chosen: $bits) -> $bits {
                // Selections instead of early returns let the lane loop vectorize.
                let one = if format::is_nan(b) { b } else { chosen };
                let one = if format::is_nan(a) { a } else { one };
                let one = if format::is_signalling(b) {
                    b | format::QUIET
                } else {
                    one
                };
                if format::is_signalling(a) {
                    a | format::QUIET
                } else {
                    one
                }
            }
            #[inline(always)]
            fn smaller(a: $bits, b: $bits) -> $bits {
                if format::key(a) < format::key(b) { a } else { b }
            }
            #[inline(always)]
            fn larger(a: $bits, b: $bits) -> $bits {
                if format::key(a) >= format::key(b) { a } else { b }
            }
            #[inline(always)]
            pub(crate) fn min_number(a: $bits, b: $bits) -> $bits {
                number(a, b, smaller(a, b))
            }
            #[inline(always)]
            pub(crate) fn max_number(a: $bits, b: $bits) -> $bits {
                number(a, b, larger(a, b))
            }
            #[inline(always)]
            pub(crate) fn minimum(a: $bits, b: $bits) -> $bits {
                nan(a, b, smaller(a, b))
            }
            #[inline(always)]
            pub(crate) fn maximum(a: $bits, b: $bits) -> $bits {
                nan(a, b, larger(a, b))
            }
        }
    };
}

extrema!(binary16, u32, super::super::half);
extrema!(binary32, u32, super::super::float::f32_bits);
extrema!(binary64, u64, super::super::float::f64_bits);

/// Defines the median by value; with a NaN it is the minimum of the numbers.
macro_rules! median {
    ($name:ident, $module:ident, $value:path, $is_nan:path) => {
        #[inline(always)]
        fn $name(a: u32, b: u32, c: u32) -> u32 {
            use $module::{max_number, min_number};
            let most = $value(max_number(max_number(a, b), c));
            let median = if most == $value(a) {
                max_number(b, c)
            } else if most == $value(b) {
                max_number(a, c)
            } else {
                max_number(a, b)
            };
            if $is_nan(a) | $is_nan(b) | $is_nan(c) {
                min_number(min_number(a, b), c)
            } else {
                median
            }
        }
    };
}
median!(median_f16, binary16, half::value, half::is_nan);
median!(median_f32, binary32, f32_bits::value, f32_bits::is_nan);

#[inline(always)]
fn both(a: u32, b: u32, one: impl Fn(u32, u32) -> u32) -> u32 {
    let low = one(a & 0xffff, b & 0xffff) & 0xffff;
    low | (one(a >> 16, b >> 16) << 16)
}

narrow! {
    MIN_NUM_F32(F32, F32) -> F32 = |_, a, b| binary32::min_number(a, b);
    MAX_NUM_F32(F32, F32) -> F32 = |_, a, b| binary32::max_number(a, b);
    MIN3_NUM_F32(F32, F32, F32) -> F32 = |_, a, b, c| binary32::min_number(binary32::min_number(a, b), c);
    MAX3_NUM_F32(F32, F32, F32) -> F32 = |_, a, b, c| binary32::max_number(binary32::max_number(a, b), c);
    MED3_NUM_F32(F32, F32, F32) -> F32 = |_, a, b, c| median_f32(a, b, c);
    MINMAX_NUM_F32(F32, F32, F32) -> F32 = |_, a, b, c| binary32::max_number(binary32::min_number(a, b), c);
    MAXMIN_NUM_F32(F32, F32, F32) -> F32 = |_, a, b, c| binary32::min_number(binary32::max_number(a, b), c);
    MINIMUM_F32(F32, F32) -> F32 = |_, a, b| binary32::minimum(a, b);
    MAXIMUM_F32(F32, F32) -> F32 = |_, a, b| binary32::maximum(a, b);
    MINIMUM3_F32(F32, F32, F32) -> F32 = |_, a, b, c| binary32::minimum(binary32::minimum(a, b), c);
    MAXIMUM3_F32(F32, F32, F32) -> F32 = |_, a, b, c| binary32::maximum(binary32::maximum(a, b), c);
    MINIMUMMAXIMUM_F32(F32, F32, F32) -> F32 = |_, a, b, c| binary32::maximum(binary32::minimum(a, b), c);
    MAXIMUMMINIMUM_F32(F32, F32, F32) -> F32 = |_, a, b, c| binary32::minimum(binary32::maximum(a, b), c);

    MIN_NUM_F16(F16, F16) -> F16 = |_, a, b| binary16::min_number(a, b);
    MAX_NUM_F16(F16, F16) -> F16 = |_, a, b| binary16::max_number(a, b);
    MIN3_NUM_F16(F16, F16, F16) -> F16 = |_, a, b, c| binary16::min_number(binary16::min_number(a, b), c);
    MAX3_NUM_F16(F16, F16, F16) -> F16 = |_, a, b, c| binary16::max_number(binary16::max_number(a, b), c);
    MED3_NUM_F16(F16, F16, F16) -> F16 = |_, a, b, c| median_f16(a, b, c);
    MINMAX_NUM_F16(F16, F16, F16) -> F16 = |_, a, b, c| binary16::max_number(binary16::min_number(a, b), c);
    MAXMIN_NUM_F16(F16, F16, F16) -> F16 = |_, a, b, c| binary16::min_number(binary16::max_number(a, b), c);
    MINIMUM_F16(F16, F16) -> F16 = |_, a, b| binary16::minimum(a, b);
    MAXIMUM_F16(F16, F16) -> F16 = |_, a, b| binary16::maximum(a, b);
    MINIMUM3_F16(F16, F16, F16) -> F16 = |_, a, b, c| binary16::minimum(binary16::minimum(a, b), c);
    MAXIMUM3_F16(F16, F16, F16) -> F16 = |_, a, b, c| binary16::maximum(binary16::maximum(a, b), c);
    MINIMUMMAXIMUM_F16(F16, F16, F16) -> F16 = |_, a, b, c| binary16::maximum(binary16::minimum(a, b), c);
    MAXIMUMMINIMUM_F16(F16, F16, F16) -> F16 = |_, a, b, c| binary16::minimum(binary16::maximum(a, b), c);

    PK_MIN_NUM_F16(PF16, PF16) -> PF16 = |_, a, b| both(a, b, binary16::min_number);
    PK_MAX_NUM_F16(PF16, PF16) -> PF16 = |_, a, b| both(a, b, binary16::max_number);
    PK_MINIMUM3_F16(PF16, PF16, PF16) -> PF16 = |_, a, b, c| both(both(a, b, binary16::minimum), c, binary16::minimum);
    PK_MAXIMUM3_F16(PF16, PF16, PF16) -> PF16 = |_, a, b, c| both(both(a, b, binary16::maximum), c, binary16::maximum);
    PK_MINIMUM_F16(PF16, PF16) -> PF16 = |_, a, b| both(a, b, binary16::minimum);
    PK_MAXIMUM_F16(PF16, PF16) -> PF16 = |_, a, b| both(a, b, binary16::maximum);
}

wide! {
    MIN_NUM_F64(F64, F64) -> F64 = |_, a, b| binary64::min_number(a, b);
    MAX_NUM_F64(F64, F64) -> F64 = |_, a, b| binary64::max_number(a, b);
    MINIMUM_F64(F64, F64) -> F64 = |_, a, b| binary64::minimum(a, b);
    MAXIMUM_F64(F64, F64) -> F64 = |_, a, b| binary64::maximum(a, b);
}

#[cfg(test)]
mod tests {
    use super::{binary16, binary32, binary64};

    const QUIET: u32 = 0x7fc0_0001;
    const SIGNALLING: u32 = 0xff80_0002;
    const ONE: u32 = 0x3f80_0000;
    const ZERO: u32 = 0;
    const MINUS_ZERO: u32 = 0x8000_0000;

    /// Checks minimum and maximum of numbers, and minimum and maximum, of `a` and `b`.
    #[track_caller]
    fn check(a: u32, b: u32, expected: [u32; 4]) {
        let results = [
            binary32::min_number(a, b),
            binary32::max_number(a, b),
            binary32::minimum(a, b),
            binary32::maximum(a, b),
        ];
        assert_eq!(results, expected, "{a:#x} {b:#x}");
    }

    #[test]
    fn a_number_wins_or_a_nan_is_handed_on() {
        check(QUIET, ONE, [ONE, ONE, QUIET, QUIET]);
        check(ONE, QUIET, [ONE, ONE, QUIET, QUIET]);
        let quieted = SIGNALLING | 0x40_0000;
        check(SIGNALLING, ONE, [ONE, ONE, quieted, quieted]);
        check(ONE, SIGNALLING, [ONE, ONE, quieted, quieted]);
        check(QUIET, SIGNALLING, [QUIET, QUIET, quieted, quieted]);
        check(SIGNALLING, QUIET, [quieted; 4]);
        check(QUIET, QUIET + 1, [QUIET; 4]);
    }

    #[test]
    fn zeros_are_ordered() {
        for (a, b) in [(ZERO, MINUS_ZERO), (MINUS_ZERO, ZERO)] {
            check(a, b, [MINUS_ZERO, ZERO, MINUS_ZERO, ZERO]);
        }
        check(MINUS_ZERO, ONE, [MINUS_ZERO, ONE, MINUS_ZERO, ONE]);
        assert_eq!(binary64::minimum(0, 1 << 63), 1 << 63);
        assert_eq!(binary64::maximum(1 << 63, 0), 0);
        assert_eq!(binary16::min_number(0, 0x8000), 0x8000);
        assert_eq!(binary16::max_number(0x7c01, 0x7e02) & 0xffff, 0x7e01);
    }
}
