//! The steps of the division macro: scale, fused multiply-add, fix-up.
//!
//! Conditions and constants are those of the pseudocode in AMD's CDNA 3 manual. Correctly rounded
//! quotients need four deviations from its letter:
//!
//! - If the pseudocode assigns no value, the value passes through unscaled.
//! - A large denominator of a denormal quotient is scaled down.
//! - The fused multiply-add undoes the scale of 2^64 (2^128) up or down, depending on the
//!   exponent of the addend.
//! - The fix-up treats a NaN quotient of two numbers as the overflow that caused it.

use super::float::{f32_bits, f64_bits};
use super::half;
use super::lanes::{carrying, carrying_wide, narrow, wide};

macro_rules! division {
    ($scale:ident, $fmas:ident, $fixup:ident, $float:ident, $bits:ty, $value:ty, $big:literal, $power:literal, $up:literal, $tiny:literal, $gap:literal, $max:literal) => {
        #[inline(always)]
        fn $scale(a: $bits, denominator: $bits, numerator: $bits) -> ($bits, bool) {
            let (d, n) = ($float::value(denominator), $float::value(numerator));
            let exponents = $float::exponent(numerator) - $float::exponent(denominator);
            // The bound is two to the power of the second largest biased exponent.
            let large = $float::INFINITY / $max * ($max - 2);
            let magnitude = denominator & $float::MAGNITUDE;
            let reciprocal_denormal = magnitude > large && magnitude < $float::INFINITY;
            // A quotient that rounds to zero here is at most half of the smallest denormal,
            // including exactly half.
            let quotient = (n / d).to_bits();
            let quotient_denormal = $float::is_denormal(quotient) || $float::is_zero(quotient);
            // A product with a power of two rounds once, as the hardware's scaling does.
            let times = |scaled: bool, factor: $value| {
                if scaled {
                    $float::mul(a, factor.to_bits())
                } else {
                    a
                }
            };
            let up = |scaled: bool| times(scaled, $up);
            let down = |scaled: bool| times(scaled, 1.0 / $up);
            if $float::is_zero(denominator) || $float::is_zero(numerator) {
                ($float::NAN, false)
            } else if exponents >= $big {
                (up(a == denominator), true)
            } else if $float::is_denormal(denominator) {
                (up(true), false)
            } else if reciprocal_denormal && quotient_denormal {
                // The pseudocode scales up here, but a denominator this large would overflow.
                (down(a == denominator), true)
            } else if reciprocal_denormal {
                (down(true), false)
            } else if quotient_denormal {
                (up(a == numerator), true)
            } else {
                (up($float::exponent(numerator) <= $tiny), false)
            }
        }

        #[inline(always)]
        fn $fmas(a: $bits, b: $bits, c: $bits, scaled: bool) -> $bits {
            let result = $float::fma(a, b, c);
            if !scaled {
                return result;
            }
            // `v_div_scale` scaled the operands the other way, which shows in the addend's
            // exponent.
            let up = $float::exponent(c) > $max / 2;
            let remainder = $float::fma_remainder(a, b, c);
            $float::ldexp_with_rest(result, remainder, if up { $power } else { -$power })
        }

        #[inline(always)]
        fn $fixup(quotient: $bits, denominator: $bits, numerator: $bits) -> $bits {
            let sign = (denominator ^ numerator) & $float::SIGN;
            let infinite = |a: $bits| a & $float::MAGNITUDE == $float::INFINITY;
            let zero = $float::is_zero;
            if $float::is_nan(numerator) {
                numerator | $float::QUIET
            } else if $float::is_nan(denominator) {
                denominator | $float::QUIET
            } else if zero(denominator) && zero(numerator)
                || infinite(denominator) && infinite(numerator)
            {
                $float::NAN | $float::SIGN
            } else if zero(denominator) || infinite(numerator) {
                sign | $float::INFINITY
            } else if infinite(denominator) || zero(numerator) {
                sign
            } else if $float::exponent(numerator) - $float::exponent(denominator) < $gap {
                // The quotient underflows and rounds to even.
                sign
            } else if $float::is_nan(quotient) {
                // Numbers give a NaN only through an overflow.
                sign | $float::INFINITY
            } else {
                sign | (quotient & $float::MAGNITUDE)
            }
        }
    };
}

division!(
    scale_32,
    fmas_32,
    fixup_32,
    f32_bits,
    u32,
    f32,
    96,
    64,
    18446744073709551616.0,
    23,
    -150,
    255
);
division!(
    scale_64,
    fmas_64,
    fixup_64,
    f64_bits,
    u64,
    f64,
    768,
    128,
    340282366920938463463374607431768211456.0,
    53,
    -1075,
    2047
);

#[inline(always)]
fn fixup_16(quotient: u32, denominator: u32, numerator: u32) -> u32 {
    let (d, n) = (half::to_single(denominator), half::to_single(numerator));
    let special = |a: u32| a & f32_bits::MAGNITUDE >= f32_bits::INFINITY || f32_bits::is_zero(a);
    // Special values have no quotient bits, so the fix-up of singles decides.
    if special(d) || special(n) {
        return half::from_single(fixup_32(0, d, n));
    }
    ((denominator ^ numerator) & 0x8000) | (quotient & 0x7fff)
}

carrying! {
    DIV_SCALE_F32(F32, F32, F32) -> F32 reads false writes true = |_, a, b, c, _| scale_32(a, b, c);
    DIV_FMAS_F32(F32, F32, F32) -> F32 reads true writes false = |_, a, b, c, carry| (fmas_32(a, b, c, carry), false);
}
carrying_wide! {
    DIV_SCALE_F64(F64, F64, F64) -> F64 reads false writes true = |_, a, b, c, _| scale_64(a, b, c);
    DIV_FMAS_F64(F64, F64, F64) -> F64 reads true writes false = |_, a, b, c, carry| (fmas_64(a, b, c, carry), false);
}
narrow! {
    DIV_FIXUP_F32(F32, F32, F32) -> F32 = |_, a, b, c| fixup_32(a, b, c);
    DIV_FIXUP_F16(F16, F16, F16) -> F16 [keeps_half] = |_, a, b, c| fixup_16(a, b, c);
    DIV_FIXUP_LEGACY_F16(F16, F16, F16) -> F16 = |_, a, b, c| fixup_16(a, b, c);
}
wide! {
    DIV_FIXUP_F64(F64, F64, F64) -> F64 = |_, a, b, c| fixup_64(a, b, c);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3·2^-149 / 6 is half of the smallest denormal. It is scaled, so that it rounds once, at
    /// the end.
    #[test]
    fn a_quotient_on_the_last_half_is_scaled() {
        let (denominator, numerator) = (6f32.to_bits(), 3);
        let (scaled, is_scaled) = scale_32(numerator, denominator, numerator);
        assert_eq!(f32::from_bits(scaled), 3.0 / 2f32.powi(149 - 64));
        assert!(is_scaled);
        assert_eq!(scale_32(denominator, denominator, numerator).0, denominator);
        let quotient = (f32::from_bits(scaled) / 6.0).to_bits();
        let zero = fmas_32(0, 0, quotient, is_scaled);
        assert_eq!(
            fixup_32(zero, denominator, numerator | f32_bits::SIGN),
            f32_bits::SIGN
        );
    }
}
