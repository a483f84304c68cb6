//! Two values in a register, or in a pair of registers; mixed precision; dot products of halves.

use super::float::F16;
use super::half::{b, f, fused};
use super::{Left, Vector, lane_vectors, vectors};

pub(super) fn halves(x: u64) -> [u64; 2] {
    [x & 0xffff, (x >> 16) & 0xffff]
}
pub(super) fn each(x: u64, y: u64, part: impl Fn(u64, u64) -> u64) -> u64 {
    let ([a, c], [d, e]) = (halves(x), halves(y));
    (part(a, d) & 0xffff) | ((part(c, e) & 0xffff) << 16)
}
pub(super) fn each3(x: u64, y: u64, z: u64, part: impl Fn(u64, u64, u64) -> u64) -> u64 {
    let ([a, c], [d, e], [g, h]) = (halves(x), halves(y), halves(z));
    (part(a, d, g) & 0xffff) | ((part(c, e, h) & 0xffff) << 16)
}
fn s(x: u64) -> i64 {
    i64::from(x as u16 as i16)
}
fn singles(x: u64, y: u64, part: impl Fn(f32, f32) -> f32) -> u64 {
    let one = |x: u64, y: u64| {
        u64::from(part(f32::from_bits(x as u32), f32::from_bits(y as u32)).to_bits())
    };
    one(x, y) | (one(x >> 32, y >> 32) << 32)
}
fn single(x: u64) -> f32 {
    f32::from_bits(x as u32)
}

pub(crate) static OPERATIONS: &[Vector] = vectors! {
    P16 "v_pk_add_u16" | "v_pk_add_i16" (P16, P16) = |x, y| each(x, y, |a, b| a + b);
    P16 "v_pk_sub_u16" | "v_pk_sub_i16" (P16, P16) = |x, y| each(x, y, u64::wrapping_sub);
    P16 "v_pk_mul_lo_u16" (P16, P16) = |x, y| each(x, y, |a, b| a * b);
    P16 "v_pk_mad_u16" | "v_pk_mad_i16" (P16, P16, P16) = |x, y, z| each3(x, y, z, |a, b, c| a * b + c);
    P16 "v_pk_lshlrev_b16" (P16, P16) = |x, y| each(x, y, |a, b| b << (a & 15));
    P16 "v_pk_lshrrev_b16" (P16, P16) = |x, y| each(x, y, |a, b| b >> (a & 15));
    P16 "v_pk_ashrrev_i16" (P16, P16) = |x, y| each(x, y, |a, b| (s(b) >> (a & 15)) as u64);
    P16 "v_pk_min_u16" (P16, P16) = |x, y| each(x, y, u64::min);
    P16 "v_pk_max_u16" (P16, P16) = |x, y| each(x, y, u64::max);
    P16 "v_pk_min_i16" (P16, P16) = |x, y| each(x, y, |a, b| s(a).min(s(b)) as u64);
    P16 "v_pk_max_i16" (P16, P16) = |x, y| each(x, y, |a, b| s(a).max(s(b)) as u64);
    PF16 "v_pk_add_f16" (PF16, PF16) = |x, y| each(x, y, |p, q| b(f(p) + f(q)));
    PF16 "v_pk_mul_f16" (PF16, PF16) = |x, y| each(x, y, |p, q| b(f(p) * f(q)));
    PF16 "v_pk_fma_f16" (PF16, PF16, PF16) = |x, y, z| each3(x, y, z, fused);
    PF16 "v_pk_min_f16" (PF16, PF16) = |x, y| each(x, y, |p, q| F16.extreme(p, q, false));
    PF16 "v_pk_max_f16" (PF16, PF16) = |x, y| each(x, y, |p, q| F16.extreme(p, q, true));
    PF32 "v_pk_add_f32" (PF32, PF32) = |x, y| singles(x, y, |p, q| p + q);
    PF32 "v_pk_mul_f32" (PF32, PF32) = |x, y| singles(x, y, |p, q| p * q);
    PF32 "v_pk_fma_f32" (PF32, PF32, PF32) = |x, y, z| {
        let one = |shift: u32| u64::from(single(x >> shift).mul_add(single(y >> shift), single(z >> shift)).to_bits());
        one(0) | (one(32) << 32)
    };
    // Without selections, both sources give their low word.
    P32 "v_pk_mov_b32" (P32, P32) = |x, y| (x & 0xffff_ffff) | (y << 32);
    F32 "v_fma_mix_f32" | "v_mad_mix_f32" (F32, F32, F32) = |x, y, z| u64::from(single(x).mul_add(single(y), single(z)).to_bits());
};

pub(crate) static LANES: &[Vector] = lane_vectors! {
    PF16 "v_pk_fmac_f16" (PF16, PF16) Plain = |lane| Left { to: each3(lane.from[0], lane.from[1], lane.old, fused), vcc: lane.vcc };
};
