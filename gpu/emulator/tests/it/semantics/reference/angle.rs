//! Angles in turns, and 2/pi for their reduction.

use std::sync::LazyLock;

use half::f16;

use super::half::b as half_bits;
use super::{Vector, vectors};

/// Returns the sine of turns, or the cosine: exact at quarters of a turn, as in the manuals'
/// examples.
fn sine(turns: f64, quarters_ahead: i32) -> f64 {
    if !turns.is_finite() {
        return f64::NAN;
    }
    if turns == 0.0 && quarters_ahead == 0 {
        return turns;
    }
    // Nothing rounds before the product with 2 pi: a single has 24 bits.
    let within = turns - turns.round();
    let quarter = (4.0 * within).round();
    let angle = (within - quarter / 4.0) * std::f64::consts::TAU;
    match ((quarter as i32 + quarters_ahead).rem_euclid(4), angle) {
        (0 | 2, 0.0) => 0.0,
        (0, angle) => angle.sin(),
        (1, angle) => angle.cos(),
        (2, angle) => -angle.sin(),
        (_, angle) => -angle.cos(),
    }
}
fn of_single(x: u64, quarters_ahead: i32) -> u64 {
    u64::from((sine(f64::from(f32::from_bits(x as u32)), quarters_ahead) as f32).to_bits())
}
fn of_half(x: u64, quarters_ahead: i32) -> u64 {
    half_bits(sine(f16::from_bits(x as u16).to_f64(), quarters_ahead))
}

/// A number from 0 to 15 in steps of 2^-1600, highest word first.
type Fixed = [u32; 51];

fn divided(value: &Fixed, by: u64) -> Fixed {
    let mut rest = 0;
    value.map(|word| {
        let all = (rest << 32) | u64::from(word);
        rest = all % by;
        (all / by) as u32
    })
}
/// Returns value + sign * other * times.
fn plus(value: &Fixed, other: &Fixed, times: i64) -> Fixed {
    let mut result = *value;
    let mut carry = 0i64;
    for (word, other) in result.iter_mut().zip(other).rev() {
        let sum = i64::from(*word) + i64::from(*other) * times + carry;
        *word = sum as u32;
        carry = sum >> 32;
    }
    result
}
/// Returns the arc tangent of 1/n: the sum of (-1)^k / ((2k + 1) n^(2k + 1)).
fn arc_tangent_of_one_over(n: u64) -> Fixed {
    let mut one: Fixed = [0; 51];
    one[0] = 1;
    let mut power = divided(&one, n);
    let mut sum = power;
    for k in 1..800 {
        power = divided(&power, n * n);
        sum = plus(
            &sum,
            &divided(&power, 2 * k + 1),
            if k % 2 == 0 { 1 } else { -1 },
        );
    }
    sum
}

/// The first bits of the fraction of 2/pi (Machin: pi = 16 atan(1/5) - 4 atan(1/239)).
static TWO_OVER_PI: LazyLock<Vec<bool>> = LazyLock::new(|| {
    let zero: Fixed = [0; 51];
    let pi = plus(&zero, &arc_tangent_of_one_over(5), 16);
    let pi = plus(&pi, &arc_tangent_of_one_over(239), -4);
    let mut rest = zero;
    rest[0] = 2;
    (0..1201)
        .map(|_| {
            rest = plus(&rest, &rest, 1);
            let bit = rest >= pi;
            if bit {
                rest = plus(&rest, &pi, -1);
            }
            bit
        })
        .collect()
});

/// Returns a segment of 53 bits of 2/pi, rounded towards zero; a NaN stays NaN.
fn segment(x: u64, which: u64) -> u64 {
    if f64::from_bits(x).is_nan() {
        return x;
    }
    let exponent = ((x >> 52) & 0x7ff) as i32;
    let shift = (which & 31) as i32 * 53 + (exponent - 1077).max(0);
    let bits = (shift..shift + 53).fold(0u64, |bits, place| {
        let bit = TWO_OVER_PI.get(place as usize).copied().unwrap_or(false);
        (bits << 1) | u64::from(bit)
    });
    let scale = -53 - shift + if exponent >= 1968 { 128 } else { 0 };
    // A denormal result counts units of the smallest denormal.
    if scale <= -1074 {
        return bits.checked_shr((-1074 - scale) as u32).unwrap_or(0);
    }
    (bits as f64 * 2f64.powi(scale.max(-1000)) * 2f64.powi((scale + 1000).min(0))).to_bits()
}

pub(crate) static OPERATIONS: &[Vector] = vectors! {
    F32 "v_sin_f32" (F32) within Ulp(1) = |x| of_single(x, 0);
    F32 "v_cos_f32" (F32) within Ulp(1) = |x| of_single(x, 1);
    F16 "v_sin_f16" (F16) within Ulp(1) = |x| of_half(x, 0);
    F16 "v_cos_f16" (F16) within Ulp(1) = |x| of_half(x, 1);
    F64 "v_trig_preop_f64" (F64, B32) = |x, y| segment(x, y);
};
