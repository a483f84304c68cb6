//! Multiply-add with a constant, cube maps, 8-bit and mixed precision.

use half::f16;

use super::half::fused;
use super::{Left, Vector, lane_vectors, vectors};

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}
fn b(value: f32) -> u64 {
    u64::from(value.to_bits())
}
/// Returns face, coordinates and twice the major axis of a cube map.
fn cube(x: u64, y: u64, z: u64) -> [f32; 4] {
    let (x, y, z) = (f(x), f(y), f(z));
    if z.abs() >= x.abs() && z.abs() >= y.abs() {
        [
            if z < 0.0 { 5.0 } else { 4.0 },
            if z < 0.0 { -x } else { x },
            -y,
            2.0 * z,
        ]
    } else if y.abs() >= x.abs() {
        [
            if y < 0.0 { 3.0 } else { 2.0 },
            x,
            if y < 0.0 { -z } else { z },
            2.0 * y,
        ]
    } else {
        [
            if x < 0.0 { 1.0 } else { 0.0 },
            if x < 0.0 { z } else { -z },
            -y,
            2.0 * x,
        ]
    }
}
fn byte(value: f32) -> u64 {
    value.round_ties_even().clamp(0.0, 255.0) as u64
}

pub(crate) static OPERATIONS: &[Vector] = vectors! {
    F32 "v_fmaak_f32" (F32, F32) = |x, y| b(f(x).mul_add(f(y), f(0x4049_0fdb)));
    F32 "v_fmamk_f32" (F32, F32) = |x, y| b(f(x).mul_add(f(0x4049_0fdb), f(y)));
    F16 "v_fmaak_f16" (F16, F16) = |x, y| fused(x, y, 0x4248);
    F16 "v_fmamk_f16" (F16, F16) = |x, y| fused(x, 0x4248, y);
    F32 "v_cubeid_f32" (F32, F32, F32) = |x, y, z| b(cube(x, y, z)[0]);
    F32 "v_cubesc_f32" (F32, F32, F32) = |x, y, z| b(cube(x, y, z)[1]);
    F32 "v_cubetc_f32" (F32, F32, F32) = |x, y, z| b(cube(x, y, z)[2]);
    F32 "v_cubema_f32" (F32, F32, F32) = |x, y, z| b(cube(x, y, z)[3]);
};

pub(crate) static LANES: &[Vector] = lane_vectors! {
    F16 "v_fma_mixlo_f16" (F32, F32, F32) Plain = |lane| {
        let [x, y, z] = lane.from.map(f);
        Left { to: u64::from(f16::from_f32(x.mul_add(y, z)).to_bits()), vcc: lane.vcc }
    };
    PF16 "v_fma_mixhi_f16" (F32, F32, F32) Plain = |lane| {
        let [x, y, z] = lane.from.map(f);
        let half = u64::from(f16::from_f32(x.mul_add(y, z)).to_bits());
        Left { to: (lane.old & 0xffff) | (half << 16), vcc: lane.vcc }
    };
    B32 "v_cvt_pkaccum_u8_f32" (F32, B32) Plain = |lane| {
        let shift = 8 * (lane.from[1] & 3);
        let kept = lane.old & 0xffff_ffff & !(0xff << shift);
        Left { to: kept | (byte(f(lane.from[0])) << shift), vcc: lane.vcc }
    };
};
