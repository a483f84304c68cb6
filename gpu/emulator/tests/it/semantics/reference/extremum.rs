//! The minimum and maximum of IEEE 754-2019: of numbers, and with NaN propagation.

use super::float::{F16, F32, F64, Format};
use super::packed::{each, each3};
use super::{Vector, vectors};

pub(crate) static OPERATIONS: &[Vector] = vectors! {
    F64 "v_min_num_f64" (F64, F64) = |x, y| F64.number(x, y, false);
    F64 "v_max_num_f64" (F64, F64) = |x, y| F64.number(x, y, true);
    F64 "v_minimum_f64" (F64, F64) = |x, y| F64.propagating(x, y, false);
    F64 "v_maximum_f64" (F64, F64) = |x, y| F64.propagating(x, y, true);
    F32 "v_min_num_f32" (F32, F32) = |x, y| F32.number(x, y, false);
    F32 "v_max_num_f32" (F32, F32) = |x, y| F32.number(x, y, true);
    F32 "v_minimum_f32" (F32, F32) = |x, y| F32.propagating(x, y, false);
    F32 "v_maximum_f32" (F32, F32) = |x, y| F32.propagating(x, y, true);
    F16 "v_min_num_f16" (F16, F16) = |x, y| F16.number(x, y, false);
    F16 "v_max_num_f16" (F16, F16) = |x, y| F16.number(x, y, true);
    F16 "v_minimum_f16" (F16, F16) = |x, y| F16.propagating(x, y, false);
    F16 "v_maximum_f16" (F16, F16) = |x, y| F16.propagating(x, y, true);
    F32 "v_min3_num_f32" (F32, F32, F32) = |x, y, z| F32.number(F32.number(x, y, false), z, false);
    F32 "v_max3_num_f32" (F32, F32, F32) = |x, y, z| F32.number(F32.number(x, y, true), z, true);
    F32 "v_med3_num_f32" (F32, F32, F32) = |x, y, z| F32.median([x, y, z], Format::number);
    F32 "v_minmax_num_f32" (F32, F32, F32) = |x, y, z| F32.number(F32.number(x, y, false), z, true);
    F32 "v_maxmin_num_f32" (F32, F32, F32) = |x, y, z| F32.number(F32.number(x, y, true), z, false);
    F32 "v_minimum3_f32" (F32, F32, F32) = |x, y, z| F32.propagating(F32.propagating(x, y, false), z, false);
    F32 "v_maximum3_f32" (F32, F32, F32) = |x, y, z| F32.propagating(F32.propagating(x, y, true), z, true);
    F32 "v_minimummaximum_f32" (F32, F32, F32) = |x, y, z| F32.propagating(F32.propagating(x, y, false), z, true);
    F32 "v_maximumminimum_f32" (F32, F32, F32) = |x, y, z| F32.propagating(F32.propagating(x, y, true), z, false);
    F16 "v_min3_num_f16" (F16, F16, F16) = |x, y, z| F16.number(F16.number(x, y, false), z, false);
    F16 "v_max3_num_f16" (F16, F16, F16) = |x, y, z| F16.number(F16.number(x, y, true), z, true);
    F16 "v_med3_num_f16" (F16, F16, F16) = |x, y, z| F16.median([x, y, z], Format::number);
    F16 "v_minmax_num_f16" (F16, F16, F16) = |x, y, z| F16.number(F16.number(x, y, false), z, true);
    F16 "v_maxmin_num_f16" (F16, F16, F16) = |x, y, z| F16.number(F16.number(x, y, true), z, false);
    F16 "v_minimum3_f16" (F16, F16, F16) = |x, y, z| F16.propagating(F16.propagating(x, y, false), z, false);
    F16 "v_maximum3_f16" (F16, F16, F16) = |x, y, z| F16.propagating(F16.propagating(x, y, true), z, true);
    F16 "v_minimummaximum_f16" (F16, F16, F16) = |x, y, z| F16.propagating(F16.propagating(x, y, false), z, true);
    F16 "v_maximumminimum_f16" (F16, F16, F16) = |x, y, z| F16.propagating(F16.propagating(x, y, true), z, false);
    PF16 "v_pk_min_num_f16" (PF16, PF16) = |x, y| each(x, y, |a, b| F16.number(a, b, false));
    PF16 "v_pk_max_num_f16" (PF16, PF16) = |x, y| each(x, y, |a, b| F16.number(a, b, true));
    PF16 "v_pk_minimum_f16" (PF16, PF16) = |x, y| each(x, y, |a, b| F16.propagating(a, b, false));
    PF16 "v_pk_maximum_f16" (PF16, PF16) = |x, y| each(x, y, |a, b| F16.propagating(a, b, true));
    PF16 "v_pk_minimum3_f16" (PF16, PF16, PF16) = |x, y, z| each3(x, y, z, |a, b, c| F16.propagating(F16.propagating(a, b, false), c, false));
    PF16 "v_pk_maximum3_f16" (PF16, PF16, PF16) = |x, y, z| each3(x, y, z, |a, b, c| F16.propagating(F16.propagating(a, b, true), c, true));
};
