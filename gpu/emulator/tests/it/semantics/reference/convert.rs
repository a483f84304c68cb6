//! Conversions.

use half::f16;

use super::{Vector, vectors};

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}
fn b(value: f32) -> u64 {
    u64::from(value.to_bits())
}
fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}
fn h(bits: u64) -> f32 {
    f16::from_bits(bits as u16).to_f32()
}
pub(super) fn to_half(value: f32) -> u64 {
    u64::from(f16::from_f32(value).to_bits())
}
/// Converts towards zero.
pub(super) fn to_half_down(value: f32) -> u64 {
    let nearest = f16::from_f32(value);
    let over = f64::from(nearest.to_f32()).abs() > f64::from(value).abs();
    u64::from(if over && value.is_finite() {
        nearest.to_bits() - 1
    } else {
        nearest.to_bits()
    })
}
fn i32_of(value: f64) -> u64 {
    u64::from(value as i32 as u32)
}
/// Maps -1 to 1 to the range of the type.
fn signed_normalised(value: f32) -> u64 {
    let scaled = (f64::from(value) * 32767.0).round_ties_even();
    (if value.is_nan() {
        0
    } else {
        scaled.clamp(-32767.0, 32767.0) as i16
    }) as u16 as u64
}
fn unsigned_normalised(value: f32) -> u64 {
    let scaled = (f64::from(value) * 65535.0).round_ties_even();
    if value.is_nan() {
        0
    } else {
        scaled.clamp(0.0, 65535.0) as u64
    }
}

pub(crate) static OPERATIONS: &[Vector] = vectors! {
    F32 "v_cvt_f32_i32" (B32) = |x| b(x as u32 as i32 as f32);
    F32 "v_cvt_f32_u32" (B32) = |x| b(x as u32 as f32);
    B32 "v_cvt_i32_f32" (F32) = |x| u64::from(f(x) as i32 as u32);
    B32 "v_cvt_u32_f32" (F32) = |x| u64::from(f(x) as u32);
    B32 "v_cvt_rpi_i32_f32" | "v_cvt_nearest_i32_f32" (F32) = |x| i32_of((f64::from(f(x)) + 0.5).floor());
    B32 "v_cvt_flr_i32_f32" | "v_cvt_floor_i32_f32" (F32) = |x| i32_of(f64::from(f(x)).floor());
    F16 "v_cvt_f16_f32" (F32) = |x| to_half(f(x));
    F32 "v_cvt_f32_f16" (F16) = |x| b(h(x));
    F64 "v_cvt_f64_f32" (F32) = |x| f64::from(f(x)).to_bits();
    F32 "v_cvt_f32_f64" (F64) = |x| b(d(x) as f32);
    F64 "v_cvt_f64_i32" (B32) = |x| f64::from(x as u32 as i32).to_bits();
    F64 "v_cvt_f64_u32" (B32) = |x| f64::from(x as u32).to_bits();
    B32 "v_cvt_i32_f64" (F64) = |x| u64::from(d(x) as i32 as u32);
    B32 "v_cvt_u32_f64" (F64) = |x| u64::from(d(x) as u32);
    F32 "v_cvt_f32_ubyte0" (B32) = |x| b((x & 0xff) as f32);
    F32 "v_cvt_f32_ubyte1" (B32) = |x| b(((x >> 8) & 0xff) as f32);
    F32 "v_cvt_f32_ubyte2" (B32) = |x| b(((x >> 16) & 0xff) as f32);
    F32 "v_cvt_f32_ubyte3" (B32) = |x| b(((x >> 24) & 0xff) as f32);
    F32 "v_cvt_off_f32_i4" (B32) = |x| b(((x & 15) as f32 - if x & 8 != 0 { 16.0 } else { 0.0 }) / 16.0);
    F16 "v_cvt_f16_u16" (B16) = |x| to_half(x as f32);
    F16 "v_cvt_f16_i16" (B16) = |x| to_half(f32::from(x as u16 as i16));
    B16 "v_cvt_u16_f16" (F16) = |x| u64::from(h(x) as u16);
    B16 "v_cvt_i16_f16" (F16) = |x| h(x) as i16 as u16 as u64;
    B16 "v_cvt_norm_i16_f16" (F16) = |x| signed_normalised(h(x));
    B16 "v_cvt_norm_u16_f16" (F16) = |x| unsigned_normalised(h(x));
    B32 "v_cvt_i32_i16" (B16) = |x| u64::from(i32::from(x as u16 as i16) as u32);
    B32 "v_cvt_u32_u16" (B16) = |x| x;
    B32 "v_cvt_pkrtz_f16_f32" | "v_cvt_pk_rtz_f16_f32" (F32, F32) = |x, y| to_half_down(f(x)) | (to_half_down(f(y)) << 16);
    B32 "v_cvt_pknorm_i16_f32" | "v_cvt_pk_norm_i16_f32" (F32, F32) = |x, y| signed_normalised(f(x)) | (signed_normalised(f(y)) << 16);
    B32 "v_cvt_pknorm_u16_f32" | "v_cvt_pk_norm_u16_f32" (F32, F32) = |x, y| unsigned_normalised(f(x)) | (unsigned_normalised(f(y)) << 16);
    B32 "v_cvt_pknorm_i16_f16" | "v_cvt_pk_norm_i16_f16" (F16, F16) = |x, y| signed_normalised(h(x)) | (signed_normalised(h(y)) << 16);
    B32 "v_cvt_pknorm_u16_f16" | "v_cvt_pk_norm_u16_f16" (F16, F16) = |x, y| unsigned_normalised(h(x)) | (unsigned_normalised(h(y)) << 16);
    B32 "v_cvt_pk_u16_u32" (B32, B32) = |x, y| x.min(0xffff) | (y.min(0xffff) << 16);
    B32 "v_cvt_pk_i16_i32" (B32, B32) = |x, y| {
        let one = |value: u64| (value as u32 as i32).clamp(-32768, 32767) as i16 as u16 as u64;
        one(x) | (one(y) << 16)
    };
    B32 "v_cvt_pk_i16_f32" (F32, F32) = |x, y| u64::from(f(x) as i16 as u16) | (u64::from(f(y) as i16 as u16) << 16);
    B32 "v_cvt_pk_u16_f32" (F32, F32) = |x, y| u64::from(f(x) as u16) | (u64::from(f(y) as u16) << 16);
    B32 "v_cvt_pk_u8_f32" (F32, B32, B32) = |x, y, z| {
        let byte = f(x).round_ties_even().clamp(0.0, 255.0) as u8;
        let shift = 8 * (y & 3);
        (z & !(0xff << shift)) | (u64::from(byte) << shift)
    };
};
