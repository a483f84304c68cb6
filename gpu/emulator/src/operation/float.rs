//! Arithmetic on the bits of single- and double-precision floats, with the hardware's results.
//!
//! Rounding is to nearest even. A NaN result is the first NaN source, quieted, or else the
//! positive quiet NaN. The order of the sources is an assumption if AMD's manuals do not state
//! it.

macro_rules! float_format {
    ($module:ident, $bits:ty, $signed:ty, $float:ty, $fraction:literal, $exponent_max:literal) => {
        pub(crate) mod $module {
            /// The sign bit.
            pub(crate) const SIGN: $bits = 1 << (<$bits>::BITS - 1);
            /// All bits but the sign.
            pub(crate) const MAGNITUDE: $bits = !SIGN;
            /// Positive infinity.
            pub(crate) const INFINITY: $bits = $exponent_max << $fraction;
            /// The bit that makes a NaN quiet.
            pub(crate) const QUIET: $bits = 1 << ($fraction - 1);
            /// The NaN of an operation without NaN sources.
            pub(crate) const NAN: $bits = INFINITY | QUIET;

            #[inline(always)]
            pub(crate) fn value(a: $bits) -> $float {
                <$float>::from_bits(a)
            }
            #[inline(always)]
            pub(crate) fn is_nan(a: $bits) -> bool {
                (a & MAGNITUDE) > INFINITY
            }
            #[inline(always)]
            pub(crate) fn is_signalling(a: $bits) -> bool {
                is_nan(a) && (a & QUIET) == 0
            }
            #[inline(always)]
            pub(crate) fn is_zero(a: $bits) -> bool {
                (a & MAGNITUDE) == 0
            }
            #[inline(always)]
            pub(crate) fn is_denormal(a: $bits) -> bool {
                (a & INFINITY) == 0 && (a & MAGNITUDE) != 0
            }
            #[inline(always)]
            pub(crate) fn exponent(a: $bits) -> i32 {
                ((a & INFINITY) >> $fraction) as i32
            }
            /// Flushes a denormal to a zero of its sign.
            #[inline(always)]
            pub(crate) fn flush(a: $bits) -> $bits {
                if (a & INFINITY) == 0 { a & SIGN } else { a }
            }
            /// Returns `result`, or the NaN of the sources.
            #[inline(always)]
            pub(crate) fn settle(result: $float, a: $bits, b: $bits) -> $bits {
                let bits = result.to_bits();
                if is_nan(bits) { propagate(a, b) } else { bits }
            }
            #[inline(always)]
            fn propagate(a: $bits, b: $bits) -> $bits {
                let second = if is_nan(b) { b | QUIET } else { NAN };
                if is_nan(a) { a | QUIET } else { second }
            }
            #[inline(always)]
            pub(crate) fn add(a: $bits, b: $bits) -> $bits {
                settle(value(a) + value(b), a, b)
            }
            #[inline(always)]
            pub(crate) fn mul(a: $bits, b: $bits) -> $bits {
                settle(value(a) * value(b), a, b)
            }
            #[inline(always)]
            pub(crate) fn fma(a: $bits, b: $bits, c: $bits) -> $bits {
                // x86 and Arm choose another NaN than AMD, so the payload is selected here.
                let bits = value(a).mul_add(value(b), value(c)).to_bits();
                let third = if is_nan(c) { c | QUIET } else { NAN };
                let second = if is_nan(b) { b | QUIET } else { third };
                let nan = if is_nan(a) { a | QUIET } else { second };
                if is_nan(bits) { nan } else { bits }
            }
            /// Maps all values other than NaN to ordered integers, with -0 below +0.
            #[inline(always)]
            pub(crate) fn key(a: $bits) -> $signed {
                let signed = a as $signed;
                signed ^ (((signed >> (<$bits>::BITS - 1)) as $bits) >> 1) as $signed
            }
            #[inline(always)]
            pub(crate) fn max(ieee: bool, a: $bits, b: $bits) -> $bits {
                let larger = if key(a) >= key(b) { a } else { b };
                pick(ieee, a, b, larger)
            }
            #[inline(always)]
            pub(crate) fn min(ieee: bool, a: $bits, b: $bits) -> $bits {
                let smaller = if key(a) < key(b) { a } else { b };
                pick(ieee, a, b, smaller)
            }
            /// Applies the NaN rules of minimum and maximum. In IEEE mode a signalling NaN wins,
            /// else a number does.
            #[inline(always)]
            fn pick(ieee: bool, a: $bits, b: $bits, chosen: $bits) -> $bits {
                let number = if is_nan(b) { a } else { chosen };
                let number = if is_nan(a) { b } else { number };
                let number = if ieee & is_signalling(b) {
                    b | QUIET
                } else {
                    number
                };
                if ieee & is_signalling(a) {
                    a | QUIET
                } else {
                    number
                }
            }
            /// Computes a function that maps NaN to the same NaN, quieted.
            #[inline(always)]
            pub(crate) fn unary(a: $bits, function: impl Fn($float) -> $float) -> $bits {
                if is_nan(a) {
                    a | QUIET
                } else {
                    settle(function(value(a)), a, a)
                }
            }
            /// Returns `a - floor(a)`, below 1.
            #[inline(always)]
            pub(crate) fn fract(a: $bits) -> $bits {
                let below_one = <$float>::from_bits((1 as $float).to_bits() - 1);
                unary(a, |x| {
                    // A tiny negative value rounds to 1, but the hardware's result stays below 1.
                    let rest = x - x.floor();
                    if rest >= 1.0 { below_one } else { rest }
                })
            }
            /// Returns `a` times two to the power of `n`, rounded once.
            pub(crate) fn ldexp(a: $bits, n: i32) -> $bits {
                ldexp_with_rest(a, std::cmp::Ordering::Equal, n)
            }
            /// Returns [`ldexp`] of a value that is slightly larger (`Greater`) or smaller in
            /// magnitude than `a`.
            pub(crate) fn ldexp_with_rest(
                a: $bits,
                remainder: std::cmp::Ordering,
                n: i32,
            ) -> $bits {
                if is_zero(a) || (a & INFINITY) == INFINITY {
                    return if is_nan(a) { a | QUIET } else { a };
                }
                let (bits, moved) = normalise(a);
                let sign = a & SIGN;
                // The clamp avoids an overflow of the sum; results beyond it are 0 or infinity
                // anyway.
                let exponent = exponent(bits) - moved + n.clamp(-10_000, 10_000);
                if exponent >= $exponent_max as i32 {
                    return sign | INFINITY;
                }
                if exponent >= 1 {
                    return (bits & !INFINITY) | ((exponent as $bits) << $fraction);
                }
                let shift = 1 - exponent;
                if shift > $fraction + 1 {
                    return sign;
                }
                let significand = (bits & (QUIET * 2 - 1)) | (QUIET * 2);
                let kept = significand >> shift;
                let rest = significand & ((1 << shift) - 1);
                let half: $bits = 1 << (shift - 1);
                // The exact value may lie beside the tie, so the remainder decides before the
                // even rule.
                let tie = match remainder {
                    std::cmp::Ordering::Less => false,
                    std::cmp::Ordering::Equal => kept & 1 == 1,
                    std::cmp::Ordering::Greater => true,
                };
                let up = rest > half || (rest == half && tie);
                sign | (kept + <$bits>::from(up))
            }
            /// Returns the side of the exact value relative to the rounded `fma(a, b, c)`, in
            /// magnitude. Source: Boldo and Muller's error of a fused multiply-add.
            pub(crate) fn fma_remainder(a: $bits, b: $bits, c: $bits) -> std::cmp::Ordering {
                let two_sum = |x: $float, y: $float| {
                    let sum = x + y;
                    let part = sum - x;
                    (sum, (x - (sum - part)) + (y - part))
                };
                let (a, b, c) = (value(a), value(b), value(c));
                let rounded = a.mul_add(b, c);
                let product = a * b;
                let low = a.mul_add(b, -product);
                let (first, rest) = two_sum(c, low);
                let (second, tail) = two_sum(product, first);
                let error = ((second - rounded) + tail) + rest;
                let outward = if rounded < 0.0 { -error } else { error };
                outward
                    .partial_cmp(&0.0)
                    .unwrap_or(std::cmp::Ordering::Equal)
            }
            /// Returns the significand in [0.5, 1) with its sign; infinities and NaN stay.
            pub(crate) fn frexp_mantissa(a: $bits) -> $bits {
                if (a & INFINITY) == INFINITY {
                    return if is_nan(a) { a | QUIET } else { a };
                }
                let (bits, _) = normalise(a);
                if is_zero(a) {
                    return a;
                }
                let half: $bits = (($exponent_max >> 1) - 1) << $fraction;
                (bits & !INFINITY) | half
            }
            /// Returns the exponent of [`frexp_mantissa`].
            pub(crate) fn frexp_exponent(a: $bits) -> i32 {
                if (a & INFINITY) == INFINITY || is_zero(a) {
                    return 0;
                }
                let (bits, moved) = normalise(a);
                exponent(bits) - ($exponent_max >> 1) as i32 + 1 - moved
            }
            /// Multiplies a denormal by a power of two that makes it normal; returns both.
            fn normalise(a: $bits) -> ($bits, i32) {
                if !is_denormal(a) {
                    return (a, 0);
                }
                let moved =
                    (a & MAGNITUDE).leading_zeros() as i32 - (<$bits>::BITS as i32 - 1 - $fraction);
                let fraction = ((a & MAGNITUDE) << moved) & (QUIET * 2 - 1);
                ((a & SIGN) | fraction | (1 << $fraction), moved)
            }
            /// Returns true if the class bits of `mask` (AMD's `v_cmp_class` order) include the
            /// class of `a`.
            #[inline(always)]
            pub(crate) fn class(a: $bits, mask: u32) -> bool {
                let negative = a & SIGN != 0;
                let magnitude = a & MAGNITUDE;
                let signed = |positive: u32, negative_bit: u32| {
                    if negative { negative_bit } else { positive }
                };
                let normal = signed(8, 3);
                let denormal = signed(7, 4);
                let bit = if magnitude < (1 << $fraction) {
                    denormal
                } else {
                    normal
                };
                let bit = if magnitude == 0 { signed(6, 5) } else { bit };
                let bit = if magnitude == INFINITY {
                    signed(9, 2)
                } else {
                    bit
                };
                let bit = if is_nan(a) {
                    (a & QUIET != 0) as u32
                } else {
                    bit
                };
                (mask >> bit) & 1 != 0
            }
            /// Applies the clamp modifier: to [0, 1], and NaN to 0 if `dx10`.
            #[inline(always)]
            pub(crate) fn clamp(dx10: bool, a: $bits) -> $bits {
                let one = (1 as $float).to_bits();
                if is_nan(a) {
                    return if dx10 { 0 } else { a };
                }
                if a & SIGN != 0 {
                    0
                } else if a > one {
                    one
                } else {
                    a
                }
            }
        }
    };
}

