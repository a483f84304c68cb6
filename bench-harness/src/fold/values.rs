//! Values: what the rows of a plain reduction are made of.

use configgen::comparator::ScalarType;
use configgen::reduction::{Combining, Fold};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

use crate::numbers::{nearest, power, random};

/// Small numbers reach from -this to this.
const SMALL: i32 = 50;

/// What rows of one reduction's elements are made of.
#[derive(Debug)]
pub(super) struct FoldValues {
    pub(super) fold: Fold,
    pub(super) kind: ScalarType,
    /// Changes nothing, in the elements' type.
    pub(super) neutral: u64,
    /// Each makes another result than the initial value, where one does, of a row of neutral elements: never empty.
    planted: Vec<u64>,
    /// The largest whole number that a row is made of.
    most: f64,
    /// Small numbers that leave the first of `planted` what it is, where that is one of the elements; never empty.
    pub(super) ordinary: Vec<u64>,
}

impl FoldValues {
    pub(super) fn new(fold: Fold) -> FoldValues {
        FoldValues::up_to(fold, power(40))
    }

    /// The same with whole numbers up to `most`.
    pub(super) fn up_to(fold: Fold, most: f64) -> FoldValues {
        let kind = ScalarType::from(fold.element());
        let neutral = fold.neutral();
        let small: Vec<u64> = (-SMALL..=SMALL)
            .map(|value| nearest(kind, f64::from(value)))
            .collect();
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
            // One winner, which beats the most.
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

    /// An element that alone is seen in the result.
    pub(super) fn planted(&self, rng: &mut impl Rng) -> u64 {
        *self.planted.choose(rng).expect("it is never empty")
    }

    /// The bits nearest to a number.
    pub(super) fn nearest(&self, value: f64) -> u64 {
        nearest(self.kind, value)
    }

    /// Any number; of those that are summed none of which a row's partial sums overflow.
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

    /// An integer that is not 0, of so many that any sum of them is exact in the accumulator; 0 where even ones would be too
    /// many now and then.
    pub(super) fn whole(&self, n: usize, rng: &mut impl Rng) -> u64 {
        let accumulator = ScalarType::from(self.fold.accumulator());
        let initial = accumulator.to_f64(self.fold.initial()).abs();
        let digits = significand(accumulator);
        // An initial value that is no integer, or is too large, makes no row exact.
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

/// Whether results are made of the bits of elements.
pub(super) fn is_bitwise(combining: Combining) -> bool {
    matches!(combining, Combining::And | Combining::Or | Combining::Xor)
}

/// Bits of the significand of a type of floats.
fn significand(kind: ScalarType) -> i32 {
    kind.least_normal().trailing_zeros() as i32 + 1
}
