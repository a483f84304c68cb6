//! Floats of 8 bits, with 4 exponent bits ("fp8") or 5 ("bf8"). Two kinds share the mnemonics:
//!
//! - OCP, of the Open Compute Project (gfx950, gfx12).
//! - FNUZ, with an unsigned zero (gfx942). The bias is one more, 0x80 is the only NaN, and there
//!   is no infinity.
//!
//! Sources: CDNA 3 manual, 7.2; CDNA 4 manual, 7.3. MODE's denormal bits do not apply.
//!
//! The stochastic conversions (`v_cvt_sr_*`) are refused, because the manuals contradict
//! themselves. Their pseudocode wraps the fraction and rounds to nearest; their prose carries and
//! truncates.
//!
//! With MODE's FP16_OVFL, a finite number that is too large becomes the largest number. An infinity
//! is no overflow, as for halves.
//!
//! The manuals do not specify the bits of a NaN. As in all other conversions, it keeps its sign
//! and the upper bits of its fraction; the fraction of a narrowed NaN is all ones.

use super::float::f32_bits;
use super::lanes::{narrow, wide};
use super::{Mode, VectorOperation};

/// The parameters of one format.
#[derive(Clone, Copy)]
struct Float8Format {
    /// Number of fraction bits.
    fraction: u32,
    bias: i32,
    /// The largest finite magnitude.
    largest: u32,
    /// The result for infinity and for too large numbers.
    overflow: u32,
    /// True if NaN replaces the negative zero.
    unsigned_zero: bool,
}

/// OCP fp8: every magnitude is finite except 0x7f, which is NaN.
const E4M3: Float8Format = Float8Format {
    fraction: 3,
    bias: 7,
    largest: 0x7e,
    overflow: 0x7f,
    unsigned_zero: false,
};
/// OCP bf8: the upper half of a half-precision float.
const E5M2: Float8Format = Float8Format {
    fraction: 2,
    bias: 15,
    largest: 0x7b,
    overflow: 0x7c,
    unsigned_zero: false,
};
const E4M3_FNUZ: Float8Format = Float8Format {
    fraction: 3,
    bias: 8,
    largest: 0x7f,
    overflow: 0x80,
    unsigned_zero: true,
};
const E5M2_FNUZ: Float8Format = Float8Format {
    fraction: 2,
    bias: 16,
    ..E4M3_FNUZ
};

impl Float8Format {
    /// Returns the nearest value of the format, with ties to even. If `limited`, a finite number
    /// never overflows.
    #[inline(always)]
    fn narrow(self, limited: bool, a: u32) -> u32 {
        let sign = (a >> 24) & 0x80;
        if f32_bits::is_nan(a) {
            return if self.unsigned_zero {
                0x80
            } else {
                sign | 0x7f
            };
        }
        let exponent = f32_bits::exponent(a) - 127;
        // Below the smallest normal number, the unit of the last place is constant.
        let below = (1 - self.bias - exponent).max(0) as u32;
        // A larger shift leaves only rounding, and 31 keeps it defined.
        let shift = (23 - self.fraction + below).min(31);
        let significand = (a & 0x7f_ffff) | 0x80_0000;
        let kept = significand >> shift;
        let rest = significand & ((1 << shift) - 1);
        let half = 1 << (shift - 1);
        let up = rest > half || (rest == half && kept & 1 == 1);
        // The leading one of `kept` adds one to the exponent.
        let base = (exponent + self.bias - 1).max(0) as u32;
        let magnitude = (base << self.fraction) + kept + u32::from(up);
        let too_large = exponent > 127 || magnitude > self.largest;
        if too_large {
            // FP16_OVFL limits overflows of finite numbers only.
            let finite = limited && exponent <= 127;
            return sign | if finite { self.largest } else { self.overflow };
        }
        // FNUZ has no negative zero: its bit pattern is the NaN.
        let sign = if self.unsigned_zero && magnitude == 0 {
            0
        } else {
            sign
        };
        sign | magnitude
    }

    #[inline(always)]
    fn narrow_pair(self, mode: Mode, a: u32, b: u32) -> u32 {
        let limited = mode.limits_halves();
        self.narrow(limited, a) | (self.narrow(limited, b) << 8)
    }

    /// Returns the same value in single precision.
    #[inline(always)]
    fn widen(self, a: u32) -> u32 {
        if self.unsigned_zero && a == 0x80 {
            return f32_bits::NAN;
        }
        let sign = (a & 0x80) << 24;
        let magnitude = a & 0x7f;
        let fraction = magnitude & ((1 << self.fraction) - 1);
        let exponent = (magnitude >> self.fraction) as i32;
        let scale = |exponent: i32| f32::from_bits(((127 + exponent) as u32) << 23);
        let unit = scale(1 - self.bias - self.fraction as i32);
        let bits = if exponent == 0 {
            (fraction as f32 * unit).to_bits()
        } else {
            let rest = (exponent - self.bias + 127) as u32;
            (rest << 23) | (fraction << (23 - self.fraction))
        };
        let special = if magnitude == 0x7c && self.overflow == 0x7c {
            f32_bits::INFINITY
        } else {
            f32_bits::NAN | (fraction << (23 - self.fraction))
        };
        let number = magnitude <= self.largest;
        sign | if number { bits } else { special }
    }