float_format!(f32_bits, u32, i32, f32, 23, 255);
float_format!(f64_bits, u64, i64, f64, 52, 2047);

#[cfg(test)]
mod tests {
    use super::{f32_bits, f64_bits};

    /// The host's exact arithmetic in double precision is the reference.
    #[test]
    fn ldexp_rounds_once() {
        let mut state = 1u64;
        for _ in 0..200_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let a = (state >> 32) as u32;
            let n = ((state >> 8) as i32 % 400) - 200;
            if f32_bits::is_nan(a) {
                continue;
            }
            // Every f32 times 2^n with |n| <= 200 is exact in f64, so only the conversion rounds.
            let exact = f64::from(f32::from_bits(a)) * f64::from_bits(((1023 + n) as u64) << 52);
            assert_eq!(
                f32_bits::ldexp(a, n),
                (exact as f32).to_bits(),
                "{a:#x} {n}"
            );
        }
    }

    #[test]
    fn frexp_is_the_inverse_of_ldexp() {
        let mut state = 7u64;
        for _ in 0..100_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let a = state ^ (state >> 40);
            let a = if state & 0x700 == 0 {
                a & 0x800f_ffff_ffff_ffff
            } else {
                a
            };
            if (a & f64_bits::INFINITY) == f64_bits::INFINITY {
                continue;
            }
            let mantissa = f64_bits::frexp_mantissa(a);
            let size = f64_bits::value(mantissa).abs();
            assert!(f64_bits::is_zero(a) || (0.5..1.0).contains(&size), "{a:#x}");
            assert_eq!(
                f64_bits::ldexp(mantissa, f64_bits::frexp_exponent(a)),
                a,
                "{a:#x}"
            );
        }
    }

    #[track_caller]
    fn check_max(a: f32, b: f32, expected: f32) {
        assert_eq!(
            f32_bits::max(true, a.to_bits(), b.to_bits()),
            expected.to_bits()
        );
    }

    #[test]
    fn maximum_prefers_numbers_and_positive_zero() {
        check_max(1.0, 2.0, 2.0);
        check_max(-0.0, 0.0, 0.0);
        check_max(0.0, -0.0, 0.0);
        check_max(f32::NAN, -1.0, -1.0);
        check_max(-1.0, f32::NAN, -1.0);
        check_max(
            f32::from_bits(0x7f80_0001),
            5.0,
            f32::from_bits(0x7fc0_0001),
        );
        check_max(f32::NEG_INFINITY, f32::MIN, f32::MIN);
    }
}
