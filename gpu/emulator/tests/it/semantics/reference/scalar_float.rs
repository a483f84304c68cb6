//! Floats of the scalar unit (gfx11.5 and later), and the vector unit's approximate functions of
//! one value. A half in a scalar register is its low half; the other half of a result is 0.

use super::compare::{number, related};
use super::convert::{to_half, to_half_down};
use super::float::{F16, F32};
use super::half::{b as half_bits, f as half, fused};
use super::scalar::{Left, Scalar};
use super::single::approximated;
use super::{Match, accuracy};
use crate::semantics::values::Kind;

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}
fn b(value: f32) -> u64 {
    u64::from(value.to_bits())
}
fn low(value: u64) -> u64 {
    value & 0xffff
}
fn fma(x: u64, y: u64, z: u64) -> u64 {
    b(f(x).mul_add(f(y), f(z)))
}

/// Defines `SOURCES -> RESULT NAME [registers of the sources] = |a, b, old| bits;`; the condition
/// code stays.
macro_rules! floats {
    ($($source:ident -> $result:ident $name:literal [$($from:literal),*] $(within $accuracy:ident($bound:literal))? = |$($p:ident),+| $value:expr;)*) => {
        &[$(Scalar {
            names: &[$name],
            to: 1,
            from: &[$($from),*],
            source: Kind::$source,
            result: Kind::$result,
            accuracy: accuracy!($($accuracy($bound))?),
            value: |x| {
                let [$($p,)+ ..] = [x.a, x.b, x.old & 0xffff_ffff, 0];
                let to: u64 = $value;
                Left { to, scc: x.scc, exec: x.exec }
            },
        }),*]
    };
}

/// Defines `s_cmp_X_T` of a type.
macro_rules! comparisons {
    ($type:literal $kind:ident) => {
        comparisons! { $type $kind: "lt" "eq" "le" "gt" "lg" "ge" "o" "u" "nge" "nlg" "ngt" "nle" "neq" "nlt" }
    };
    ($type:literal $kind:ident: $($relation:literal)+) => {
        &[$(Scalar {
            names: &[concat!("s_cmp_", $relation, "_", $type)],
            to: 0,
            from: &[1, 1],
            source: Kind::$kind,
            result: Kind::B32,
            accuracy: Match::Exact,
            value: |x| Left {
                to: x.old,
                scc: related($relation, number($kind, x.a), number($kind, x.b)),
                exec: x.exec,
            },
        }),+]
    };
}

/// The constant of a multiply-add: pi.
const PI: u64 = 0x4049_0fdb;

pub(crate) static COMPARISONS: [&[Scalar]; 2] = [comparisons!("f16" F16), comparisons!("f32" F32)];