    #[inline(always)]
    fn widen_pair(self, a: u32) -> u64 {
        (u64::from(self.widen((a >> 8) & 0xff)) << 32) | u64::from(self.widen(a & 0xff))
    }
}

narrow! {
    CVT_PK_FP8_F32(F32, F32) -> B16 [keeps_half] = |m, a, b| E4M3.narrow_pair(m, a, b);
    CVT_PK_BF8_F32(F32, F32) -> B16 [keeps_half] = |m, a, b| E5M2.narrow_pair(m, a, b);
    CVT_F32_FP8(B32) -> F32 = |_, a| E4M3.widen(a & 0xff);
    CVT_F32_BF8(B32) -> F32 = |_, a| E5M2.widen(a & 0xff);
    CVT_F32_FP8_BYTE1(B32) -> F32 = |_, a| E4M3.widen((a >> 8) & 0xff);
    CVT_F32_BF8_BYTE1(B32) -> F32 = |_, a| E5M2.widen((a >> 8) & 0xff);
    CVT_F32_FP8_BYTE2(B32) -> F32 = |_, a| E4M3.widen((a >> 16) & 0xff);
    CVT_F32_BF8_BYTE2(B32) -> F32 = |_, a| E5M2.widen((a >> 16) & 0xff);
    CVT_F32_FP8_BYTE3(B32) -> F32 = |_, a| E4M3.widen(a >> 24);
    CVT_F32_BF8_BYTE3(B32) -> F32 = |_, a| E5M2.widen(a >> 24);
}

narrow! {
    FNUZ_CVT_PK_FP8_F32(F32, F32) -> B16 [keeps_half] = |m, a, b| E4M3_FNUZ.narrow_pair(m, a, b);
    FNUZ_CVT_PK_BF8_F32(F32, F32) -> B16 [keeps_half] = |m, a, b| E5M2_FNUZ.narrow_pair(m, a, b);
    FNUZ_CVT_F32_FP8(B32) -> F32 = |_, a| E4M3_FNUZ.widen(a & 0xff);
    FNUZ_CVT_F32_BF8(B32) -> F32 = |_, a| E5M2_FNUZ.widen(a & 0xff);
}

wide! {
    // LLVM reads the whole word, but only its low half is converted.
    WORD_CVT_PK_F32_FP8(B32) -> PF32 = |_, a| E4M3.widen_pair(a as u32 & 0xffff);
    WORD_CVT_PK_F32_BF8(B32) -> PF32 = |_, a| E5M2.widen_pair(a as u32 & 0xffff);
    FNUZ_CVT_PK_F32_FP8(B32) -> PF32 = |_, a| E4M3_FNUZ.widen_pair(a as u32 & 0xffff);
    FNUZ_CVT_PK_F32_BF8(B32) -> PF32 = |_, a| E5M2_FNUZ.widen_pair(a as u32 & 0xffff);
    CVT_PK_F32_FP8(B16) -> PF32 = |_, a| E4M3.widen_pair(a as u32);
    CVT_PK_F32_BF8(B16) -> PF32 = |_, a| E5M2.widen_pair(a as u32);
}

/// Returns an 8-bit float in single precision: of "bf8" or "fp8", of FNUZ or OCP.
#[inline(always)]
pub(crate) fn widen(wide_exponent: bool, unsigned_zero: bool, a: u32) -> u32 {
    let format = match (wide_exponent, unsigned_zero) {
        (false, false) => E4M3,
        (true, false) => E5M2,
        (false, true) => E4M3_FNUZ,
        (true, true) => E5M2_FNUZ,
    };
    format.widen(a)
}

