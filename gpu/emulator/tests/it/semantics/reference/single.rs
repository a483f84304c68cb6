//! Single precision. Denormals are on, MODE.IEEE is set.

use super::float::{F32, Format};
use super::{Left, Vector, lane_vectors, vectors};

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}
fn b(value: f32) -> u64 {
    u64::from(value.to_bits())
}
/// Returns the product, in which 0 times anything is 0.
fn legacy(x: u64, y: u64) -> f32 {
    if f(x) == 0.0 || f(y) == 0.0 {
        0.0
    } else {
        f(x) * f(y)
    }
}
fn scaled(value: f32, exponent: i32) -> f32 {
    // Two steps are exact before the last one, which rounds once.
    let exponent = exponent.clamp(-400, 400);
    let wide = f64::from(value) * 2f64.powi(exponent);
    wide as f32
}
fn fraction(value: f32) -> f32 {
    let below = f32::from_bits(0x3f7f_ffff);
    let rest = value - value.floor();
    if rest.is_nan() { rest } else { rest.min(below) }
}
fn exponent(value: f32) -> u64 {
    if value == 0.0 || !value.is_finite() {
        return 0;
    }
    let wide = f64::from(value).to_bits();
    u64::from((((wide >> 52) & 0x7ff) as i32 - 1022) as u32)
}
fn mantissa(value: f32) -> f32 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let wide = f64::from(value).to_bits();
    f64::from_bits((wide & !(0x7ff << 52)) | (1022 << 52)) as f32
}
/// Flushes denormals, as the approximate functions do.
fn flushed(value: f32) -> f32 {
    if value.is_subnormal() {
        0f32.copysign(value)
    } else {
        value
    }
}
pub(super) fn approximated(x: u64, function: impl Fn(f64) -> f64) -> u64 {
    b(flushed(function(f64::from(flushed(f(x)))) as f32))
}
pub(crate) static OPERATIONS: &[Vector] = vectors! {
    F32 "v_add_f32" (F32, F32) = |x, y| b(f(x) + f(y));
    F32 "v_sub_f32" (F32, F32) = |x, y| b(f(x) - f(y));
    F32 "v_subrev_f32" (F32, F32) = |x, y| b(f(y) - f(x));
    F32 "v_mul_f32" (F32, F32) = |x, y| b(f(x) * f(y));
    F32 "v_mul_legacy_f32" | "v_mul_dx9_zero_f32" (F32, F32) = |x, y| b(legacy(x, y));
    F32 "v_fma_f32" (F32, F32, F32) = |x, y, z| b(f(x).mul_add(f(y), f(z)));
    F32 "v_min_f32" (F32, F32) = |x, y| F32.extreme(x, y, false);
    F32 "v_max_f32" (F32, F32) = |x, y| F32.extreme(x, y, true);
    F32 "v_min3_f32" (F32, F32, F32) = |x, y, z| F32.extreme(F32.extreme(x, y, false), z, false);
    F32 "v_max3_f32" (F32, F32, F32) = |x, y, z| F32.extreme(F32.extreme(x, y, true), z, true);
    F32 "v_med3_f32" (F32, F32, F32) = |x, y, z| F32.median([x, y, z], Format::extreme);
    F32 "v_minmax_f32" (F32, F32, F32) = |x, y, z| F32.extreme(F32.extreme(x, y, false), z, true);
    F32 "v_maxmin_f32" (F32, F32, F32) = |x, y, z| F32.extreme(F32.extreme(x, y, true), z, false);
    F32 "v_trunc_f32" (F32) = |x| b(f(x).trunc());
    F32 "v_ceil_f32" (F32) = |x| b(f(x).ceil());
    F32 "v_floor_f32" (F32) = |x| b(f(x).floor());
    F32 "v_rndne_f32" (F32) = |x| b(f(x).round_ties_even());
    F32 "v_fract_f32" (F32) = |x| b(fraction(f(x)));
    F32 "v_ldexp_f32" (F32, B32) = |x, y| b(scaled(f(x), y as u32 as i32));
    B32 "v_frexp_exp_i32_f32" (F32) = |x| exponent(f(x));
    F32 "v_frexp_mant_f32" (F32) = |x| b(mantissa(f(x)));
    F32 "v_rcp_f32" | "v_rcp_iflag_f32" (F32) within Ulp(1) = |x| approximated(x, |x| 1.0 / x);
    F32 "v_rsq_f32" (F32) within Ulp(1) = |x| approximated(x, |x| 1.0 / x.sqrt());
    F32 "v_sqrt_f32" (F32) within Ulp(1) = |x| approximated(x, |x| x.sqrt());
    F32 "v_exp_f32" | "v_exp_legacy_f32" (F32) within Ulp(1) = |x| approximated(x, |x| x.exp2());
    F32 "v_log_f32" | "v_log_legacy_f32" (F32) within Ulp(1) = |x| approximated(x, |x| x.log2());
};

pub(crate) static LANES: &[Vector] = lane_vectors! {
    F32 "v_fmac_f32" (F32, F32) Plain = |lane| Left { to: b(f(lane.from[0]).mul_add(f(lane.from[1]), f(lane.old))), vcc: lane.vcc };
};
