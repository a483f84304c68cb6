//! Folds of a row's numeric intervals, in any order that a kernel may choose.

use configgen::reduction::{Combining, Fold};
use configgen::summation_depth;

use super::numeric_interval::NumericInterval;
use crate::numbers::{SLACK, odd, power, sum_error};

/// Half of the distance from 1 to the next f32.
const ROUNDOFF: f64 = 1.0 / (1 << 24) as f64;
const LARGEST: f64 = f32::MAX as f64;

/// Folds a row's elements.
pub(super) fn folded(
    fold: &Fold,
    elements: impl Iterator<Item = NumericInterval>,
) -> NumericInterval {
    match fold.combining() {
        Combining::Sum => {
            let mut sum = Sum::default();
            elements.for_each(|element| sum.take(element));
            sum.result()
        }
        Combining::Max => greatest(elements),
        Combining::Min => greatest(elements.map(NumericInterval::negated)).negated(),
        Combining::MinNumber => greatest_number(elements.map(NumericInterval::negated)).negated(),
        Combining::MaxNumber => greatest_number(elements),
        _ => unreachable!("programs fold no {:?}", fold.combining()),
    }
}

/// Returns the greatest element, or NaN if there is one.
fn greatest(elements: impl Iterator<Item = NumericInterval>) -> NumericInterval {
    let least = NumericInterval::exact(f64::NEG_INFINITY);
    elements.fold(least, NumericInterval::maximum)
}

/// Returns the greatest element that is a number.
fn greatest_number(elements: impl Iterator<Item = NumericInterval>) -> NumericInterval {
    let none = NumericInterval {
        nan: true,
        ..NumericInterval::exact(f64::NEG_INFINITY)
    };
    // Without a number among the elements, lanes return their initial value: minus infinity or an
    // element.
    match elements.reduce(NumericInterval::greater) {
        Some(greatest) if greatest.is_nan() => none,
        Some(greatest) if greatest.nan => greatest.or(none),
        greatest => greatest.unwrap_or(none),
    }
}

/// A sum in f32, with the bound of plain sums: see [`crate::fold`].
#[derive(Debug)]
struct Sum {
    /// The sums of the elements' lower bounds, upper bounds and greatest magnitudes.
    low: f64,
    high: f64,
    all: f64,
    /// The sums of the greatest magnitudes on either side of 0.
    up: f64,
    down: f64,
    /// The number of all elements, and of those that may differ from 0.
    terms: u64,
    count: u64,
    /// The exponent of the power of two that divides all elements, while all are known.
    quantum: Option<i32>,
    nan: bool,
    is_nan: bool,
    /// True if an element is certainly no negative zero, so that a sum of zeros is positive.
    has_other: bool,
    /// True if an infinity of this sign may occur, and true if one certainly occurs.
    may_be: [bool; 2],
    is: [bool; 2],
}

impl Default for Sum {
    fn default() -> Sum {
        Sum {
            low: 0.0,
            high: 0.0,
            all: 0.0,
            up: 0.0,
            down: 0.0,
            terms: 0,
            count: 0,
            quantum: Some(i32::MAX),
            nan: false,
            is_nan: false,
            has_other: false,
            may_be: [false; 2],
            is: [false; 2],
        }
    }
}

impl Sum {
    fn take(&mut self, element: NumericInterval) {
        let NumericInterval { low, high, nan } = element;
        self.terms += 1;
        self.nan |= nan;
        self.is_nan |= element.is_nan();
        self.has_other |= !element.has_negative_zero();
        // Zeros never round, and a certain NaN has no bounds to add.
        if low == 0.0 && high == 0.0 || element.is_nan() {
            return;
        }
        self.may_be[0] |= high == f64::INFINITY;
        self.may_be[1] |= low == f64::NEG_INFINITY;
        self.is[0] |= low == f64::INFINITY;
        self.is[1] |= high == f64::NEG_INFINITY;
        // Infinities are recorded above. In the sums they would make NaN of opposite signs.
        let [low, high] = [low, high].map(|end| if end.is_finite() { end } else { 0.0 });
        self.low += low;
        self.high += high;
        self.all += low.abs().max(high.abs());
        self.up += high.max(0.0);
        self.down -= low.min(0.0);
        self.count += 1;
        self.quantum = match (self.quantum, element.number()) {
            (Some(quantum), Some(number)) if number.is_finite() => Some(quantum.min(odd(number).1)),
            _ => None,
        };
    }

