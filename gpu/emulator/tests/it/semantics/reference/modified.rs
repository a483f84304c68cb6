//! Modifiers: signs of sources, clamping, selections of parts of registers.

use super::half::{b as half_bits, f as half, fused};
use super::packed::halves;
use super::{Vector, sequences};

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}
fn b(value: f32) -> u64 {
    u64::from(value.to_bits())
}
/// Clamps to the numbers from 0 to 1; NaN becomes 0, because MODE.DX10_CLAMP is set.
fn clamped(value: f64) -> f64 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}
fn word(value: i64) -> u64 {
    value as u64 & 0xffff_ffff
}
fn half_word(value: i64) -> u64 {
    value as u64 & 0xffff
}
fn i16_of(value: u64) -> i64 {
    i64::from(value as u16 as i16)
}
fn both(x: u64, y: u64, part: impl Fn(u64, u64) -> u64) -> u64 {
    let ([low, high], [c, d]) = (halves(x), halves(y));
    part(low, c) | (part(high, d) << 16)
}
fn signed_32(value: i64) -> u64 {
    word(value.clamp(i32::MIN.into(), i32::MAX.into()))
}
fn i32_of(value: u64) -> i64 {
    i64::from(value as u32 as i32)
}
/// Returns the value with the other sign, or without sign.
fn minus(half: u64) -> u64 {
    half ^ 0x8000
}

