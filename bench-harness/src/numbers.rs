//! Numbers of an element type: the bits for adversarial rows, and the arithmetic of error bounds.
//!
//! Functions handle elements by their bits, in the low bits of a `u64`, so that all element types
//! share them.

use configgen::comparator::ScalarType;
use rand::{Rng, RngExt};

/// Returns the bits of a random finite value.
pub(crate) fn random(kind: ScalarType, rng: &mut impl Rng) -> u64 {
    loop {
        let bits = rng.random::<u64>() & kind.mask();
        if kind.is_integer() || kind.to_f64(bits).is_finite() {
            return bits;
        }
    }
}

/// Returns the bits nearest to a number that is not NaN. A number beyond the range becomes the
/// greatest value.
pub(crate) fn nearest(kind: ScalarType, value: f64) -> u64 {
    if kind == ScalarType::I1 {
        return u64::from(value > 0.0);
    }
    if kind.is_integer() {
        let most = (kind.mask() >> 1) as i64;
        return (value as i64).clamp(-most - 1, most) as u64 & kind.mask();
    }
    let bits = kind.round(value);
    match kind.is_nan(bits) {
        true if value < 0.0 => kind.greatest() | kind.sign_bit(),
        true => kind.greatest(),
        false => bits,
    }
}

/// Returns the least and the greatest value that is not NaN. For integers, both the signed and
/// the unsigned ones.
pub(crate) fn extremes(kind: ScalarType) -> Vec<u64> {
    match kind.is_integer() {
        true => vec![kind.sign_bit(), kind.sign_bit() - 1, 0, kind.mask()],
        false => vec![kind.greatest() | kind.sign_bit(), kind.greatest()],
    }
}

/// Returns quiet, signalling and negative NaN. Integers have none.
pub(crate) fn nans(kind: ScalarType) -> Vec<u64> {
    if kind.is_integer() {
        return Vec::new();
    }
    let quiet = kind.canonical_nan();
    let mut nans = vec![quiet, kind.greatest() + 1, quiet | kind.sign_bit()];
    nans.retain(|&bits| kind.is_nan(bits));
    nans.dedup();
    nans
}

/// Returns the zeros, which compare equal. Integers have none.
pub(crate) fn zeros(kind: ScalarType) -> Vec<u64> {
    match (kind.is_integer(), kind.has_negative_zero()) {
        (true, _) => Vec::new(),
        (false, true) => vec![0, kind.sign_bit()],
        (false, false) => vec![0],
    }
}

/// Returns subnormal values, the smallest first. Integers have none.
pub(crate) fn denormals(kind: ScalarType) -> Vec<u64> {
    match kind.is_integer() {
        true => Vec::new(),
        false => vec![1, 2, kind.least_normal() - 1],
    }
}

/// The factor that covers the rounding of the bounds' own arithmetic.
pub(crate) const SLACK: f64 = 1.0 + 1.0 / (1 << 20) as f64;

/// Returns the error bound of a sum of `count` numbers that are not 0, relative to the sum of
/// their magnitudes. Each number takes part in at most `depth` roundings, or in `count` - 1.
/// `roundoff` is half of the distance from 1 to the next number.
///
/// The bound by depth is γ of Higham (Accuracy and Stability of Numerical Algorithms, 2002,
/// section 3.1). The bound by count needs no terms of higher order, as adding a zero rounds
/// nothing. Its source is Jeannerod and Rump, Improved error bounds for inner products in
/// floating-point arithmetic, 2013.
pub(crate) fn sum_error(count: u64, depth: u64, roundoff: f64) -> f64 {
    let of_any_order = count.saturating_sub(1) as f64 * roundoff;
    of_any_order.min(gamma(depth, roundoff))
}

/// Returns γ(n) = n u / (1 - n u): the relative error bound of n roundings.
pub(crate) fn gamma(roundings: u64, roundoff: f64) -> f64 {
    match roundings as f64 * roundoff {
        all @ ..1.0 => all / (1.0 - all),
        _ => f64::INFINITY,
    }
}

/// Returns two to the power `exponent`, exactly, subnormal results included.
pub(crate) fn power(exponent: i32) -> f64 {
    match exponent {
        ..-1022 => f64::from_bits(1 << (exponent + 1074)),
        _ => f64::from_bits(((1023 + exponent) as u64) << 52),
    }
}

/// Decomposes a finite number that is not 0 into an odd integer and a power of two.
pub(crate) fn odd(number: f64) -> (u64, i32) {
    let bits = number.abs().to_bits();
    let (significand, exponent) = match bits >> 52 {
        0 => (bits, -1074),
        exponent => (bits & ((1 << 52) - 1) | 1 << 52, exponent as i32 - 1075),
    };
    let zeros = significand.trailing_zeros();
    (significand >> zeros, exponent + zeros as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that γ(h) includes the terms of higher order, and that a sum of few numbers has the
    /// bound by their count.
    #[test]
    fn errors_of_sums() {
        let u = power(-24);
        assert_eq!(gamma(0, u), 0.0);
        assert_eq!(gamma(1 << 22, u), 1.0 / 3.0);
        assert_eq!(gamma(1 << 23, u), 1.0);
        assert_eq!(gamma(1 << 24, u), f64::INFINITY);
        for (count, depth, error) in [
            (0, 64, 0.0),
            (1, 64, 0.0),
            (5, 64, 4.0 * u),
            (1000, 64, gamma(64, u)),
            // The bound by count, without terms of higher order, is the lesser one.
            (65, 64, 64.0 * u),
            (1 << 40, 1 << 23, 1.0),
        ] {
            assert_eq!(sum_error(count, depth, u), error, "{count} in {depth}");
        }
    }
}
