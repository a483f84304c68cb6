//! Dot products of halves and of bfloat16, in the order of the manuals' sums.
//!
//! They flush denormals and round to nearest in every mode (CDNA 3 manual, 6.4).

use emulator::Isa;

use super::half::{f as half, fused};
use super::packed::halves;
use super::unfused::{flushed, flushed_half};
use super::{Lane, Left, Vector, lane_vectors};

fn single(bits: u64) -> f32 {
    flushed(f32::from_bits(bits as u32))
}
fn bfloat(bits: u64) -> f32 {
    single((bits & 0xffff) << 16)
}
/// Returns the nearest bfloat16 of a single; ties go to the even one.
pub(super) fn bfloat_bits(value: f32) -> u64 {
    let bits = u64::from(value.to_bits());
    if value.is_nan() {
        return (bits >> 16) | 0x40;
    }
    let (kept, rest) = (bits >> 16, bits & 0xffff);
    kept + u64::from(rest > 0x8000 || (rest == 0x8000 && kept & 1 == 1))
}

/// Returns the products of the low and of the high parts.
fn products(lane: &Lane, part: fn(u64) -> f32) -> [f32; 2] {
    let [x, y] = [halves(lane.from[0]), halves(lane.from[1])];
    std::array::from_fn(|k| flushed(part(x[k]) * part(y[k])))
}
fn of_half(bits: u64) -> f32 {
    half(flushed_half(bits)) as f32
}
fn sum(terms: [f32; 3]) -> u64 {
    let [first, second, third] = terms;
    u64::from(flushed(flushed(first + second) + third).to_bits())
}
/// Returns the sum with the addend first.
fn dot(lane: &Lane, addend: u64, part: fn(u64) -> f32) -> Left {
    let [low, high] = products(lane, part);
    Left {
        to: sum([single(addend), low, high]),
        vcc: lane.vcc,
    }
}

pub(crate) static OPERATIONS: &[Vector] = lane_vectors! {
    F32 "v_dot2_f32_f16" (PF16, PF16, F32) Plain = |lane| dot(lane, lane.from[2], of_half);
    F32 "v_dot2c_f32_f16" | "v_dot2acc_f32_f16" (PF16, PF16) Plain = |lane| dot(lane, lane.old, of_half);
    F32 "v_dot2c_f32_bf16" | "v_dot2acc_f32_bf16" (PBF16, PBF16) Plain = |lane| dot(lane, lane.old, bfloat);
    F32 "v_dot2_f32_bf16" (PBF16, PBF16, F32) Plain = |lane| {
        // The CDNA 4 manual adds the third source last, the RDNA manuals add it first.
        let [low, high] = products(lane, bfloat);
        if lane.isa == Isa::Gfx950 {
            return Left { to: sum([low, high, single(lane.from[2])]), vcc: lane.vcc };
        }
        dot(lane, lane.from[2], bfloat)
    };
    // Each sum rounds to the result's type; the manuals do not say if the product does too.
    F16 "v_dot2_f16_f16" (PF16, PF16, F16) Plain = |lane| {
        let [x, y] = [halves(lane.from[0]), halves(lane.from[1])];
        Left { to: fused(x[1], y[1], fused(x[0], y[0], lane.from[2])), vcc: lane.vcc }
    };
    BF16 "v_dot2_bf16_bf16" (PBF16, PBF16, BF16) Plain = |lane| {
        let [low, high] = products(lane, bfloat);
        let first = bfloat_bits(flushed(bfloat(lane.from[2]) + low));
        Left { to: bfloat_bits(flushed(bfloat(first) + high)), vcc: lane.vcc }
    };
};