    fn result(self) -> NumericInterval {
        let roundings = sum_error(self.count, summation_depth(self.terms), ROUNDOFF);
        let is_exact = match self.quantum {
            Some(quantum) => self.count == 0 || self.all < power(24) * power(quantum),
            None => false,
        };
        let error = match is_exact {
            true => 0.0,
            false => roundings * self.all * SLACK,
        };
        // Partial sums may overflow before opposite elements cancel; twice the error covers their
        // roundings.
        let overflows = |part: f64| part + 2.0 * roundings * self.all > LARGEST;
        let rises = self.may_be[0] || overflows(self.up);
        let falls = self.may_be[1] || overflows(self.down);
        if self.is_nan || self.is == [true; 2] {
            return NumericInterval::NAN;
        }
        let single = |end: f64| f64::from(end as f32);
        NumericInterval {
            low: match (self.is[0], falls) {
                (true, _) => f64::INFINITY,
                (_, true) => f64::NEG_INFINITY,
                _ => match single(self.low - error) {
                    // Without elements, the result is the initial value, a positive zero.
                    0.0 if !self.has_other && self.terms > 0 => -0.0,
                    low => low,
                },
            },
            high: match (self.is[1], rises) {
                (true, _) => f64::NEG_INFINITY,
                (_, true) => f64::INFINITY,
                _ => single(self.high + error),
            },
            nan: self.nan || rises && falls,
        }
    }
}

#[cfg(test)]
mod tests {
    use configgen::ElementType;

    use super::*;

    #[track_caller]
    fn check(combining: Combining, numbers: &[f64], low: f64, high: f64, nan: bool) {
        let fold = Fold::new(combining, ElementType::F32, false, None).unwrap();
        let found = folded(
            &fold,
            numbers.iter().map(|&number| NumericInterval::exact(number)),
        );
        let expected = match low.is_nan() {
            true => NumericInterval::NAN,
            false => NumericInterval { low, high, nan },
        };
        assert_eq!(found, expected, "{numbers:?}");
    }

    const INF: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;

    #[test]
    fn results_of_interval_folds() {
        use Combining::{MaxNumber, Sum};
        check(Sum, &[], 0.0, 0.0, false);
        check(Sum, &[0.0, -0.0], 0.0, 0.0, false);
        check(Sum, &[1.0, 2.0, -3.5], -0.5, -0.5, false);
        check(Sum, &[16_777_214.0, 1.0], 16_777_215.0, 16_777_215.0, false);
        check(Sum, &[1.0, INF], INF, INF, false);
        check(Sum, &[-INF, 1.0], -INF, -INF, false);
        check(Sum, &[INF, -INF], NAN, NAN, true);
        check(Sum, &[INF, NAN, 2.0], NAN, NAN, true);
        check(Sum, &[LARGEST, LARGEST], INF, INF, false);
        check(
            Sum,
            &[LARGEST, LARGEST, -LARGEST, -LARGEST],
            -INF,
            INF,
            true,
        );
        check(Sum, &[INF, -LARGEST, -LARGEST], INF, INF, true);
        check(MaxNumber, &[1.0, 3.0, -2.0], 3.0, 3.0, false);
        check(MaxNumber, &[NAN, -3.0, NAN], -3.0, -3.0, false);
        check(MaxNumber, &[NAN, NAN], -INF, -INF, true);
        check(MaxNumber, &[-INF, -INF], -INF, -INF, false);
    }

    /// Checks the greatest number if no element is certainly one.
    #[test]
    fn elements_that_may_be_nan() {
        let element = NumericInterval {
            low: 1.0,
            high: 2.0,
            nan: true,
        };
        let found = greatest_number([element, element].into_iter());
        assert_eq!([found.low, found.high], [-INF, 2.0]);
        assert!(found.nan);
        let with_number = [element, NumericInterval::exact(-3.0)];
        let found = greatest_number(with_number.into_iter());
        assert_eq!([found.low, found.high], [-3.0, 2.0]);
        assert!(!found.nan);
    }

    /// Checks that any order of additions stays within the bounds, and comes near to them.
    #[test]
    fn sums_are_bounded() {
        let numbers: Vec<f64> = (1..2000).map(|n| f64::from(0.1 * n as f32)).collect();
        let fold = Fold::new(Combining::Sum, ElementType::F32, false, None).unwrap();
        let bounds = folded(
            &fold,
            numbers.iter().map(|&number| NumericInterval::exact(number)),
        );
        let add = |sum: f32, number: &f64| sum + *number as f32;
        let blocks = |length| numbers.chunks(length).map(|it| it.iter().fold(0.0, add));
        for length in [32, 64] {
            let sum: f32 = blocks(length).sum();
            let error = bounds.error(sum.into(), 0.0);
            assert!(error > 0.0 && error < 0.5, "{sum} {bounds:?}");
        }
        assert!(bounds.high / bounds.low < 1.00001, "{bounds:?}");
        // A chain of equal numbers drifts away.
        let equal = vec![NumericInterval::exact(f64::from(0.1f32)); 100_000];
        let bounds = folded(&fold, equal.iter().copied());
        let chain = equal.iter().fold(0f32, |sum, _| sum + 0.1);
        assert!(bounds.error(chain.into(), 0.0) > 1.0, "{chain} {bounds:?}");
    }
}
