//! Multiply-add with the product rounded first, and products by the rule that zero times anything
//! is zero.
//!
//! The unfused instructions flush denormals in every mode ("1ULP accuracy, denormals are
//! flushed").

use super::half;
use super::{Left, Vector, lane_vectors, vectors};

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}
fn b(value: f32) -> u64 {
    u64::from(value.to_bits())
}
/// Flushes denormals to zero.
pub(super) fn flushed(value: f32) -> f32 {
    if value.is_subnormal() {
        0f32.copysign(value)
    } else {
        value
    }
}
pub(super) fn flushed_half(bits: u64) -> u64 {
    if bits & 0x7c00 == 0 {
        bits & 0x8000
    } else {
        bits
    }
}
fn product(x: f32, y: f32) -> f32 {
    x * y
}
/// Returns zero if a factor is zero.
fn legacy(x: f32, y: f32) -> f32 {
    if x == 0.0 || y == 0.0 { 0.0 } else { x * y }
}
fn mad(x: u64, y: u64, z: u64, multiply: fn(f32, f32) -> f32) -> u64 {
    let product = flushed(multiply(flushed(f(x)), flushed(f(y))));
    b(flushed(product + flushed(f(z))))
}
fn mad_half(x: u64, y: u64, z: u64) -> u64 {
    let [x, y, z] = [x, y, z].map(|source| half::f(flushed_half(source & 0xffff)));
    let product = half::f(flushed_half(half::b(x * y)));
    flushed_half(half::b(product + z))
}
fn fma_legacy(x: u64, y: u64, z: u64) -> u64 {
    if f(x) == 0.0 || f(y) == 0.0 {
        z & 0xffff_ffff
    } else {
        b(f(x).mul_add(f(y), f(z)))
    }
}
fn lighting(x: u64, y: u64, z: u64) -> u64 {
    let (factor, third) = (f(y), f(z));
    if factor == -f32::MAX
        || factor == f32::NEG_INFINITY
        || factor.is_nan()
        || third <= 0.0
        || third.is_nan()
    {
        b(-f32::MAX)
    } else {
        b(legacy(f(x), factor))
    }
}

const PI: u64 = 0x4049_0fdb;
const HALF_PI: u64 = 0x4248;

pub(crate) static OPERATIONS: &[Vector] = vectors! {
    F32 "v_mad_f32" (F32, F32, F32) = |x, y, z| mad(x, y, z, product);
    F32 "v_mad_legacy_f32" (F32, F32, F32) = |x, y, z| mad(x, y, z, legacy);
    F32 "v_madak_f32" (F32, F32) = |x, y| mad(x, y, PI, product);
    F32 "v_madmk_f32" (F32, F32) = |x, y| mad(x, PI, y, product);
    F16 "v_mad_f16" | "v_mad_legacy_f16" (F16, F16, F16) = |x, y, z| mad_half(x, y, z);
    F16 "v_madak_f16" (F16, F16) = |x, y| mad_half(x, y, HALF_PI);
    F16 "v_madmk_f16" (F16, F16) = |x, y| mad_half(x, HALF_PI, y);
    F32 "v_fma_legacy_f32" | "v_fma_dx9_zero_f32" (F32, F32, F32) = |x, y, z| fma_legacy(x, y, z);
    F32 "v_mullit_f32" (F32, F32, F32) = |x, y, z| lighting(x, y, z);
};

pub(crate) static LANES: &[Vector] = lane_vectors! {
    F32 "v_mac_f32" (F32, F32) Plain = |lane| Left { to: mad(lane.from[0], lane.from[1], lane.old, product), vcc: lane.vcc };
    F32 "v_mac_legacy_f32" (F32, F32) Plain = |lane| Left { to: mad(lane.from[0], lane.from[1], lane.old, legacy), vcc: lane.vcc };
    F16 "v_mac_f16" (F16, F16) Plain = |lane| Left { to: mad_half(lane.from[0], lane.from[1], lane.old), vcc: lane.vcc };
    F32 "v_fmac_legacy_f32" | "v_fmac_dx9_zero_f32" (F32, F32) Plain = |lane| Left { to: fma_legacy(lane.from[0], lane.from[1], lane.old), vcc: lane.vcc };
};