/// Returns the conversion of the byte that `select` names. The encoding swaps the bits of the
/// byte's number.
pub(crate) fn of_byte(lowest: &'static VectorOperation, select: u8) -> &'static VectorOperation {
    static BYTES: [[&VectorOperation; 4]; 2] = [
        [
            &CVT_F32_FP8,
            &CVT_F32_FP8_BYTE2,
            &CVT_F32_FP8_BYTE1,
            &CVT_F32_FP8_BYTE3,
        ],
        [
            &CVT_F32_BF8,
            &CVT_F32_BF8_BYTE2,
            &CVT_F32_BF8_BYTE1,
            &CVT_F32_BF8_BYTE3,
        ],
    ];
    let same = |bytes: &&[&'static VectorOperation; 4]| std::ptr::eq(bytes[0], lowest);
    BYTES
        .iter()
        .find(same)
        .map_or(lowest, |bytes| bytes[usize::from(select) & 3])
}

#[cfg(test)]
mod tests {
    use super::{E4M3, E4M3_FNUZ, E5M2, E5M2_FNUZ};

    #[test]
    fn every_number_survives() {
        for (format, count) in [
            (E4M3, 0x7f),
            (E5M2, 0x7d),
            (E4M3_FNUZ, 0x80),
            (E5M2_FNUZ, 0x80),
        ] {
            for magnitude in 0..count {
                for sign in [0, 0x80] {
                    if format.unsigned_zero && magnitude == 0 {
                        continue;
                    }
                    let wide = format.widen(sign | magnitude);
                    assert_eq!(format.narrow(false, wide), sign | magnitude);
                }
            }
        }
    }

    /// The cases are adjacent values, their midpoints and neighbours of the midpoints.
    #[test]
    fn rounding_is_to_nearest_even() {
        for (format, largest) in [
            (E4M3, 0x7e),
            (E5M2, 0x7b),
            (E4M3_FNUZ, 0x7f),
            (E5M2_FNUZ, 0x7f),
        ] {
            for low in 0..largest {
                let [a, b] = [low, low + 1].map(|bits| f32::from_bits(format.widen(bits)));
                let middle = (a + b) / 2.0;
                let even = low + (low & 1);
                assert_eq!(format.narrow(false, middle.to_bits()), even, "{low:#x}");
                assert_eq!(format.narrow(false, middle.to_bits() - 1), low, "{low:#x}");
                assert_eq!(
                    format.narrow(false, middle.to_bits() + 1),
                    low + 1,
                    "{low:#x}"
                );
            }
        }
    }

    #[track_caller]
    fn check(value: f32, e4m3: u32, e5m2: u32) {
        assert_eq!(E4M3.narrow(false, value.to_bits()), e4m3, "{value}");
        assert_eq!(E5M2.narrow(false, value.to_bits()), e5m2, "{value}");
    }

    #[test]
    fn known_values() {
        check(1.0, 0x38, 0x3c);
        check(-2.0, 0xc0, 0xc0);
        check(448.0, 0x7e, 0x5f);
        check(464.0, 0x7e, 0x5f);
        check(465.0, 0x7f, 0x5f);
        check(57344.0, 0x7f, 0x7b);
        check(61439.0, 0x7f, 0x7b);
        check(61440.0, 0x7f, 0x7c);
        check(f32::NEG_INFINITY, 0xff, 0xfc);
        check(f32::NAN, 0x7f, 0x7f);
        check(0.001_953_125, 0x01, 0x18);
        check(1e-30, 0, 0);
        check(-1e-40, 0x80, 0x80);
        assert!(f32::from_bits(E4M3.widen(0x7f)).is_nan());
        assert_eq!(E5M2.widen(0xfc), f32::NEG_INFINITY.to_bits());
        assert!(f32::from_bits(E5M2.widen(0x7d)).is_nan());
    }

    #[test]
    fn limited_numbers_do_not_overflow() {
        let narrow = |value: f32| {
            [E4M3, E5M2, E4M3_FNUZ, E5M2_FNUZ].map(|format| format.narrow(true, value.to_bits()))
        };
        assert_eq!(narrow(1e6), [0x7e, 0x7b, 0x7f, 0x7f]);
        assert_eq!(narrow(-1e30), [0xfe, 0xfb, 0xff, 0xff]);
        assert_eq!(narrow(f32::INFINITY), [0x7f, 0x7c, 0x80, 0x80]);
        assert_eq!(narrow(1.0), [0x38, 0x3c, 0x40, 0x40]);
    }

    #[track_caller]
    fn check_unsigned_zero(value: f32, e4m3: u32, e5m2: u32) {
        assert_eq!(E4M3_FNUZ.narrow(false, value.to_bits()), e4m3, "{value}");
        assert_eq!(E5M2_FNUZ.narrow(false, value.to_bits()), e5m2, "{value}");
    }

    /// The limits are those of the CDNA 3 manual's table of formats.
    #[test]
    fn known_values_with_an_unsigned_zero() {
        check_unsigned_zero(1.0, 0x40, 0x40);
        check_unsigned_zero(240.0, 0x7f, 0x60);
        check_unsigned_zero(-247.0, 0xff, 0xe0);
        check_unsigned_zero(249.0, 0x80, 0x60);
        check_unsigned_zero(57344.0, 0x80, 0x7f);
        check_unsigned_zero(-1e6, 0x80, 0x80);
        check_unsigned_zero(f32::INFINITY, 0x80, 0x80);
        check_unsigned_zero(f32::NAN, 0x80, 0x80);
        check_unsigned_zero(2f32.powi(-7), 0x08, 0x24);
        check_unsigned_zero(2f32.powi(-10), 0x01, 0x18);
        check_unsigned_zero(2f32.powi(-17), 0, 0x01);
        check_unsigned_zero(-0.0, 0, 0);
        check_unsigned_zero(-1e-30, 0, 0);
        assert!(f32::from_bits(E4M3_FNUZ.widen(0x80)).is_nan());
    }
}
