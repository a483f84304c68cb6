//! Half precision: computed in double precision, where sums and products of halves are exact, and
//! rounded once.

use half::f16;

use super::float::{F16, Format};
use super::{Left, Vector, lane_vectors, vectors};

pub(super) fn f(bits: u64) -> f64 {
    f16::from_bits(bits as u16).to_f64()
}
pub(super) fn b(value: f64) -> u64 {
    // The single is rounded to odd, so the second rounding equals a single rounding.
    let (bits, below) = (value.to_bits(), (1 << 29) - 1);
    let odd = (bits & !below) | if bits & below == 0 { 0 } else { 1 << 29 };
    u64::from(f16::from_f32(f64::from_bits(odd) as f32).to_bits())
}
/// Returns x * y + z, rounded once: 2^-60 after the product's last bit decides if the sum is
/// inexact.
pub(super) fn fused(x: u64, y: u64, z: u64) -> u64 {
    let (product, addend) = (f(x) * f(y), f(z));
    let sum = product + addend;
    let error = if sum.is_finite() {
        // The error of a sum is itself a number (Knuth's two-sum).
        let part = sum - product;
        (product - (sum - part)) + (addend - part)
    } else {
        0.0
    };
    if error == 0.0 || sum == 0.0 {
        return b(sum);
    }
    // After rounding to odd, another rounding cannot go wrong.
    let bits = sum.to_bits();
    let odd = if bits & 1 == 1 {
        bits
    } else if (error > 0.0) == (sum > 0.0) {
        bits + 1
    } else {
        bits - 1
    };
    b(f64::from_bits(odd))
}
fn fraction(value: f64) -> f64 {
    let rest = value - value.floor();
    if rest.is_nan() {
        rest
    } else {
        rest.min(f(0x3bff))
    }
}
fn split(value: f64) -> (f64, i64) {
    if value == 0.0 || !value.is_finite() {
        return (value, 0);
    }
    let bits = value.to_bits();
    let power = ((bits >> 52) & 0x7ff) as i64 - 1022;
    (
        f64::from_bits((bits & !(0x7ff << 52)) | (1022 << 52)),
        power,
    )
}

pub(crate) static OPERATIONS: &[Vector] = vectors! {
    F16 "v_add_f16" (F16, F16) = |x, y| b(f(x) + f(y));
    F16 "v_sub_f16" (F16, F16) = |x, y| b(f(x) - f(y));
    F16 "v_subrev_f16" (F16, F16) = |x, y| b(f(y) - f(x));
    F16 "v_mul_f16" (F16, F16) = |x, y| b(f(x) * f(y));
    F16 "v_fma_f16" | "v_fma_legacy_f16" (F16, F16, F16) = |x, y, z| fused(x, y, z);
    F16 "v_min_f16" (F16, F16) = |x, y| F16.extreme(x, y, false);
    F16 "v_max_f16" (F16, F16) = |x, y| F16.extreme(x, y, true);
    F16 "v_min3_f16" (F16, F16, F16) = |x, y, z| F16.extreme(F16.extreme(x, y, false), z, false);
    F16 "v_max3_f16" (F16, F16, F16) = |x, y, z| F16.extreme(F16.extreme(x, y, true), z, true);
    F16 "v_med3_f16" (F16, F16, F16) = |x, y, z| F16.median([x, y, z], Format::extreme);
    F16 "v_minmax_f16" (F16, F16, F16) = |x, y, z| F16.extreme(F16.extreme(x, y, false), z, true);
    F16 "v_maxmin_f16" (F16, F16, F16) = |x, y, z| F16.extreme(F16.extreme(x, y, true), z, false);
    F16 "v_trunc_f16" (F16) = |x| b(f(x).trunc());
    F16 "v_ceil_f16" (F16) = |x| b(f(x).ceil());
    F16 "v_floor_f16" (F16) = |x| b(f(x).floor());
    F16 "v_rndne_f16" (F16) = |x| b(f(x).round_ties_even());
    F16 "v_fract_f16" (F16) = |x| b(fraction(f(x)));
    F16 "v_ldexp_f16" (F16, B16) = |x, y| b(f(x) * 2f64.powi(i32::from(y as u16 as i16).clamp(-200, 200)));
    B16 "v_frexp_exp_i16_f16" (F16) = |x| split(f(x)).1 as u64 & 0xffff;
    F16 "v_frexp_mant_f16" (F16) = |x| b(split(f(x)).0);
    F16 "v_rcp_f16" (F16) within Ulp(1) = |x| b(1.0 / f(x));
    F16 "v_rsq_f16" (F16) within Ulp(1) = |x| b(1.0 / f(x).sqrt());
    F16 "v_sqrt_f16" (F16) within Ulp(1) = |x| b(f(x).sqrt());
    F16 "v_exp_f16" (F16) within Ulp(1) = |x| b(f(x).exp2());
    F16 "v_log_f16" (F16) within Ulp(1) = |x| b(f(x).log2());
};

pub(crate) static LANES: &[Vector] = lane_vectors! {
    F16 "v_fmac_f16" (F16, F16) Plain = |lane| Left { to: fused(lane.from[0], lane.from[1], lane.old & 0xffff), vcc: lane.vcc };
};
