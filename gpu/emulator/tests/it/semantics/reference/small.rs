//! Floats of 16 and of 8 bits in place of singles: bfloat16, fp8 (4 exponent bits) and bf8 (5).
//!
//! The 8-bit formats are those of the Open Compute Project, except on gfx942. There the bias is
//! one more, 0x80 is the only NaN, and there is no infinity (CDNA 3 manual, 7.2).

use emulator::Isa;

use super::convert::to_half;
use super::dot::bfloat_bits;
use super::{Lane, Left, Vector, lane_vectors, vectors};

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}
fn b(value: f32) -> u64 {
    u64::from(value.to_bits())
}

/// A format of 8 bits on an instruction set.
#[derive(Clone, Copy)]
struct Byte {
    fraction: u32,
    unsigned_zero: bool,
}

impl Byte {
    fn fp8(isa: Isa) -> Byte {
        Byte {
            fraction: 3,
            unsigned_zero: isa == Isa::Gfx942,
        }
    }
    fn bf8(isa: Isa) -> Byte {
        Byte {
            fraction: 2,
            unsigned_zero: isa == Isa::Gfx942,
        }
    }

    /// Returns the value of a code.
    fn value(self, code: u64) -> f64 {
        let sign = if code & 0x80 != 0 { -1.0 } else { 1.0 };
        let (exponent, fraction) = (
            (code & 0x7f) >> self.fraction,
            code & ((1 << self.fraction) - 1),
        );
        let most = 0x7f >> self.fraction;
        match (self.unsigned_zero, self.fraction) {
            (true, _) if code == 0x80 => return f64::NAN,
            (false, 3) if code & 0x7f == 0x7f => return f64::NAN,
            (false, 2) if exponent == most && fraction == 0 => return sign * f64::INFINITY,
            (false, 2) if exponent == most => return f64::NAN,
            _ => {}
        }
        let bias = (1 << (6 - self.fraction)) - 1 + i32::from(self.unsigned_zero);
        let part = fraction as f64 / f64::from(1 << self.fraction);
        let (whole, power) = if exponent == 0 {
            (part, 1)
        } else {
            (1.0 + part, exponent as i32)
        };
        sign * whole * 2f64.powi(power - bias)
    }

    /// Returns the code of the nearest number, with ties to even; beyond the numbers, that of
    /// infinity or NaN.
    fn nearest(self, value: f32) -> u64 {
        let sign = if value.is_sign_negative() { 0x80 } else { 0 };
        let not_a_number = if self.unsigned_zero {
            0x80
        } else {
            sign | 0x7f
        };
        if value.is_nan() {
            return not_a_number;
        }
        let magnitude = f64::from(value).abs();
        let last = (0..0x80)
            .filter(|code| self.value(*code).is_finite())
            .max()
            .unwrap_or(0);
        // Values nearer to the next code, if it were a number, are too large; so is a tie to an
        // even one.
        let step = self.value(last) - self.value(last - 1);
        let edge = self.value(last) + step / 2.0;
        if magnitude > edge || (magnitude == edge && last & 1 == 1) {
            let infinite = !self.unsigned_zero && self.fraction == 2;
            return if infinite { sign | 0x7c } else { not_a_number };
        }
        let distance = |code: u64| (self.value(code) - magnitude).abs();
        let code = (0..=last)
            .min_by(|x, y| {
                distance(*x)
                    .total_cmp(&distance(*y))
                    .then((x & 1).cmp(&(y & 1)))
            })
            .unwrap_or(0);
        if self.unsigned_zero && code == 0 {
            0
        } else {
            sign | code
        }
    }

    /// Returns a single from byte `index` of a register.
    fn single(self, x: u64, index: u32) -> u64 {
        b(self.value((x >> (8 * index)) & 0xff) as f32)
    }
    /// Returns two singles from half `index`.
    fn singles(self, x: u64, index: u32) -> u64 {
        self.single(x, 2 * index) | (self.single(x, 2 * index + 1) << 32)
    }
    fn pair(self, lane: &Lane) -> u64 {
        self.nearest(f(lane.from[0])) | (self.nearest(f(lane.from[1])) << 8)
    }
}

