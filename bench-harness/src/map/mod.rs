//! Maps: results computed from the elements at one coordinate, or copied. A row is one element,
//! and results are compared bit by bit.

mod maker;
#[cfg(test)]
mod tests;

use std::fmt;

use configgen::comparator::ScalarType;
use rand::Rng;
use rand::seq::IndexedRandom;

use crate::numbers::{denormals, extremes, nans, nearest, random, zeros};
use crate::operation::{Agreement, CheckedRow, Difference, Judge, Reference, RowResults};
pub(crate) use maker::MapMaker;

/// The contents of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MapPattern {
    /// Any finite value.
    Any,
    /// Integers that differ from those of their neighbours.
    Counted,
    /// Special values: zeros, subnormals, the greatest and the least, infinities, NaN.
    Special,
}

impl MapPattern {
    const ALL: [MapPattern; 3] = [MapPattern::Any, MapPattern::Counted, MapPattern::Special];

    /// Returns the bits of element number `turn`.
    fn element(self, kind: ScalarType, turn: usize, rng: &mut impl Rng) -> u64 {
        /// A prime, within the range of 8 bits: elements whose distance is a power of two differ.
        const PERIOD: usize = 113;
        match self {
            MapPattern::Any => random(kind, rng),
            MapPattern::Counted => nearest(kind, (turn % PERIOD) as f64 - (PERIOD / 2) as f64),
            MapPattern::Special => {
                let all = [zeros(kind), denormals(kind), extremes(kind), nans(kind)];
                let all = all.concat();
                *all.choose(rng).unwrap_or(&0) & kind.mask()
            }
        }
    }
}

impl fmt::Display for MapPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MapPattern::Any => "any number",
            MapPattern::Counted => "whole numbers that count",
            MapPattern::Special => "what is special among numbers",
        })
    }
}

/// The expected results of the checked elements of a launch.
#[derive(Debug)]
struct MapReference {
    kind: ScalarType,
    /// True if the bits of a NaN must be kept, because nothing is computed.
    is_copy: bool,
    /// The pattern and expected bits of each checked row, in their order.
    expected: Vec<(MapPattern, u64)>,
}

impl MapReference {
    fn is_right(&self, expected: u64, found: u64) -> bool {
        let is_nan = |bits| self.kind.is_nan(bits);
        expected == found || !self.is_copy && is_nan(expected) && is_nan(found)
    }
}

impl Reference for MapReference {
    fn initial(&self, _: usize) -> Vec<u64> {
        Vec::new()
    }

    fn judge(&self) -> Box<dyn Judge + '_> {
        Box::new(MapJudge(self))
    }
}

/// The judge of the elements of one launch.
struct MapJudge<'a>(&'a MapReference);

impl Judge for MapJudge<'_> {
    fn agreement(&mut self, row: &CheckedRow<'_>, found: &RowResults<'_>) -> Agreement {
        let (_, expected) = self.0.expected[row.place];
        match self.0.is_right(expected, found.bits(0)) {
            true => Agreement::Right(0.0),
            false => Agreement::None,
        }
    }

    fn difference(&mut self, row: &CheckedRow<'_>, found: &RowResults<'_>) -> Difference {
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
