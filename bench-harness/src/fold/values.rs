//! The values of adversarial rows of a plain reduction.

use configgen::comparator::ScalarType;
use configgen::reduction::{Combining, Fold};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

use crate::numbers::{nearest, power, random};

/// The magnitude limit of small numbers.
const SMALL: i32 = 50;

/// The values for rows of one reduction's elements.
#[derive(Debug)]
pub(super) struct FoldValues {
    pub(super) fold: Fold,
    pub(super) kind: ScalarType,
    /// The neutral element, in the elements' type.
    pub(super) neutral: u64,
    /// Elements that each change the result of a row of neutral elements, if any element does.
    /// Never empty.
    planted: Vec<u64>,
    /// The largest integer in a row.
    most: f64,
    /// Small numbers that do not change the result if the first of `planted` is an element. Never
    /// empty.
    pub(super) ordinary: Vec<u64>,
}

impl FoldValues {
    pub(super) fn new(fold: Fold) -> FoldValues {
        FoldValues::up_to(fold, power(40))
    }

    /// Creates the values with integers up to `most`.
    pub(super) fn up_to(fold: Fold, most: f64) -> FoldValues {
        let kind = ScalarType::from(fold.element());
        let neutral = fold.neutral();
        let small: Vec<u64> = (-SMALL..=SMALL)
            .map(|value| nearest(kind, f64::from(value)))
            .collect();
        // Only candidates that change the initial value are visible in the result. The filter below
        // keeps these.
        let candidates: Vec<u64> = match fold.combining() {
            Combining::Sum => [1.0, -1.0, 2.0, 100.0].map(|it| nearest(kind, it)).into(),
            Combining::Product if kind == ScalarType::I1 => vec![0],
            Combining::Product => [2.0, 3.0, -1.0].map(|it| nearest(kind, it)).into(),
            Combining::And => (0..kind.bits()).map(|bit| kind.mask() ^ 1 << bit).collect(),
            Combining::Or | Combining::Xor => (0..kind.bits()).map(|bit| 1 << bit).collect(),
            _ => {
                let extremes = [kind.sign_bit() - 1, kind.sign_bit(), kind.mask(), 0];
                let far = [100.0, -100.0, 1000.0, -1000.0, 0.0].map(|it| nearest(kind, it));
                let extremes = extremes.into_iter().filter(|_| kind.is_integer());
                far.into_iter().chain(extremes).collect()
            }
        };
        let changes = |element: &u64| {
            let widened = fold.widened(*element);
            fold.combine(fold.initial(), widened) != fold.initial()
        };
        let mut planted: Vec<u64> = candidates.iter().copied().filter(changes).collect();
        if planted.is_empty() {
            planted = candidates;
        }
        let mut ordinary = vec![neutral];
        if fold.combining().is_idempotent() && !is_bitwise(fold.combining()) {
            let beaten = |winner: u64| -> Vec<u64> {
                let loses = |&it: &u64| it != winner && fold.combine(winner, it) == winner;
                small.iter().copied().filter(loses).collect()
            };
            // For an idempotent reduction, one winner: the candidate that beats the most small
            // values.
            planted.sort_by_key(|&winner| std::cmp::Reverse(beaten(winner).len()));
            planted.truncate(1);
            ordinary.extend(beaten(planted[0]));
        }
        FoldValues {
            fold,
            kind,
            neutral,
            planted,
            most,
            ordinary,
        }
    }

    /// Returns an element that alone decides the result.
    pub(super) fn planted(&self, rng: &mut impl Rng) -> u64 {
        *self.planted.choose(rng).expect("it is never empty")
    }

    /// Returns the bits nearest to a number.
    pub(super) fn nearest(&self, value: f64) -> u64 {
        nearest(self.kind, value)
    }

    /// Returns any number. For sums of floats, it is too small for a row's partial sums to
    /// overflow.
    pub(super) fn random(&self, n: usize, rng: &mut impl Rng) -> u64 {
        let accumulator = ScalarType::from(self.fold.accumulator());
        loop {
            let bits = random(self.kind, rng);
            if self.kind.is_integer() || self.fold.combining() != Combining::Sum {
                return bits;
            }
            let largest = accumulator.to_f64(accumulator.greatest() - 1);
            if self.kind.to_f64(bits).abs() <= largest / (4.0 * n as f64) {
                return bits;
            }
        }
    }

    /// Returns an integer that is not 0, so small that any sum of `n` of them is exact in the
    /// accumulator. If even ones would be too many, most are 0.
    pub(super) fn whole(&self, n: usize, rng: &mut impl Rng) -> u64 {
        let accumulator = ScalarType::from(self.fold.accumulator());
        let initial = accumulator.to_f64(self.fold.initial()).abs();
        let digits = significand(accumulator);
        // An initial value that is large or no integer makes no row exact.
        let left = match initial < power(digits - 1) {
            true => power(digits) - 1.0 - initial,
            false => power(digits),
        };
        let most = (left / n as f64).min(power(significand(self.kind)));
        let most = most.min(self.most);
        let number = match most < 1.0 {
            true => f64::from(u8::from(rng.random_bool(most / 1.1))),
            false => rng.random_range(1..=most as i64) as f64,
        };
        let sign = if rng.random() { 1.0 } else { -1.0 };
        self.nearest(sign * number)
    }
}

/// Returns true if the reduction combines the bits of elements.
pub(super) fn is_bitwise(combining: Combining) -> bool {
    matches!(combining, Combining::And | Combining::Or | Combining::Xor)
}

/// Returns the number of significand bits of a float type.
fn significand(kind: ScalarType) -> i32 {
    kind.least_normal().trailing_zeros() as i32 + 1
}
