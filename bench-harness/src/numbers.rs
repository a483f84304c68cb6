//! Numbers: the bits of a type that hostile rows are made of, and what bounds are computed with.
//!
//! Elements are handled by their bits, in the low bits of a `u64`, so that every element type goes the same way.

use configgen::comparator::ScalarType;
use rand::{Rng, RngExt};

/// Any value by its bits but, of floats, infinities and NaN.
pub(crate) fn random(kind: ScalarType, rng: &mut impl Rng) -> u64 {
    loop {
        let bits = rng.random::<u64>() & kind.mask();
        if kind.is_integer() || kind.to_f64(bits).is_finite() {
            return bits;
        }
    }
}

/// The bits nearest to a number that is not NaN; what is too large becomes the greatest value.
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

/// The least and the greatest value that is not NaN, signed and unsigned.
pub(crate) fn extremes(kind: ScalarType) -> Vec<u64> {
    match kind.is_integer() {
        true => vec![kind.sign_bit(), kind.sign_bit() - 1, 0, kind.mask()],
        false => vec![kind.greatest() | kind.sign_bit(), kind.greatest()],
    }
}

/// NaN of some kinds: quiet, signalling, negative. Empty of integers.
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

/// Zeros that compare equal. Empty of integers.
pub(crate) fn zeros(kind: ScalarType) -> Vec<u64> {
    match (kind.is_integer(), kind.has_negative_zero()) {
        (true, _) => Vec::new(),
        (false, true) => vec![0, kind.sign_bit()],
        (false, false) => vec![0],
    }
}

/// Subnormal values, the smallest first. Empty of integers.
pub(crate) fn denormals(kind: ScalarType) -> Vec<u64> {
    match kind.is_integer() {
        true => Vec::new(),
        false => vec![1, 2, kind.least_normal() - 1],
    }
}

/// What bounds are computed with is rounded a few times itself.
pub(crate) const SLACK: f64 = 1.0 + 1.0 / (1 << 20) as f64;

/// Returns how far a sum of `count` numbers that are not 0 may be from the exact one, as a part of
/// the sum of their magnitudes, if each takes part in `depth` roundings at most, or in `count` - 1;
/// `roundoff` is half of the distance from 1 to the next number.
///
/// The first is γ of Higham (Accuracy and Stability of Numerical Algorithms, 2002, section 3.1);
/// the second needs no terms of higher order (Jeannerod and Rump, Improved error bounds for inner
/// products in floating-point arithmetic, 2013): adding a zero rounds nothing.
pub(crate) fn sum_error(count: u64, depth: u64, roundoff: f64) -> f64 {
    let of_any_order = count.saturating_sub(1) as f64 * roundoff;
    of_any_order.min(gamma(depth, roundoff))
}

/// Returns γ(n) = n u / (1 - n u): what n roundings change at most, relative to the exact number.
pub(crate) fn gamma(roundings: u64, roundoff: f64) -> f64 {
    match roundings as f64 * roundoff {
        all @ ..1.0 => all / (1.0 - all),
        _ => f64::INFINITY,
    }
}

/// This power of two.
pub(crate) fn power(exponent: i32) -> f64 {
    match exponent {
        ..-1022 => f64::from_bits(1 << (exponent + 1074)),
        _ => f64::from_bits(((1023 + exponent) as u64) << 52),
    }
}

/// A finite number that is not 0 as an odd integer times a power of two.
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

    /// γ(h) has the terms of higher order, and a sum of few numbers is held to their number.
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
            // Without terms of higher order this is the lesser one.
            (65, 64, 64.0 * u),
            (1 << 40, 1 << 23, 1.0),
        ] {
            assert_eq!(sum_error(count, depth, u), error, "{count} in {depth}");
        }
    }
}
