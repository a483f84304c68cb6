//! Maps: what is computed of the elements at a place, or copied, to the bit. A row is one element.

mod making;
#[cfg(test)]
mod tests;

use std::fmt;

use configgen::comparator::ScalarType;
use rand::Rng;
use rand::seq::IndexedRandom;

use crate::numbers::{denormals, extremes, nans, nearest, random, zeros};
use crate::operation::{Agreement, Checked, Difference, Found, Judge, Reference};
pub(crate) use making::Elements;

/// With what an element is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pattern {
    /// Any bits of a number.
    Any,
    /// Whole numbers, each another one than those of its neighbours.
    Counted,
    /// What is special: zeros, denormals, the greatest and the least, infinities, NaN.
    Special,
}

impl Pattern {
    const ALL: [Pattern; 3] = [Pattern::Any, Pattern::Counted, Pattern::Special];

    /// The bits of an element, which is the `turn`th.
    fn element(self, kind: ScalarType, turn: usize, rng: &mut impl Rng) -> u64 {
        /// A prime, below what 8 bits hold.
        const PERIOD: usize = 113;
        match self {
            Pattern::Any => random(kind, rng),
            Pattern::Counted => nearest(kind, (turn % PERIOD) as f64 - (PERIOD / 2) as f64),
            Pattern::Special => {
                let all = [zeros(kind), denormals(kind), extremes(kind), nans(kind)];
                let all = all.concat();
                *all.choose(rng).unwrap_or(&0) & kind.mask()
            }
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Pattern::Any => "any number",
            Pattern::Counted => "whole numbers that count",
            Pattern::Special => "what is special among numbers",
        })
    }
}

/// What the checked elements of a launch should give.
#[derive(Debug)]
struct Launch {
    kind: ScalarType,
    /// Whether of a NaN the bits count, as they do where nothing is computed.
    is_copy: bool,
    /// One for each checked row, in their order.
    expected: Vec<(Pattern, u64)>,
}

impl Launch {
    fn is_right(&self, expected: u64, found: u64) -> bool {
        let is_nan = |bits| self.kind.is_nan(bits);
        expected == found || !self.is_copy && is_nan(expected) && is_nan(found)
    }
}

impl Reference for Launch {
    fn initial(&self, _: usize) -> Vec<u64> {
        Vec::new()
    }

    fn judge(&self) -> Box<dyn Judge + '_> {
        Box::new(OfElements(self))
    }
}

/// Judges the elements of one launch.
struct OfElements<'a>(&'a Launch);

impl Judge for OfElements<'_> {
    fn agreement(&mut self, row: &Checked<'_>, found: &Found<'_>) -> Agreement {
        let (_, expected) = self.0.expected[row.place];
        match self.0.is_right(expected, found.bits(0)) {
            true => Agreement::Right(0.0),
            false => Agreement::None,
        }
    }

    fn difference(&mut self, row: &Checked<'_>, found: &Found<'_>) -> Difference {
        let kind = self.0.kind;
        let (pattern, expected) = self.0.expected[row.place];
        Difference {
            row: row.number,
            pattern: Some(pattern.to_string()),
            given: Vec::new(),
            expected: kind.show(expected),
            found: match found.is_poison(0) {
                true => "nothing (the output was not written)".to_owned(),
                false => kind.show(found.bits(0)),
            },
        }
    }
}
