//! Division: the instructions of the macro together give the quotient of IEEE 754, rounded once.
//!
//! Two of them are not compared alone. The manuals' pseudocode of V_DIV_SCALE and V_DIV_FMAS
//! gives incorrect quotients (see operation/divide.rs), but the hardware's are correct.

use super::float::{F16, F32, F64, Format};
use super::{Vector, sequences, vectors};

/// Returns the manuals' V_DIV_FIXUP: the quotient for special operands.
fn fixed_up(format: Format, [quotient, denominator, numerator]: [u64; 3]) -> u64 {
    let infinity = format.infinity();
    let sign = (denominator ^ numerator) & format.sign();
    let exponent = |value: u64| (format.magnitude(value) >> format.fraction) as i64;
    let (d, n) = (format.magnitude(denominator), format.magnitude(numerator));
    // Below this, the quotient is smaller than half of the smallest denormal.
    let least = -(exponent(infinity) / 2 + i64::from(format.fraction));
    if format.is_nan(numerator) {
        format.quiet(numerator)
    } else if format.is_nan(denominator) {
        format.quiet(denominator)
    } else if (d == 0 && n == 0) || (d == infinity && n == infinity) {
        format.quiet(infinity)
    } else if d == 0 || n == infinity {
        sign | infinity
    } else if d == infinity || n == 0 || (format.bits > 16 && exponent(n) - exponent(d) < least) {
        sign
    } else if format.bits > 16 && format.is_nan(quotient) {
        // No pseudocode covers this: a NaN of two numbers comes from an overflow on the way.
        sign | infinity
    } else {
        sign | format.magnitude(quotient)
    }
}

pub(crate) static OPERATIONS: &[Vector] = vectors! {
    F16 "v_div_fixup_f16" | "v_div_fixup_legacy_f16" (F16, F16, F16) = |x, y, z| fixed_up(F16, [x, y, z]);
    F32 "v_div_fixup_f32" (F32, F32, F32) = |x, y, z| fixed_up(F32, [x, y, z]);
    F64 "v_div_fixup_f64" (F64, F64, F64) = |x, y, z| fixed_up(F64, [x, y, z]);
};

/// v2 / v4 as compilers compute it: Newton's method improves the reciprocal, and the remainder
/// improves the quotient.
pub(crate) static QUOTIENTS: &[Vector] = sequences! {
    F32 "v_div_scale_f32" (F32, F32) by [
        "v_div_scale_f32 v14, VCC, v4, v4, v2",
        "v_div_scale_f32 v16, VCC, v2, v4, v2",
        "v_rcp_f32 v18, v14",
        "v_fma_f32 v20, -v14, v18, 1.0",
        "v_fma_f32 v18, v20, v18, v18",
        "v_mul_f32 v20, v16, v18",
        "v_fma_f32 v22, -v14, v20, v16",
        "v_fma_f32 v20, v22, v18, v20",
        "v_fma_f32 v22, -v14, v20, v16",
        "v_div_fmas_f32 v22, v22, v18, v20",
        "v_div_fixup_f32 v10, v22, v4, v2",
    ] = |x, y| u64::from((f32::from_bits(x as u32) / f32::from_bits(y as u32)).to_bits());
    F64 "v_div_scale_f64" (F64, F64) by [
        "v_div_scale_f64 v[14:15], VCC, v[4:5], v[4:5], v[2:3]",
        "v_rcp_f64 v[18:19], v[14:15]",
        "v_fma_f64 v[20:21], -v[14:15], v[18:19], 1.0",
        "v_fma_f64 v[18:19], v[18:19], v[20:21], v[18:19]",
        "v_fma_f64 v[20:21], -v[14:15], v[18:19], 1.0",
        "v_fma_f64 v[18:19], v[18:19], v[20:21], v[18:19]",
        "v_div_scale_f64 v[16:17], VCC, v[2:3], v[4:5], v[2:3]",
        "v_mul_f64 v[20:21], v[16:17], v[18:19]",
        "v_fma_f64 v[22:23], -v[14:15], v[20:21], v[16:17]",
        "v_div_fmas_f64 v[22:23], v[22:23], v[18:19], v[20:21]",
        "v_div_fixup_f64 v[10:11], v[22:23], v[4:5], v[2:3]",
    ] = |x, y| (f64::from_bits(x) / f64::from_bits(y)).to_bits();
};
