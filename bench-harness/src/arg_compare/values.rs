//! Values: the bits of elements that hostile rows are made of, as a comparator sees them.
//!
//! Elements are handled by their bits, in the low bits of a `u64`, so that every element type and comparator goes the same
//! way.

use configgen::comparator::order::near_constants;
use configgen::comparator::{Comparator, ScalarType};
use rand::Rng;

use crate::numbers::{denormals, extremes, nans, nearest, random, zeros};

/// Small numbers reach from -this to this.
const SMALL: i32 = 50;

/// What rows of one comparator's elements are made of.
#[derive(Debug)]
pub(crate) struct ComparatorValues {
    kind: ScalarType,
    /// Where the fold begins when the outputs hold no initial pair: the worst value, where there is one.
    pub(crate) start: u64,
    /// Replaces each of `ordinary`; none of them replaces it.
    pub(crate) winner: u64,
    /// Small numbers, never empty.
    pub(crate) ordinary: Vec<u64>,
    /// Does not replace a zero, and a zero replaces it if anything with a sign does.
    pub(crate) below_zero: u64,
    /// The least and the greatest value that is not NaN, signed and unsigned.
    pub(crate) extremes: Vec<u64>,
    /// NaN of some kinds: quiet, signalling, negative. Empty of integers.
    pub(crate) nans: Vec<u64>,
    /// Zeros that compare equal. Empty of integers.
    pub(crate) zeros: Vec<u64>,
    /// Where the comparator's constants matter: numbers, of a comparator without constants zero and one. Never empty.
    pub(crate) near_constants: Vec<u64>,
    /// Subnormal values, the smallest first. Empty of integers.
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
        // The value that beats most, and of the small ones those that it beats.
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

    /// The same for a fold that begins at this value.
    pub(crate) fn beginning_at(self, start: u64) -> ComparatorValues {
        ComparatorValues { start, ..self }
    }

    /// The bits nearest to a number.
    pub(crate) fn nearest(&self, value: f64) -> u64 {
        nearest(self.kind, value)
    }

    /// The number of these bits.
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

    /// Any value by its bits but, of floats, infinities and NaN.
    pub(crate) fn random(&self, rng: &mut impl Rng) -> u64 {
        random(self.kind, rng)
    }
}
