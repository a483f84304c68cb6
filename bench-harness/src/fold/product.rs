//! The exact product of a row, and the error bound of any order of multiplications.

use super::correct_results::{AccumulatorFormat, CorrectFloats, CorrectResults, ErrorBound};
use crate::numbers::{SLACK, odd, power};

/// Returns the correct products of these numbers. `zero` returns the bits of a zero with this
/// sign.
///
/// A multiplication by a power of two does not round, unless it overflows or underflows. For n
/// other numbers, any tree rounds at most n - 1 times, each time by a factor of 1 ± u. The sum of
/// |log2| over all numbers bounds that of each partial product. If a partial product may overflow
/// or underflow, any result is correct.
pub(super) fn correct_products(
    format: AccumulatorFormat,
    numbers: impl Iterator<Item = f64> + Clone,
    zero: impl Fn(bool) -> u64,
) -> CorrectResults {
    let has = |what: fn(f64) -> bool| numbers.clone().any(what);
    let (has_zero, has_infinity) = (has(|it| it == 0.0), has(f64::is_infinite));
    if has(f64::is_nan) || has_zero && has_infinity {
        return CorrectResults::Reals(CorrectFloats::NAN);
    }
    let finite = numbers.clone().filter(|it| it.is_finite() && *it != 0.0);
    let all = Factors::of(finite);
    let is_negative = numbers.filter(|it| it.is_sign_negative()).count() % 2 == 1;
    let stays = all.stays(format);
    if has_infinity {
        // A partial product that underflows to 0 makes a NaN with the infinity.
        return CorrectResults::Reals(CorrectFloats {
            up: !is_negative,
            down: is_negative,
            nan: !stays,
            near: None,
        });
    }
    if has_zero && stays {
        return CorrectResults::Bits(zero(is_negative));
    }
    // The bound covers all results that an order may give, infinities and NaN included.
    if !stays {
        let anything = ErrorBound {
            exact: [0.0; 2],
            bound: f64::INFINITY,
            scale: 1.0,
        };
        return CorrectResults::Reals(CorrectFloats {
            near: Some(anything),
            up: true,
            down: true,
            nan: true,
        });
    }
    CorrectResults::Reals(CorrectFloats {
        near: Some(all.near(format, is_negative)),
        ..CorrectFloats::NONE
    })
}

/// Finite factors that are not 0.
#[derive(Debug)]
struct Factors {
    /// The number of factors that are neither 1 nor -1, and the last of them.
    count: u64,
    last: f64,
    /// The number of factors that are not powers of two.
    rounding: u64,
    /// The sum of |log2| over all factors.
    spread: f64,
    /// The product of the factors' odd parts, rounded if a double cannot hold it.
    odd: f64,
    magnitude: Magnitude,
}

impl Factors {
    fn of(numbers: impl Iterator<Item = f64>) -> Factors {
        let mut all = Factors {
            count: 0,
            last: 1.0,
            rounding: 0,
            spread: 0.0,
            odd: 1.0,
            magnitude: Magnitude::ONE,
        };
        for number in numbers.map(f64::abs).filter(|&it| it != 1.0) {
            let (odd, exponent) = odd(number);
            all.count += 1;
            all.last = number;
            all.spread += number.log2().abs();
            if odd != 1 {
                all.rounding += 1;
                all.odd *= odd as f64;
            }
            all.magnitude.multiply(odd, exponent);
        }
        all
    }

    /// Returns true if every partial product is a normal number, or there is only one factor.
    fn stays(&self, format: AccumulatorFormat) -> bool {
        self.count <= 1 || self.spread < f64::from(format.reach - 1)
    }

    fn near(&self, format: AccumulatorFormat, is_negative: bool) -> ErrorBound {
        let sign = if is_negative { -1.0 } else { 1.0 };
        if self.count <= 1 {
            return ErrorBound {
                exact: [sign * self.last, 0.0],
                bound: 0.0,
                scale: 1.0,
            };
        }
        let roundings = self.rounding.saturating_sub(1) as f64;
        // A product of odd parts below 2^digits is exact, and so is every partial product.
        let is_exact = roundings == 0.0 || self.odd < power(format.digits);
        let Magnitude { parts, exponent } = self.magnitude;
        let bound = (roundings * format.roundoff().ln_1p()).exp_m1() * parts[0] * SLACK;
        ErrorBound {
            exact: parts.map(|part| sign * part),
            bound: if is_exact { 0.0 } else { bound },
            scale: power(-exponent),
        }
    }
}

