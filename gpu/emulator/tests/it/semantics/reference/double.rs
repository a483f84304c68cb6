//! Double precision. Denormals are on, MODE.IEEE is set.

use super::float::F64;
use super::{Left, Vector, lane_vectors, vectors};

fn f(bits: u64) -> f64 {
    f64::from_bits(bits)
}
/// Rounds once: the product of powers is exact until the last step.
fn scaled(value: f64, exponent: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let bits = value.to_bits();
    let (mut fraction, mut power) = (bits & ((1 << 52) - 1), ((bits >> 52) & 0x7ff) as i64);
    if power == 0 {
        power = 1;
    } else {
        fraction |= 1 << 52;
    }
    let up = fraction.leading_zeros() - 11;
    fraction <<= up;
    power += i64::from(exponent) - i64::from(up);
    let sign = if value.is_sign_negative() { -1.0 } else { 1.0 };
    if power >= 2047 {
        return sign * f64::INFINITY;
    }
    if power >= 1 {
        return sign * f64::from_bits((fraction & ((1 << 52) - 1)) | ((power as u64) << 52));
    }
    // A denormal rounds to nearest even.
    let shift = 1 - power;
    if shift > 54 {
        return sign * 0.0;
    }
    let (kept, rest) = (fraction >> shift, fraction & ((1 << shift) - 1));
    let middle = 1u64 << (shift - 1);
    let up = rest > middle || (rest == middle && kept & 1 == 1);
    sign * f64::from_bits(kept + u64::from(up))
}
fn fraction(value: f64) -> f64 {
    let rest = value - value.floor();
    if rest.is_nan() {
        rest
    } else {
        rest.min(f64::from_bits(0x3fef_ffff_ffff_ffff))
    }
}
fn split(value: f64) -> (f64, i64) {
    if value == 0.0 || !value.is_finite() {
        return (value, 0);
    }
    let up = scaled(value, 200);
    let (bits, extra) = if value.abs() < f64::MIN_POSITIVE {
        (up.to_bits(), 200)
    } else {
        (value.to_bits(), 0)
    };
    let power = ((bits >> 52) & 0x7ff) as i64 - 1022;
    (
        f64::from_bits((bits & !(0x7ff << 52)) | (1022 << 52)),
        power - extra,
    )
}

pub(crate) static OPERATIONS: &[Vector] = vectors! {
    F64 "v_add_f64" (F64, F64) = |x, y| (f(x) + f(y)).to_bits();
    F64 "v_mul_f64" (F64, F64) = |x, y| (f(x) * f(y)).to_bits();
    F64 "v_fma_f64" (F64, F64, F64) = |x, y, z| f(x).mul_add(f(y), f(z)).to_bits();
    F64 "v_min_f64" (F64, F64) = |x, y| F64.extreme(x, y, false);
    F64 "v_max_f64" (F64, F64) = |x, y| F64.extreme(x, y, true);
    F64 "v_trunc_f64" (F64) = |x| f(x).trunc().to_bits();
    F64 "v_ceil_f64" (F64) = |x| f(x).ceil().to_bits();
    F64 "v_floor_f64" (F64) = |x| f(x).floor().to_bits();
    F64 "v_rndne_f64" (F64) = |x| f(x).round_ties_even().to_bits();
    F64 "v_fract_f64" (F64) = |x| fraction(f(x)).to_bits();
    F64 "v_ldexp_f64" (F64, B32) = |x, y| scaled(f(x), y as u32 as i32).to_bits();
    B32 "v_frexp_exp_i32_f64" (F64) = |x| split(f(x)).1 as u64 & 0xffff_ffff;
    F64 "v_frexp_mant_f64" (F64) = |x| split(f(x)).0.to_bits();
    // 2^29 units in the last place.
    F64 "v_rcp_f64" (F64) within Ulp(536870912) = |x| (1.0 / f(x)).to_bits();
    F64 "v_rsq_f64" (F64) within Ulp(536870912) = |x| (1.0 / f(x).sqrt()).to_bits();
    F64 "v_sqrt_f64" (F64) within Ulp(536870912) = |x| f(x).sqrt().to_bits();
};

pub(crate) static LANES: &[Vector] = lane_vectors! {
    F64 "v_fmac_f64" (F64, F64) Plain = |lane| Left { to: f(lane.from[0]).mul_add(f(lane.from[1]), f(lane.old)).to_bits(), vcc: lane.vcc };
};
