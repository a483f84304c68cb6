//! Comparisons.
#![expect(
    clippy::neg_cmp_op_on_partial_ord,
    reason = "not greater and less or unordered are one"
)]

use super::float::{F16, F32, F64, Format};
use super::{Left, Vector, lane_vectors};

fn number(format: Format, bits: u64) -> f64 {
    match format.bits {
        16 => half::f16::from_bits(bits as u16).to_f64(),
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}
/// A bit for each class: signalling and quiet NaN, -infinity, -normal, -denormal, -0, +0, +denormal, +normal, +infinity.
fn class(format: Format, bits: u64) -> u64 {
    let (magnitude, negative) = (format.magnitude(bits), bits & format.sign() != 0);
    let infinity = (format.sign() - 1) & !((1u64 << format.fraction) - 1);
    let index = if magnitude > infinity {
        return if bits & (1 << (format.fraction - 1)) == 0 {
            1
        } else {
            2
        };
    } else if magnitude == infinity {
        2
    } else if magnitude >= 1 << format.fraction {
        3
    } else if magnitude > 0 {
        4
    } else {
        5
    };
    1 << if negative { index } else { 11 - index }
}

/// `v_cmp_X_T` and `v_cmpx_X_T` of one type and relation.
macro_rules! both {
    ($($kind:ident $compare:literal $(| $also:literal)* , $with:literal $(| $with_also:literal)* = |$x:ident, $y:ident| $truth:expr;)*) => {
        lane_vectors! {
            $(
                B32 $compare $(| $also)* ($kind, $kind) Compare = |lane| {
                    let [$x, $y, _] = lane.from;
                    Left { to: lane.old, vcc: $truth }
                };
                B32 $with $(| $with_also)* ($kind, $kind) CompareExec = |lane| {
                    let [$x, $y, _] = lane.from;
                    Left { to: lane.old, vcc: $truth }
                };
            )*
            B32 "v_cmp_class_f32" (F32, B32) Compare = |lane| Left { to: lane.old, vcc: class(F32, lane.from[0]) & lane.from[1] != 0 };
            B32 "v_cmp_class_f64" (F64, B32) Compare = |lane| Left { to: lane.old, vcc: class(F64, lane.from[0]) & lane.from[1] != 0 };
            B32 "v_cmp_class_f16" (F16, B16) Compare = |lane| Left { to: lane.old, vcc: class(F16, lane.from[0]) & lane.from[1] != 0 };
            B32 "v_cmpx_class_f32" (F32, B32) CompareExec = |lane| Left { to: lane.old, vcc: class(F32, lane.from[0]) & lane.from[1] != 0 };
            B32 "v_cmpx_class_f64" (F64, B32) CompareExec = |lane| Left { to: lane.old, vcc: class(F64, lane.from[0]) & lane.from[1] != 0 };
            B32 "v_cmpx_class_f16" (F16, B16) CompareExec = |lane| Left { to: lane.old, vcc: class(F16, lane.from[0]) & lane.from[1] != 0 };
        }
    };
}

fn i16_of(value: u64) -> i16 {
    value as u16 as i16
}
fn i32_of(value: u64) -> i32 {
    value as u32 as i32
}
fn i64_of(value: u64) -> i64 {
    value as i64
}
fn same(value: u64) -> u64 {
    value
}

pub(crate) static OPERATIONS: &[Vector] = both! {
    B16 "v_cmp_lt_i16", "v_cmpx_lt_i16" = |x, y| i16_of(x) < i16_of(y);
    B16 "v_cmp_eq_i16", "v_cmpx_eq_i16" = |x, y| i16_of(x) == i16_of(y);
    B16 "v_cmp_le_i16", "v_cmpx_le_i16" = |x, y| i16_of(x) <= i16_of(y);
    B16 "v_cmp_gt_i16", "v_cmpx_gt_i16" = |x, y| i16_of(x) > i16_of(y);
    B16 "v_cmp_ne_i16", "v_cmpx_ne_i16" = |x, y| i16_of(x) != i16_of(y);
    B16 "v_cmp_ge_i16", "v_cmpx_ge_i16" = |x, y| i16_of(x) >= i16_of(y);
    B16 "v_cmp_f_i16", "v_cmpx_f_i16" = |_x, _y| false;
    B16 "v_cmp_t_i16", "v_cmpx_t_i16" = |_x, _y| true;
    B16 "v_cmp_lt_u16", "v_cmpx_lt_u16" = |x, y| same(x) < same(y);
    B16 "v_cmp_eq_u16", "v_cmpx_eq_u16" = |x, y| same(x) == same(y);
    B16 "v_cmp_le_u16", "v_cmpx_le_u16" = |x, y| same(x) <= same(y);
    B16 "v_cmp_gt_u16", "v_cmpx_gt_u16" = |x, y| same(x) > same(y);
    B16 "v_cmp_ne_u16", "v_cmpx_ne_u16" = |x, y| same(x) != same(y);
    B16 "v_cmp_ge_u16", "v_cmpx_ge_u16" = |x, y| same(x) >= same(y);
    B16 "v_cmp_f_u16", "v_cmpx_f_u16" = |_x, _y| false;
    B16 "v_cmp_t_u16", "v_cmpx_t_u16" = |_x, _y| true;
    B32 "v_cmp_lt_i32", "v_cmpx_lt_i32" = |x, y| i32_of(x) < i32_of(y);
    B32 "v_cmp_eq_i32", "v_cmpx_eq_i32" = |x, y| i32_of(x) == i32_of(y);
    B32 "v_cmp_le_i32", "v_cmpx_le_i32" = |x, y| i32_of(x) <= i32_of(y);
    B32 "v_cmp_gt_i32", "v_cmpx_gt_i32" = |x, y| i32_of(x) > i32_of(y);
    B32 "v_cmp_ne_i32", "v_cmpx_ne_i32" = |x, y| i32_of(x) != i32_of(y);
    B32 "v_cmp_ge_i32", "v_cmpx_ge_i32" = |x, y| i32_of(x) >= i32_of(y);
    B32 "v_cmp_f_i32", "v_cmpx_f_i32" = |_x, _y| false;
    B32 "v_cmp_t_i32", "v_cmpx_t_i32" = |_x, _y| true;
    B32 "v_cmp_lt_u32", "v_cmpx_lt_u32" = |x, y| same(x) < same(y);
    B32 "v_cmp_eq_u32", "v_cmpx_eq_u32" = |x, y| same(x) == same(y);
    B32 "v_cmp_le_u32", "v_cmpx_le_u32" = |x, y| same(x) <= same(y);
    B32 "v_cmp_gt_u32", "v_cmpx_gt_u32" = |x, y| same(x) > same(y);
    B32 "v_cmp_ne_u32", "v_cmpx_ne_u32" = |x, y| same(x) != same(y);
    B32 "v_cmp_ge_u32", "v_cmpx_ge_u32" = |x, y| same(x) >= same(y);
    B32 "v_cmp_f_u32", "v_cmpx_f_u32" = |_x, _y| false;
    B32 "v_cmp_t_u32", "v_cmpx_t_u32" = |_x, _y| true;
    B64 "v_cmp_lt_i64", "v_cmpx_lt_i64" = |x, y| i64_of(x) < i64_of(y);
    B64 "v_cmp_eq_i64", "v_cmpx_eq_i64" = |x, y| i64_of(x) == i64_of(y);
    B64 "v_cmp_le_i64", "v_cmpx_le_i64" = |x, y| i64_of(x) <= i64_of(y);
    B64 "v_cmp_gt_i64", "v_cmpx_gt_i64" = |x, y| i64_of(x) > i64_of(y);
    B64 "v_cmp_ne_i64", "v_cmpx_ne_i64" = |x, y| i64_of(x) != i64_of(y);
    B64 "v_cmp_ge_i64", "v_cmpx_ge_i64" = |x, y| i64_of(x) >= i64_of(y);
    B64 "v_cmp_f_i64", "v_cmpx_f_i64" = |_x, _y| false;
    B64 "v_cmp_t_i64", "v_cmpx_t_i64" = |_x, _y| true;
    B64 "v_cmp_lt_u64", "v_cmpx_lt_u64" = |x, y| same(x) < same(y);
    B64 "v_cmp_eq_u64", "v_cmpx_eq_u64" = |x, y| same(x) == same(y);
    B64 "v_cmp_le_u64", "v_cmpx_le_u64" = |x, y| same(x) <= same(y);
    B64 "v_cmp_gt_u64", "v_cmpx_gt_u64" = |x, y| same(x) > same(y);
    B64 "v_cmp_ne_u64", "v_cmpx_ne_u64" = |x, y| same(x) != same(y);
    B64 "v_cmp_ge_u64", "v_cmpx_ge_u64" = |x, y| same(x) >= same(y);
    B64 "v_cmp_f_u64", "v_cmpx_f_u64" = |_x, _y| false;
    B64 "v_cmp_t_u64", "v_cmpx_t_u64" = |_x, _y| true;
    F16 "v_cmp_lt_f16", "v_cmpx_lt_f16" = |x, y| number(F16, x) < number(F16, y);
    F16 "v_cmp_eq_f16", "v_cmpx_eq_f16" = |x, y| number(F16, x) == number(F16, y);
    F16 "v_cmp_le_f16", "v_cmpx_le_f16" = |x, y| number(F16, x) <= number(F16, y);
    F16 "v_cmp_gt_f16", "v_cmpx_gt_f16" = |x, y| number(F16, x) > number(F16, y);
    F16 "v_cmp_lg_f16", "v_cmpx_lg_f16" = |x, y| number(F16, x) < number(F16, y) || number(F16, x) > number(F16, y);
    F16 "v_cmp_ge_f16", "v_cmpx_ge_f16" = |x, y| number(F16, x) >= number(F16, y);
    F16 "v_cmp_o_f16", "v_cmpx_o_f16" = |x, y| !number(F16, x).is_nan() && !number(F16, y).is_nan();
    F16 "v_cmp_u_f16", "v_cmpx_u_f16" = |x, y| number(F16, x).is_nan() || number(F16, y).is_nan();
    F16 "v_cmp_nge_f16", "v_cmpx_nge_f16" = |x, y| !(number(F16, x) >= number(F16, y));
    F16 "v_cmp_nlg_f16", "v_cmpx_nlg_f16" = |x, y| !(number(F16, x) < number(F16, y) || number(F16, x) > number(F16, y));
    F16 "v_cmp_ngt_f16", "v_cmpx_ngt_f16" = |x, y| !(number(F16, x) > number(F16, y));
    F16 "v_cmp_nle_f16", "v_cmpx_nle_f16" = |x, y| !(number(F16, x) <= number(F16, y));
    F16 "v_cmp_neq_f16", "v_cmpx_neq_f16" = |x, y| number(F16, x) != number(F16, y);
    F16 "v_cmp_nlt_f16", "v_cmpx_nlt_f16" = |x, y| !(number(F16, x) < number(F16, y));
    F16 "v_cmp_f_f16", "v_cmpx_f_f16" = |_x, _y| false;
    F16 "v_cmp_tru_f16" | "v_cmp_t_f16", "v_cmpx_tru_f16" | "v_cmpx_t_f16" = |_x, _y| true;
    F32 "v_cmp_lt_f32", "v_cmpx_lt_f32" = |x, y| number(F32, x) < number(F32, y);
    F32 "v_cmp_eq_f32", "v_cmpx_eq_f32" = |x, y| number(F32, x) == number(F32, y);
    F32 "v_cmp_le_f32", "v_cmpx_le_f32" = |x, y| number(F32, x) <= number(F32, y);
    F32 "v_cmp_gt_f32", "v_cmpx_gt_f32" = |x, y| number(F32, x) > number(F32, y);
    F32 "v_cmp_lg_f32", "v_cmpx_lg_f32" = |x, y| number(F32, x) < number(F32, y) || number(F32, x) > number(F32, y);
    F32 "v_cmp_ge_f32", "v_cmpx_ge_f32" = |x, y| number(F32, x) >= number(F32, y);
    F32 "v_cmp_o_f32", "v_cmpx_o_f32" = |x, y| !number(F32, x).is_nan() && !number(F32, y).is_nan();
    F32 "v_cmp_u_f32", "v_cmpx_u_f32" = |x, y| number(F32, x).is_nan() || number(F32, y).is_nan();
    F32 "v_cmp_nge_f32", "v_cmpx_nge_f32" = |x, y| !(number(F32, x) >= number(F32, y));
    F32 "v_cmp_nlg_f32", "v_cmpx_nlg_f32" = |x, y| !(number(F32, x) < number(F32, y) || number(F32, x) > number(F32, y));
    F32 "v_cmp_ngt_f32", "v_cmpx_ngt_f32" = |x, y| !(number(F32, x) > number(F32, y));
    F32 "v_cmp_nle_f32", "v_cmpx_nle_f32" = |x, y| !(number(F32, x) <= number(F32, y));
    F32 "v_cmp_neq_f32", "v_cmpx_neq_f32" = |x, y| number(F32, x) != number(F32, y);
    F32 "v_cmp_nlt_f32", "v_cmpx_nlt_f32" = |x, y| !(number(F32, x) < number(F32, y));
    F32 "v_cmp_f_f32", "v_cmpx_f_f32" = |_x, _y| false;
    F32 "v_cmp_tru_f32" | "v_cmp_t_f32", "v_cmpx_tru_f32" | "v_cmpx_t_f32" = |_x, _y| true;
    F64 "v_cmp_lt_f64", "v_cmpx_lt_f64" = |x, y| number(F64, x) < number(F64, y);
    F64 "v_cmp_eq_f64", "v_cmpx_eq_f64" = |x, y| number(F64, x) == number(F64, y);
    F64 "v_cmp_le_f64", "v_cmpx_le_f64" = |x, y| number(F64, x) <= number(F64, y);
    F64 "v_cmp_gt_f64", "v_cmpx_gt_f64" = |x, y| number(F64, x) > number(F64, y);
    F64 "v_cmp_lg_f64", "v_cmpx_lg_f64" = |x, y| number(F64, x) < number(F64, y) || number(F64, x) > number(F64, y);
    F64 "v_cmp_ge_f64", "v_cmpx_ge_f64" = |x, y| number(F64, x) >= number(F64, y);
    F64 "v_cmp_o_f64", "v_cmpx_o_f64" = |x, y| !number(F64, x).is_nan() && !number(F64, y).is_nan();
    F64 "v_cmp_u_f64", "v_cmpx_u_f64" = |x, y| number(F64, x).is_nan() || number(F64, y).is_nan();
    F64 "v_cmp_nge_f64", "v_cmpx_nge_f64" = |x, y| !(number(F64, x) >= number(F64, y));
    F64 "v_cmp_nlg_f64", "v_cmpx_nlg_f64" = |x, y| !(number(F64, x) < number(F64, y) || number(F64, x) > number(F64, y));
    F64 "v_cmp_ngt_f64", "v_cmpx_ngt_f64" = |x, y| !(number(F64, x) > number(F64, y));
    F64 "v_cmp_nle_f64", "v_cmpx_nle_f64" = |x, y| !(number(F64, x) <= number(F64, y));
    F64 "v_cmp_neq_f64", "v_cmpx_neq_f64" = |x, y| number(F64, x) != number(F64, y);
    F64 "v_cmp_nlt_f64", "v_cmpx_nlt_f64" = |x, y| !(number(F64, x) < number(F64, y));
    F64 "v_cmp_f_f64", "v_cmpx_f_f64" = |_x, _y| false;
    F64 "v_cmp_tru_f64" | "v_cmp_t_f64", "v_cmpx_tru_f64" | "v_cmpx_t_f64" = |_x, _y| true;
};
