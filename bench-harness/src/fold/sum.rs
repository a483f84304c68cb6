//! The exact sum of a row, and the error bound of any order of additions.

use super::correct_results::{AccumulatorFormat, CorrectFloats, ErrorBound};
use crate::numbers::{SLACK, gamma, odd, power, sum_error};

/// The exponent of the least f32.
const LEAST: i32 = -149;

/// Returns the correct sums of these numbers, if each takes part in at most `depth` additions.
///
/// [`sum_error`] gives the bound. Nothing is rounded if all numbers are multiples of one power of
/// two and the significand can hold each partial sum.
pub(super) fn correct_sums(
    format: AccumulatorFormat,
    depth: u64,
    numbers: impl Iterator<Item = f64> + Clone,
) -> CorrectFloats {
    let bound = |count: u64| sum_error(count, depth, format.roundoff());
    near(format, numbers, bound, 0.0)
}

/// Returns the correct sums of these products of f32, each rounded before its addition or not
/// (`fma`).
///
/// Each product is rounded once, and then with `depth` additions or with all others. A product
/// that rounds to a subnormal number may lose half of the least number in addition. If no
/// rounding of a single product occurs, the exact products are added as they are.
pub(super) fn of_products(depth: u64, numbers: impl Iterator<Item = f64> + Clone) -> CorrectFloats {
    let bound = |count: u64| gamma(count.min(depth + 1), AccumulatorFormat::SINGLE.roundoff());
    near(AccumulatorFormat::SINGLE, numbers, bound, power(-150))
}

/// Returns the sums within a bound of the exact one: `relative` times the sum of the magnitudes,
/// plus `absolute` per number.
fn near(
    format: AccumulatorFormat,
    numbers: impl Iterator<Item = f64> + Clone,
    relative: impl Fn(u64) -> f64,
    absolute: f64,
) -> CorrectFloats {
    let finite = numbers.clone().filter(|it| it.is_finite());
    // The sum of the magnitudes of large doubles would overflow.
    let is_large = finite.clone().any(|it| it.abs() > power(900));
    let scale = if is_large { power(-100) } else { 1.0 };
    let (mut exact, mut up, mut down) = (Expansion::default(), 0.0, 0.0);
    let (mut count, mut quantum) = (0u64, i32::MAX);
    for number in finite.map(|it| it * scale).filter(|&it| it != 0.0) {
        match number > 0.0 {
            true => up += number,
            false => down -= number,
        }
        exact.add(number);
        quantum = quantum.min(odd(number).1);
        count += 1;
    }
    let all: f64 = up + down;
    // A product of f32 may be a multiple of less than the least f32.
    let is_rounded = absolute > 0.0 && quantum < LEAST;
    let is_exact = count == 0 || !is_rounded && all < power(format.digits) * power(quantum);
    let roundings = relative(count);
    // Partial sums may overflow before opposite numbers cancel; twice the error covers their
    // roundings.
    let may_pass = |part: f64| part + 2.0 * roundings * all > format.largest * scale;
    let [may_rise, may_fall] = [up, down].map(may_pass);
    let has = |value: f64| numbers.clone().any(|it| it == value);
    let (near, [up, down, nan]) = match [f64::INFINITY, f64::NEG_INFINITY].map(has) {
        _ if numbers.clone().any(f64::is_nan) => return CorrectFloats::NAN,
        [true, true] => return CorrectFloats::NAN,
        // A partial sum that overflows in the other direction makes a NaN with the infinity.
        [true, false] => (None, [true, false, may_fall]),
        [false, true] => (None, [false, true, may_rise]),
        [false, false] => {
            let near = ErrorBound {
                exact: exact.rounded(),
                bound: if is_exact {
                    0.0
                } else {
                    (roundings * all + count as f64 * absolute) * SLACK
                },
                scale,
            };
            let is_number = near.exact[0].abs() - near.bound <= format.largest * scale;
            let near = is_number.then_some(near);
            (near, [may_rise, may_fall, may_rise && may_fall])
        }
    };
    CorrectFloats {
        near,
        up,
        down,
        nan,
    }
}

/// An exact sum: non-overlapping doubles, the smallest first (Shewchuk, Adaptive precision
/// floating-point arithmetic, 1997).
#[derive(Debug, Default)]
struct Expansion(Vec<f64>);

impl Expansion {
    fn add(&mut self, number: f64) {
        let (mut sum, mut kept) = (number, 0);
        for at in 0..self.0.len() {
            let part = self.0[at];
            let (large, small) = match sum.abs() < part.abs() {
                true => (part, sum),
                false => (sum, part),
            };
            // Fast two-sum: exact because `large` has the greater magnitude.
            sum = large + small;
            let rest = small - (sum - large);
            if rest != 0.0 {
                self.0[kept] = rest;
                kept += 1;
            }
        }
        self.0.truncate(kept);
        if sum != 0.0 {
            self.0.push(sum);
        }
    }

