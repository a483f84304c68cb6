//! Operations on two 16-bit values in a register. The selection of halves precedes them.

use super::half;
use super::integer::{sext16, signed_16, unsigned_16};
use super::lanes::narrow;

#[inline(always)]
fn both(a: u32, b: u32, c: u32, one: impl Fn(u32, u32, u32) -> u32) -> u32 {
    let low = one(a & 0xffff, b & 0xffff, c & 0xffff);
    low | (one(a >> 16, b >> 16, c >> 16) << 16)
}
#[inline(always)]
fn i(a: u32) -> i32 {
    sext16(a) as i32
}
#[inline(always)]
fn w(a: u32) -> i64 {
    i64::from(a)
}

narrow! {
    PK_MAD_I16(P16, P16, P16) -> P16 = |m, a, b, c| both(a, b, c, |a, b, c| signed_16(m.clamp(), i(a) * i(b) + i(c)));
    PK_MAD_U16(P16, P16, P16) -> P16 = |m, a, b, c| both(a, b, c, |a, b, c| unsigned_16(m.clamp(), w(a) * w(b) + w(c)));
    PK_MUL_LO_U16(P16, P16) -> P16 = |_, a, b| both(a, b, 0, |a, b, _| a.wrapping_mul(b) & 0xffff);
    PK_ADD_I16(P16, P16) -> P16 = |m, a, b| both(a, b, 0, |a, b, _| signed_16(m.clamp(), i(a) + i(b)));
    PK_SUB_I16(P16, P16) -> P16 = |m, a, b| both(a, b, 0, |a, b, _| signed_16(m.clamp(), i(a) - i(b)));
    PK_ADD_U16(P16, P16) -> P16 = |m, a, b| both(a, b, 0, |a, b, _| unsigned_16(m.clamp(), w(a) + w(b)));
    PK_SUB_U16(P16, P16) -> P16 = |m, a, b| both(a, b, 0, |a, b, _| unsigned_16(m.clamp(), w(a) - w(b)));
    PK_LSHLREV_B16(P16, P16) -> P16 = |_, a, b| both(a, b, 0, |a, b, _| (b << (a & 15)) & 0xffff);
    PK_LSHRREV_B16(P16, P16) -> P16 = |_, a, b| both(a, b, 0, |a, b, _| b >> (a & 15));
    PK_ASHRREV_I16(P16, P16) -> P16 = |_, a, b| both(a, b, 0, |a, b, _| (i(b) >> (a & 15)) as u32 & 0xffff);
    PK_MAX_I16(P16, P16) -> P16 = |_, a, b| both(a, b, 0, |a, b, _| i(a).max(i(b)) as u32 & 0xffff);
    PK_MIN_I16(P16, P16) -> P16 = |_, a, b| both(a, b, 0, |a, b, _| i(a).min(i(b)) as u32 & 0xffff);
    PK_MAX_U16(P16, P16) -> P16 = |_, a, b| both(a, b, 0, |a, b, _| a.max(b));
    PK_MIN_U16(P16, P16) -> P16 = |_, a, b| both(a, b, 0, |a, b, _| a.min(b));
    PK_FMA_F16(PF16, PF16, PF16) -> PF16 = |_, a, b, c| half::packed_fma(a, b, c);
    PK_ADD_F16(PF16, PF16) -> PF16 = |_, a, b| both(a, b, 0, |a, b, _| half::add(a, b));
    PK_MUL_F16(PF16, PF16) -> PF16 = |_, a, b| both(a, b, 0, |a, b, _| half::mul(a, b));
    PK_MIN_F16(PF16, PF16) -> PF16 = |m, a, b| both(a, b, 0, |a, b, _| half::min(m.ieee(), a, b));
    PK_MAX_F16(PF16, PF16) -> PF16 = |m, a, b| both(a, b, 0, |a, b, _| half::max(m.ieee(), a, b));
}
