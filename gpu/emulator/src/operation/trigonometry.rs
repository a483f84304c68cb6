//! Sine and cosine of angles in turns, and the digits of 2/pi that reduce other angles.

use super::float::{f32_bits, f64_bits};
use super::half;
use super::lanes::{narrow, wide};

/// Returns the quarter turns of an angle, and its rest in radians, at most an eighth of a turn.
/// Everything before the product with 2 pi is exact, so that the zeros match the manuals (CDNA 3
/// manual, V_SIN_F32, V_COS_F32: examples).
#[inline(always)]
fn quarters(turns: f64) -> (i64, f64) {
    // The subtraction is exact, because the rounded value is the nearest integer.
    let within = turns - turns.round_ties_even();
    let quarters = (within * 4.0).round_ties_even();
    let rest = within - quarters * 0.25;
    (quarters as i64, rest * std::f64::consts::TAU)
}
/// Returns the sine of an angle that is `ahead` quarter turns further; every zero is positive.
#[inline(always)]
fn sine_of((quarters, rest): (i64, f64), ahead: i64) -> f64 {
    let size = if (quarters + ahead) & 1 == 0 {
        rest.sin()
    } else {
        rest.cos()
    };
    let signed = if (quarters + ahead) & 2 == 0 {
        size
    } else {
        -size
    };
    // The sum of -0 and +0 is +0.
    signed + 0.0
}
/// Returns the sine. The sine of zero keeps its sign.
#[inline(always)]
fn sine(turns: f32) -> f32 {
    let sine = sine_of(quarters(f64::from(turns)), 0) as f32;
    if turns == 0.0 { turns } else { sine }
}
#[inline(always)]
fn cosine(turns: f32) -> f32 {
    sine_of(quarters(f64::from(turns)), 1) as f32
}

/// The first 1,201 bits of the fraction of 2/pi, highest first.
const TWO_OVER_PI: [u64; 19] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_0000,
];

/// Returns 53 bits of 2/pi for the reduction of the angle `a`. Segment `b` is further down for
/// larger angles.
fn trig_preop(a: u64, b: u64) -> u64 {
    if f64_bits::is_nan(a) {
        return a | f64_bits::QUIET;
    }
    let exponent = f64_bits::exponent(a);
    // The first segment is needed up to exponent 1077; each larger exponent skips one bit.
    let shift = (b & 31) as usize * 53 + (exponent - 1077).max(0) as usize;
    let word = |index: usize| TWO_OVER_PI.get(index).copied().unwrap_or(0);
    let (index, within) = (shift / 64, shift % 64);
    let both = (u128::from(word(index)) << 64) | u128::from(word(index + 1));
    let segment = ((both << within) >> (128 - 53)) as u64;
    // The scale of the largest angles prevents a denormal result.
    let scale = if exponent >= 1968 { 128 } else { 0 };
    f64_bits::ldexp((segment as f64).to_bits(), scale - 53 - shift as i32)
}

narrow! {
    SIN_F32(F32) -> F32 [approximate] = |_, a| f32_bits::unary(a, sine);
    COS_F32(F32) -> F32 [approximate] = |_, a| f32_bits::unary(a, cosine);
    SIN_F16(F16) -> F16 [approximate] = |_, a| half::unary(a, sine);
    COS_F16(F16) -> F16 [approximate] = |_, a| half::unary(a, cosine);
}

wide! {
    TRIG_PREOP(F64, B32) -> F64 = |_, a, b| trig_preop(a, b);
}

#[cfg(test)]
mod tests {
    use super::{cosine, sine};

    #[track_caller]
    fn check(turns: u32, expected_sine: u32, expected_cosine: u32) {
        let turns = f32::from_bits(turns);
        assert_eq!(sine(turns).to_bits(), expected_sine, "sine of {turns}");
        assert_eq!(
            cosine(turns).to_bits(),
            expected_cosine,
            "cosine of {turns}"
        );
    }

    /// The examples of the manuals, and similar ones.
    #[test]
    fn quarters_of_a_turn_are_exact() {
        const ONE: u32 = 0x3f80_0000;
        const MINUS_ONE: u32 = 0xbf80_0000;
        check(0, 0, ONE);
        check(0x8000_0000, 0x8000_0000, ONE);
        check(0x3e80_0000, ONE, 0);
        check(0xbe80_0000, MINUS_ONE, 0);
        check(0x3f00_0000, 0, MINUS_ONE);
        check(0x3f40_0000, MINUS_ONE, 0);
        check(0xff7f_ffff, 0, ONE);
    }

    #[test]
    fn an_infinite_angle_has_none() {
        assert!(sine(f32::INFINITY).is_nan());
        assert!(cosine(f32::NEG_INFINITY).is_nan());
    }
}