    /// Returns the nearest double, except for ties, and the rest.
    fn rounded(&self) -> [f64; 2] {
        match self.0.split_last() {
            Some((&high, rest)) => [high, rest.iter().sum()],
            None => [0.0; 2],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(numbers: &[f64], expected: [f64; 2]) {
        let mut sum = Expansion::default();
        numbers.iter().for_each(|&number| sum.add(number));
        assert_eq!(sum.rounded(), expected, "{numbers:?}");
    }

    #[test]
    fn nothing_is_lost() {
        check(&[], [0.0, 0.0]);
        check(&[1e300, 1.0, -1e300], [1.0, 0.0]);
        check(&[1.0, 1e-30], [1.0, 1e-30]);
        check(&[1e300, 5e-324, 3.0, -1e300, -3.0], [5e-324, 0.0]);
        check(&[0.1; 10], [1.0, 5.551115123125783e-17]);
    }

    const INF: f64 = f64::INFINITY;
    const MAX: f64 = f32::MAX as f64;
    /// A depth above the count of all numbers in these tests.
    const DEPTH: u64 = 64;

    /// Checks which results are correct: finite, infinity, minus infinity, NaN. `near` says if
    /// there is only one finite result.
    #[track_caller]
    fn check_right(numbers: &[f64], near: Option<bool>, [up, down, nan]: [bool; 3]) {
        let found = correct_sums(AccumulatorFormat::SINGLE, DEPTH, numbers.iter().copied());
        let is_exact = found.near.map(|near| near.bound == 0.0);
        assert_eq!(is_exact, near, "{numbers:?}: {found:?}");
        assert_eq!(
            [found.up, found.down, found.nan],
            [up, down, nan],
            "{numbers:?}"
        );
    }

    #[test]
    fn right_sums() {
        const NEVER: [bool; 3] = [false; 3];
        check_right(&[1.0, 2.0, -3.0], Some(true), NEVER);
        check_right(&[0.0, -0.0], Some(true), NEVER);
        check_right(&[16_777_215.0, 1.0], Some(false), NEVER);
        check_right(&[16_777_214.0, 1.0], Some(true), NEVER);
        check_right(&[1e30, 1.0], Some(false), NEVER);
        check_right(&[1e30, 0.0], Some(true), NEVER);
        check_right(&[MAX], Some(true), NEVER);
        check_right(&[MAX, MAX], None, [true, false, false]);
        check_right(&[MAX, -MAX, 1.0], Some(false), [true, true, true]);
        check_right(&[1.0, INF], None, [true, false, false]);
        check_right(&[1.0, -INF], None, [false, true, false]);
        check_right(&[INF, -INF], None, [false, false, true]);
        check_right(&[f64::NAN, -INF], None, [false, false, true]);
        check_right(&[INF, -MAX, -MAX], None, [true, false, true]);
    }

    /// Checks if this is a correct sum of these products.
    #[track_caller]
    fn check_products(factors: &[(f32, f32)], sum: f32, is_right: bool) {
        let products = factors.iter();
        let products = products.map(|&(one, other)| f64::from(one) * f64::from(other));
        let right = of_products(DEPTH, products);
        assert_eq!(
            right.error(sum.into()) <= 1.0,
            is_right,
            "{sum:e} {right:?}"
        );
    }

    /// Checks that exact and rounded products are both correct, and no other result.
    #[test]
    fn products_may_be_rounded() {
        let one = 1.0 + f32::EPSILON;
        let factors = [(one, one), (-1.0, 1.0)];
        check_products(&factors, one.mul_add(one, -1.0), true);
        check_products(&factors, one * one - 1.0, true);
        check_products(&factors, 5.0 * f32::EPSILON, false);
        check_products(&[(3.0, 5.0), (-7.0, 2.0)], 1.0, true);
        check_products(&[(3.0, 5.0), (-7.0, 2.0)], 1.0 + f32::EPSILON, false);
        // A partial sum that overflows alone may return to the range before it is rounded.
        let large = [(f32::MAX, 2.0), (-f32::MAX, 1.5)];
        check_products(&large, f32::MAX / 2.0, true);
        for other in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            check_products(&large, other, true);
            check_products(&[(2.0, 3.0)], other, false);
        }
        check_products(&[(f32::INFINITY, 0.0)], f32::NAN, true);
        check_products(&[(f32::INFINITY, 0.0)], 0.0, false);
        check_products(&[(f32::INFINITY, -1.0)], f32::NEG_INFINITY, true);
        // A product below the least number may lose half of that number, and no more.
        let least = f32::from_bits(1);
        check_products(&[(least, 0.75)], least, true);
        check_products(&[(least, 0.75)], 0.0, false);
        check_products(&[(least, 0.5)], 0.0, true);
        check_products(&[(least, 0.5), (least, 0.5)], least, true);
        check_products(&[(least, 2.0)], least, false);
    }

    #[test]
    fn doubles_near_the_largest() {
        let found = correct_sums(
            AccumulatorFormat::DOUBLE,
            DEPTH,
            [f64::MAX, f64::MAX, -f64::MAX].into_iter(),
        );
        let near = found.near.unwrap();
        assert_eq!(near.shown().0, f64::MAX);
        assert_eq!([found.up, found.down, found.nan], [true; 3]);
    }
}