pub(crate) static OPERATIONS: &[Vector] = sequences! {
    F32 "v_add_f32" (F32, F32) by ["v_add_f32 v10, -v2, |v4|"] = |x, y| b(f(x ^ 0x8000_0000) + f(y & 0x7fff_ffff));
    F32 "v_mul_f32" (F32, F32) by ["v_mul_f32 v10, -|v2|, v4 clamp"] = |x, y| b(clamped(f64::from(f(x | 0x8000_0000) * f(y))) as f32);
    // The hardware ignores output modifiers while denormals are on.
    F32 "v_mul_f32" (F32, F32) by ["v_mul_f32 v10, v2, v4 mul:2"] = |x, y| b(f(x) * f(y));
    F64 "v_add_f64" (F64, F64) by ["v_add_f64 v[10:11], v[2:3], -v[4:5] clamp"] = |x, y| clamped(f64::from_bits(x) - f64::from_bits(y)).to_bits();
    F16 "v_add_f16" (F16, F16) by ["v_add_f16 v10, v2, -v4 clamp"] = |x, y| half_bits(clamped(half(half_bits(half(x) - half(y)))));

    B32 "v_add_u32" (B32, B32) by ["v_add_u32 v10, v2, v4 clamp"] = |x, y| (x + y).min(0xffff_ffff);
    B32 "v_add_nc_u32" (B32, B32) by ["v_add_nc_u32 v10, v2, v4 clamp"] = |x, y| (x + y).min(0xffff_ffff);
    B32 "v_sub_u32" (B32, B32) by ["v_sub_u32 v10, v2, v4 clamp"] = |x, y| x.saturating_sub(y);
    B32 "v_sub_nc_u32" (B32, B32) by ["v_sub_nc_u32 v10, v2, v4 clamp"] = |x, y| x.saturating_sub(y);
    B32 "v_add_i32" (B32, B32) by ["v_add_i32 v10, v2, v4 clamp"] = |x, y| signed_32(i32_of(x) + i32_of(y));
    B32 "v_sub_i32" (B32, B32) by ["v_sub_i32 v10, v2, v4 clamp"] = |x, y| signed_32(i32_of(x) - i32_of(y));
    B32 "v_add_nc_i32" (B32, B32) by ["v_add_nc_i32 v10, v2, v4 clamp"] = |x, y| signed_32(i32_of(x) + i32_of(y));
    B32 "v_sub_nc_i32" (B32, B32) by ["v_sub_nc_i32 v10, v2, v4 clamp"] = |x, y| signed_32(i32_of(x) - i32_of(y));
    B32 "v_mad_i32_i24" (B32, B32, B32) by ["v_mad_i32_i24 v10, v2, v4, v6 clamp"] = |x, y, z| {
        let i24 = |value: u64| (value << 40) as i64 >> 40;
        signed_32(i24(x) * i24(y) + i32_of(z))
    };
    B32 "v_mad_u32_u24" (B32, B32, B32) by ["v_mad_u32_u24 v10, v2, v4, v6 clamp"] = |x, y, z| ((x & 0xff_ffff) * (y & 0xff_ffff) + z).min(0xffff_ffff);
    P16 "v_pk_add_i16" (P16, P16) by ["v_pk_add_i16 v10, v2, v4 clamp"] = |x, y| both(x, y, |x, y| half_word((i16_of(x) + i16_of(y)).clamp(-0x8000, 0x7fff)));
    P16 "v_pk_sub_u16" (P16, P16) by ["v_pk_sub_u16 v10, v2, v4 clamp"] = |x, y| both(x, y, u64::saturating_sub);
    PF16 "v_pk_mul_f16" (PF16, PF16) by ["v_pk_mul_f16 v10, v2, v4 clamp"] = |x, y| both(x, y, |x, y| half_bits(clamped(half(half_bits(half(x) * half(y))))));

    // The half of a source for each half of the result, and its sign.
    P16 "v_pk_sub_i16" (P16, P16) by ["v_pk_sub_i16 v10, v2, v4 op_sel:[1,0] op_sel_hi:[0,0]"] = |x, y| {
        let ([low, high], [second, _]) = (halves(x), halves(y));
        half_word(high as i64 - second as i64) | (half_word(low as i64 - second as i64) << 16)
    };
    PF16 "v_pk_fma_f16" (PF16, PF16, PF16) by ["v_pk_fma_f16 v10, v2, v4, v6 op_sel:[1,0,1] op_sel_hi:[1,0,0] neg_lo:[1,0,0] neg_hi:[0,1,1]"] = |x, y, z| {
        let ([_, x], [y, _], [low, high]) = (halves(x), halves(y), halves(z));
        fused(minus(x), y, high) | (fused(x, minus(y), minus(low)) << 16)
    };
    PF32 "v_pk_add_f32" (PF32, PF32) by ["v_pk_add_f32 v[10:11], v[2:3], v[4:5] op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[0,1]"] = |x, y| {
        b(f(x >> 32) - f(y)) | (b(f(x) + f(y >> 32)) << 32)
    };
    F32 "v_fma_mix_f32" (PF16, PF16, F32) by ["v_fma_mix_f32 v10, -v2, |v4|, v6 op_sel:[0,1,0] op_sel_hi:[1,1,0]"] = |x, y, z| {
        b((-half(x) as f32).mul_add(half((y >> 16) & 0x7fff) as f32, f(z)))
    };
    P16 "v_mad_u16" (P16, P16, P16) by ["v_mad_u16 v10, v2, v4, v6 op_sel:[1,0,1,1]"] = |x, y, z, old| {
        let ([_, x], [y, _], [_, z]) = (halves(x), halves(y), halves(z));
        (old & 0xffff) | (((x * y + z) & 0xffff) << 16)
    };

    // Halves of registers as operands, in the short encodings and in the long one.
    P16 "v_mov_b16" (P16) by ["v_mov_b16 v10.h, v2.l"] = |x, _y, _z, old| (old & 0xffff) | ((x & 0xffff) << 16);
    P16 "v_mov_b16" (P16) by ["v_mov_b16 v10.l, v2.h"] = |x, _y, _z, old| (old & 0xffff_0000) | (x >> 16);
    PF16 "v_add_f16" (PF16, PF16) by ["v_add_f16 v10.h, v2.l, v4.h"] = |x, y, _z, old| {
        let ([x, _], [_, y]) = (halves(x), halves(y));
        (old & 0xffff) | (half_bits(half(x) + half(y)) << 16)
    };
    PF16 "v_fmamk_f16" (PF16, PF16) by ["v_fmamk_f16 v10.h, v2.l, 0x4248, v4.h"] = |x, y, _z, old| {
        let ([x, _], [_, y]) = (halves(x), halves(y));
        (old & 0xffff) | (fused(x, 0x4248, y) << 16)
    };
    PF16 "v_fmaak_f16" (PF16, PF16) by ["v_fmaak_f16 v10.l, v2.l, v4.h, 0x4248"] = |x, y, _z, old| {
        let ([x, _], [_, y]) = (halves(x), halves(y));
        (old & 0xffff_0000) | fused(x, y, 0x4248)
    };
    PF16 "v_fmac_f16" (PF16, PF16) by ["v_fmac_f16 v10.h, v2.h, v4.l"] = |x, y, _z, old| {
        let ([_, x], [y, _]) = (halves(x), halves(y));
        (old & 0xffff) | (fused(x, y, old >> 16) << 16)
    };
    F32 "v_cvt_f32_f16" (PF16) by ["v_cvt_f32_f16 v10, v2.h"] = |x| b(half(x >> 16) as f32);
    P16 "v_and_b16" (P16, P16) by ["v_and_b16 v10.h, v2.h, v4.l"] = |x, y, _z, old| {
        let ([_, x], [y, _]) = (halves(x), halves(y));
        (old & 0xffff) | ((x & y) << 16)
    };

    // Parts of registers (SDWA), and the treatment of the rest of the destination.
    B32 "v_add_u32_sdwa" (B32, B32) by ["v_add_u32_sdwa v10, v2, v4 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:BYTE_2"] = |x, y, _z, old| {
        let sum = (x >> 16) + ((y >> 16) & 0xff);
        (old & 0xffff_00ff) | ((sum & 0xff) << 8)
    };
    B32 "v_add_nc_u32_sdwa" (B32, B32) by ["v_add_nc_u32_sdwa v10, sext(v2), v4 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_3 src1_sel:DWORD"] = |x, y| {
        let byte = i64::from((x >> 24) as u8 as i8);
        half_word(byte + y as i64) << 16
    };
    B32 "v_mul_i32_i24_sdwa" (B32, B32) by ["v_mul_i32_i24_sdwa v10, sext(v2), sext(v4) dst_sel:BYTE_2 dst_unused:UNUSED_SEXT src0_sel:BYTE_0 src1_sel:WORD_0"] = |x, y| {
        let product = i64::from(x as u8 as i8) * i16_of(y);
        word(i64::from(product as u8 as i8) << 16)
    };
    F32 "v_add_f32_sdwa" (F32, F32) by ["v_add_f32_sdwa v10, |v2|, -v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD"] = |x, y| b(f(x & 0x7fff_ffff) - f(y));
};