/// A product with about a hundred bits: two doubles, the first from 1 to 2, times a power of two.
#[derive(Debug, Clone, Copy)]
struct Magnitude {
    parts: [f64; 2],
    exponent: i32,
}

impl Magnitude {
    const ONE: Magnitude = Magnitude {
        parts: [1.0, 0.0],
        exponent: 0,
    };

    fn multiply(&mut self, odd: u64, exponent: i32) {
        let bits = odd.ilog2() as i32;
        let factor = odd as f64 * power(-bits);
        let [high, low] = self.parts;
        let product = high * factor;
        // The fused multiplication yields the rounding error of `product` exactly.
        let rest = high.mul_add(factor, -product) + low * factor;
        let sum = product + rest;
        let half = if sum >= 2.0 { 0.5 } else { 1.0 };
        self.parts = [sum * half, (rest - (sum - product)) * half];
        // Beyond the range of all types, the value is never read.
        let carry = i32::from(half == 0.5);
        self.exponent = self.exponent.saturating_add(exponent + bits + carry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: &[f64]) -> CorrectResults {
        let zero = |negative: bool| u64::from(negative) << 31;
        correct_products(AccumulatorFormat::SINGLE, numbers.iter().copied(), zero)
    }

    /// Checks the exact product, and if every order gives it.
    #[track_caller]
    fn check(numbers: &[f64], exact: f64, in_any_order: bool) {
        let CorrectResults::Reals(CorrectFloats {
            near: Some(near), ..
        }) = of(numbers)
        else {
            panic!("{numbers:?}: {:?}", of(numbers));
        };
        assert_eq!(near.shown().0, exact, "{numbers:?}");
        assert_eq!(near.bound == 0.0, in_any_order, "{numbers:?}");
    }

    #[test]
    fn products() {
        check(&[], 1.0, true);
        check(&[3.0, -1.0, 0.25], -0.75, true);
        check(&[3.0; 15], 14_348_907.0, true);
        check(&[3.0; 16], 43_046_721.0, false);
        check(&[1e-40], 1e-40, true);
        check(&[0.1, 8.0, 1.0], 0.8, true);
        let CorrectResults::Reals(reals) = of(&[0.7, 0.7]) else {
            panic!()
        };
        assert!(reals.error(0.49) < 1e-8);
        assert!(reals.error(0.49 * (1.0 - 5e-8)) < 1.0);
        assert!(reals.error(0.49 * (1.0 + 7e-8)) > 1.0);
    }

    #[test]
    fn nan_and_infinite_products() {
        let inf = f64::INFINITY;
        assert_eq!(of(&[0.0, -3.0, 2.0]), CorrectResults::Bits(0x8000_0000));
        assert_eq!(of(&[0.0, inf]), CorrectResults::Reals(CorrectFloats::NAN));
        assert_eq!(
            of(&[f64::NAN, 0.0]),
            CorrectResults::Reals(CorrectFloats::NAN)
        );
        let down = CorrectFloats {
            down: true,
            ..CorrectFloats::NONE
        };
        assert_eq!(of(&[inf, -0.5]), CorrectResults::Reals(down));
        // A partial product may underflow before it meets the infinity.
        let CorrectResults::Reals(reals) = of(&[inf, 1e-30, 1e-30]) else {
            panic!()
        };
        assert!(reals.up && reals.nan && reals.near.is_none());
    }

    #[test]
    fn products_that_may_overflow_have_no_bound() {
        let CorrectResults::Reals(reals) = of(&[1e30, 1e30, 1e-30]) else {
            panic!()
        };
        assert!([1.0, 0.0, f64::NAN, f64::INFINITY].map(|it| reals.error(it)) == [0.0; 4]);
    }
}