pub(crate) static OPERATIONS: &[Scalar] = floats! {
    F32 -> F32 "s_add_f32" [1, 1] = |x, y| b(f(x) + f(y));
    F32 -> F32 "s_sub_f32" [1, 1] = |x, y| b(f(x) - f(y));
    F32 -> F32 "s_mul_f32" [1, 1] = |x, y| b(f(x) * f(y));
    F32 -> F32 "s_fmac_f32" [1, 1] = |x, y, old| fma(x, y, old);
    F32 -> F32 "s_fmaak_f32" [1, 1] = |x, y| fma(x, y, PI);
    F32 -> F32 "s_fmamk_f32" [1, 1] = |x, y| fma(x, PI, y);
    F32 -> F32 "s_min_f32" [1, 1] = |x, y| F32.extreme(x, y, false);
    F32 -> F32 "s_max_f32" [1, 1] = |x, y| F32.extreme(x, y, true);
    F32 -> F32 "s_min_num_f32" [1, 1] = |x, y| F32.number(x, y, false);
    F32 -> F32 "s_max_num_f32" [1, 1] = |x, y| F32.number(x, y, true);
    F32 -> F32 "s_minimum_f32" [1, 1] = |x, y| F32.propagating(x, y, false);
    F32 -> F32 "s_maximum_f32" [1, 1] = |x, y| F32.propagating(x, y, true);
    F32 -> F32 "s_ceil_f32" [1] = |x| b(f(x).ceil());
    F32 -> F32 "s_floor_f32" [1] = |x| b(f(x).floor());
    F32 -> F32 "s_trunc_f32" [1] = |x| b(f(x).trunc());
    F32 -> F32 "s_rndne_f32" [1] = |x| b(f(x).round_ties_even());

    F16 -> F16 "s_add_f16" [1, 1] = |x, y| half_bits(half(x) + half(y));
    F16 -> F16 "s_sub_f16" [1, 1] = |x, y| half_bits(half(x) - half(y));
    F16 -> F16 "s_mul_f16" [1, 1] = |x, y| half_bits(half(x) * half(y));
    F16 -> F16 "s_fmac_f16" [1, 1] = |x, y, old| fused(x, y, old);
    F16 -> F16 "s_min_f16" [1, 1] = |x, y| F16.extreme(low(x), low(y), false);
    F16 -> F16 "s_max_f16" [1, 1] = |x, y| F16.extreme(low(x), low(y), true);
    F16 -> F16 "s_min_num_f16" [1, 1] = |x, y| F16.number(low(x), low(y), false);
    F16 -> F16 "s_max_num_f16" [1, 1] = |x, y| F16.number(low(x), low(y), true);
    F16 -> F16 "s_minimum_f16" [1, 1] = |x, y| F16.propagating(low(x), low(y), false);
    F16 -> F16 "s_maximum_f16" [1, 1] = |x, y| F16.propagating(low(x), low(y), true);
    F16 -> F16 "s_ceil_f16" [1] = |x| half_bits(half(x).ceil());
    F16 -> F16 "s_floor_f16" [1] = |x| half_bits(half(x).floor());
    F16 -> F16 "s_trunc_f16" [1] = |x| half_bits(half(x).trunc());
    F16 -> F16 "s_rndne_f16" [1] = |x| half_bits(half(x).round_ties_even());

    B32 -> F32 "s_cvt_f32_i32" [1] = |x| b(x as u32 as i32 as f32);
    B32 -> F32 "s_cvt_f32_u32" [1] = |x| b(x as u32 as f32);
    F32 -> B32 "s_cvt_i32_f32" [1] = |x| u64::from(f(x) as i32 as u32);
    F32 -> B32 "s_cvt_u32_f32" [1] = |x| u64::from(f(x) as u32);
    F32 -> F16 "s_cvt_f16_f32" [1] = |x| to_half(f(x));
    F32 -> PF16 "s_cvt_pk_rtz_f16_f32" [1, 1] = |x, y| to_half_down(f(x)) | (to_half_down(f(y)) << 16);
    F16 -> F32 "s_cvt_f32_f16" [1] = |x| b(half(x) as f32);
    PF16 -> F32 "s_cvt_hi_f32_f16" [1] = |x| b(half(x >> 16) as f32);

    F32 -> F32 "v_s_exp_f32" [1] within Ulp(1) = |x| approximated(x, f64::exp2);
    F32 -> F32 "v_s_log_f32" [1] within Ulp(1) = |x| approximated(x, f64::log2);
    F32 -> F32 "v_s_rcp_f32" [1] within Ulp(1) = |x| approximated(x, f64::recip);
    F32 -> F32 "v_s_rsq_f32" [1] within Ulp(1) = |x| approximated(x, |x| 1.0 / x.sqrt());
    F32 -> F32 "v_s_sqrt_f32" [1] within Ulp(1) = |x| approximated(x, f64::sqrt);
    F16 -> F16 "v_s_exp_f16" [1] within Ulp(1) = |x| half_bits(half(x).exp2());
    F16 -> F16 "v_s_log_f16" [1] within Ulp(1) = |x| half_bits(half(x).log2());
    F16 -> F16 "v_s_rcp_f16" [1] within Ulp(1) = |x| half_bits(1.0 / half(x));
    F16 -> F16 "v_s_rsq_f16" [1] within Ulp(1) = |x| half_bits(1.0 / half(x).sqrt());
    F16 -> F16 "v_s_sqrt_f16" [1] within Ulp(1) = |x| half_bits(half(x).sqrt());
};
