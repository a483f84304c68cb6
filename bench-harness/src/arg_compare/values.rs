//! The values of adversarial rows, as a comparator orders them.
//!
//! Functions handle elements by their bits, in the low bits of a `u64`, so that all element types
//! and comparators share them.

use configgen::comparator::order::near_constants;
use configgen::comparator::{Comparator, ScalarType};
use rand::Rng;

use crate::numbers::{denormals, extremes, nans, nearest, random, zeros};

/// The magnitude limit of small numbers.
const SMALL: i32 = 50;

/// The values for rows of one comparator's elements.
#[derive(Debug)]
pub(crate) struct ComparatorValues {
    kind: ScalarType,
    /// The initial value of a fold without an initial pair: the worst value, if one exists.
    pub(crate) start: u64,
    /// A value that replaces each of `ordinary` and is replaced by none of them.
    pub(crate) winner: u64,
    /// Small numbers, never empty.
    pub(crate) ordinary: Vec<u64>,
    /// A value that does not replace a zero. A zero replaces it, if the comparator distinguishes
    /// signs at all.
    pub(crate) below_zero: u64,
    /// The least and the greatest value that is not NaN. For integers, both the signed and the
    /// unsigned ones.
    pub(crate) extremes: Vec<u64>,
    /// Quiet, signalling and negative NaN. Integers have none.
    pub(crate) nans: Vec<u64>,
    /// Zeros, which compare equal. Integers have none.
    pub(crate) zeros: Vec<u64>,
    /// The values around the comparator's constants, or zero and one if it has none. Never empty.
    pub(crate) near_constants: Vec<u64>,
    /// Subnormal values, the smallest first. Integers have none.
    pub(crate) denormals: Vec<u64>,
}

impl ComparatorValues {
    pub(crate) fn new(comparator: &Comparator) -> ComparatorValues {
        let kind = comparator.element();
        let mut evaluator = comparator.evaluator();
        let mut beats = |a: u64, b: u64| evaluator.compare(a, b) && !evaluator.compare(b, a);
        let small: Vec<u64> = (-SMALL..=SMALL)
            .map(|value| nearest(kind, f64::from(value)))
            .collect();
        // The winner is the candidate that beats the most small values, and these become the
        // ordinary ones.
        let mut candidates: Vec<u64> = [100.0, -100.0, 0.0]
            .map(|value| nearest(kind, value))
            .into();
        candidates.extend(&small);
        let mut beaten_by = |winner: u64| -> Vec<u64> {
            let beaten = small.iter().copied().filter(|&value| beats(winner, value));
            beaten.collect()
        };
        let mut best = (candidates[0], Vec::new());
        for winner in candidates {
            let ordinary = beaten_by(winner);
            if ordinary.len() > best.1.len() {
                best = (winner, ordinary);
            }
        }
        // A comparator that orders nothing has no winner. Any value is then as good.
        let (winner, ordinary) = match best.1.is_empty() {
            true => (best.0, small.clone()),
            false => best,
        };
        let (zero, one) = (
            nearest(kind, 0.0),
            [1.0, -1.0].map(|value| nearest(kind, value)),
        );
        let below_zero = one.into_iter().find(|&one| beats(zero, one));
        let extremes = extremes(kind);
        let mut near = near_constants(comparator);
        near.retain(|&bits| !kind.is_nan(bits));
        if near.is_empty() {
            near = [0.0, 1.0].map(|value| nearest(kind, value)).into();
        }
        ComparatorValues {
            kind,
            start: comparator.order().start,
            winner,
            ordinary,
            below_zero: below_zero.unwrap_or(one[1]),
            nans: nans(kind),
            near_constants: near,
            zeros: zeros(kind),
            denormals: denormals(kind),
            extremes,
        }
    }

    /// Replaces the initial value of the fold.
    pub(crate) fn beginning_at(self, start: u64) -> ComparatorValues {
        ComparatorValues { start, ..self }
    }

    /// Returns the bits nearest to a number.
    pub(crate) fn nearest(&self, value: f64) -> u64 {
        nearest(self.kind, value)
    }

    /// Returns the number with these bits.
    pub(crate) fn number(&self, bits: u64) -> f64 {
        match self.kind.is_integer() {
            true if self.kind == ScalarType::I1 => bits as f64,
            true => self.kind.signed(bits) as f64,
            false => self.kind.to_f64(bits),
        }
    }

    pub(crate) fn is_float(&self) -> bool {
        self.kind.is_float()
    }

    /// Returns the bits of a random finite value.
    pub(crate) fn random(&self, rng: &mut impl Rng) -> u64 {
        random(self.kind, rng)
    }
}