fn left(lane: &Lane, to: u64) -> Left {
    Left { to, vcc: lane.vcc }
}
/// Puts the result into the upper half of the destination.
fn upper(lane: &Lane, half: u64) -> Left {
    left(lane, (lane.old & 0xffff) | (half << 16))
}

pub(crate) static OPERATIONS: &[Vector] = vectors! {
    F32 "v_cvt_f32_bf16" (BF16) = |x| (x & 0xffff) << 16;
    PBF16 "v_cvt_pk_bf16_f32" (F32, F32) = |x, y| bfloat_bits(f(x)) | (bfloat_bits(f(y)) << 16);
    PF16 "v_cvt_pk_f16_f32" (F32, F32) = |x, y| to_half(f(x)) | (to_half(f(y)) << 16);
};

pub(crate) static LANES: &[Vector] = lane_vectors! {
    F32 "v_cvt_f32_fp8" (B32) Plain = |lane| left(lane, Byte::fp8(lane.isa).single(lane.from[0], 0));
    F32 "v_cvt_f32_bf8" (B32) Plain = |lane| left(lane, Byte::bf8(lane.isa).single(lane.from[0], 0));
    F32 "v_cvt_f32_fp8" (B32) Plain with " byte_sel:1" = |lane| left(lane, Byte::fp8(lane.isa).single(lane.from[0], 1));
    F32 "v_cvt_f32_bf8" (B32) Plain with " byte_sel:2" = |lane| left(lane, Byte::bf8(lane.isa).single(lane.from[0], 2));
    F32 "v_cvt_f32_bf8" (B32) Plain with " byte_sel:3" = |lane| left(lane, Byte::bf8(lane.isa).single(lane.from[0], 3));
    F32 "v_cvt_f32_fp8_sdwa" (B32) Plain with " src0_sel:BYTE_1" = |lane| left(lane, Byte::fp8(lane.isa).single(lane.from[0], 1));
    F32 "v_cvt_f32_bf8_sdwa" (B32) Plain with " src0_sel:BYTE_3" = |lane| left(lane, Byte::bf8(lane.isa).single(lane.from[0], 3));
    PF32 "v_cvt_pk_f32_fp8" (B16) Plain = |lane| left(lane, Byte::fp8(lane.isa).singles(lane.from[0], 0));
    PF32 "v_cvt_pk_f32_bf8" (B16) Plain = |lane| left(lane, Byte::bf8(lane.isa).singles(lane.from[0], 0));
    PF32 "v_cvt_pk_f32_fp8" (B32) Plain with " op_sel:[1,0]" = |lane| left(lane, Byte::fp8(lane.isa).singles(lane.from[0], 1));
    PF32 "v_cvt_pk_f32_bf8" (B32) Plain with " op_sel:[1,0]" = |lane| left(lane, Byte::bf8(lane.isa).singles(lane.from[0], 1));
    PF32 "v_cvt_pk_f32_fp8_sdwa" (B32) Plain with " src0_sel:WORD_1" = |lane| left(lane, Byte::fp8(lane.isa).singles(lane.from[0], 1));
    PF32 "v_cvt_pk_f32_bf8_sdwa" (B32) Plain with " src0_sel:WORD_1" = |lane| left(lane, Byte::bf8(lane.isa).singles(lane.from[0], 1));
    B16 "v_cvt_pk_fp8_f32" (F32, F32) Plain = |lane| left(lane, Byte::fp8(lane.isa).pair(lane));
    B16 "v_cvt_pk_bf8_f32" (F32, F32) Plain = |lane| left(lane, Byte::bf8(lane.isa).pair(lane));
    B32 "v_cvt_pk_fp8_f32" (F32, F32) Plain with " op_sel:[0,0,1]" = |lane| upper(lane, Byte::fp8(lane.isa).pair(lane));
    B32 "v_cvt_pk_bf8_f32" (F32, F32) Plain with " op_sel:[0,0,1]" = |lane| upper(lane, Byte::bf8(lane.isa).pair(lane));
};
