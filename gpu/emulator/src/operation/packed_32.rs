//! Operations on two single-precision values in a register pair. The selection of words precedes
//! them.

use super::float::f32_bits;
use super::lanes::wide;

#[inline(always)]
fn both(a: u64, b: u64, c: u64, one: impl Fn(u32, u32, u32) -> u32) -> u64 {
    let low = one(a as u32, b as u32, c as u32);
    let high = one((a >> 32) as u32, (b >> 32) as u32, (c >> 32) as u32);
    (u64::from(high) << 32) | u64::from(low)
}

wide! {
    PK_FMA(PF32, PF32, PF32) -> PF32 = |_, a, b, c| both(a, b, c, f32_bits::fma);
    PK_MUL(PF32, PF32) -> PF32 = |_, a, b| both(a, b, 0, |a, b, _| f32_bits::mul(a, b));
    PK_ADD(PF32, PF32) -> PF32 = |_, a, b| both(a, b, 0, |a, b, _| f32_bits::add(a, b));
    PK_MOV(PB32, PB32) -> PB32 = |_, a, b| (a & 0xffff_ffff) | (b & 0xffff_ffff_0000_0000);
}
