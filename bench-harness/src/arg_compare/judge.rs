//! The judge of arg_compare: it compares a kernel's pair for a row with the expected pair, and
//! describes differences.

use configgen::comparator::Evaluator;
use configgen::{ArgCompare, IndexMode, Initial};

use super::row::{IndexedRow, Pair};
use super::{ArgCompareReference, ExpectedPair};
use crate::operation::{Agreement, CheckedRow, Difference, Judge, RowResults};

/// The judge of the rows of one launch.
pub(super) struct ArgCompareJudge<'a> {
    launch: &'a ArgCompareReference,
    arg_compare: &'a ArgCompare,
    compare: Evaluator,
}

impl ArgCompareJudge<'_> {
    pub(super) fn new(launch: &ArgCompareReference) -> ArgCompareJudge<'_> {
        ArgCompareJudge {
            launch,
            arg_compare: &launch.arg_compare,
            compare: launch.arg_compare.comparator.evaluator(),
        }
    }

    /// Returns true if neither value beats the other: each replaces the other, or none does. A
    /// NaN ties only with a NaN.
    fn tie(&mut self, a: u64, b: u64) -> bool {
        let kind = self.arg_compare.comparator.element();
        self.compare.compare(a, b) == self.compare.compare(b, a) && kind.is_nan(a) == kind.is_nan(b)
    }
}

impl Judge for ArgCompareJudge<'_> {
    fn agreement(&mut self, row: &CheckedRow<'_>, found: &RowResults<'_>) -> Agreement {
        let expected = &self.launch.expected[row.place];
        let row = self.launch.row(row.place, row.elements);
        let pair = pair(found);
        if pair == expected.result {
            return Agreement::Right(0.0);
        }
        let (index, best) = (pair.index, expected.result.value);
        if is_untouched(found) || !self.tie(pair.value, best) {
            return Agreement::None;
        }
        let element = self.arg_compare.comparator.element();
        // The comparator calls both values equal, so two zeros here may have different signs.
        let is_zero = |bits| element.is_float() && element.to_f64(bits) == 0.0;
        if index == expected.result.index && is_zero(pair.value) && is_zero(best) {
            return Agreement::SignOfZero;
        }
        let is_initial = match self.arg_compare.initial {
            // If no element beats the initial value, the index is a tie-break too: generators may
            // return any index then.
            Initial::Worst => expected.position.is_none(),
            Initial::Pair(..) | Initial::Outputs => {
                index == expected.initial.index && self.tie(expected.initial.value, best)
            }
        };
        match is_initial || row.find(index, |element| self.tie(element, best)).is_some() {
            true => Agreement::Tie,
            false => Agreement::None,
        }
    }

    fn difference(&mut self, row: &CheckedRow<'_>, found: &RowResults<'_>) -> Difference {
        let expected = &self.launch.expected[row.place];
        let elements = self.launch.row(row.place, row.elements);
        let pair = pair(found);
        let returned = match is_untouched(found) {
            true => "nothing (the output was not written)".to_owned(),
            false => self.pair(pair, &self.owner(pair.index, expected, &elements)),
        };
        let winner = match expected.position {
            Some(position) => element(position),
            None => INITIAL.to_owned(),
        };
        Difference {
            row: row.number,
            pattern: Some(expected.pattern.to_string()),
            given: self.given(expected),
            expected: self.pair(expected.result, &winner),
            found: returned,
        }
    }
}

impl ArgCompareJudge<'_> {
    /// Returns the row's inputs other than its elements, as text.
    fn given(&self, expected: &ExpectedPair) -> Vec<String> {
        let base = match self.arg_compare.index_mode {
            IndexMode::Based => Some(format!("index base {}", self.launch.index_base)),
            IndexMode::Position | IndexMode::Explicit => None,
        };
        let initial = match self.arg_compare.initial {
            Initial::Pair(..) | Initial::Outputs => {
                let Pair { value, index } = expected.initial;
                Some(format!("initial pair ({}, {index})", self.value(value)))
            }
            Initial::Worst => None,
        };
        base.into_iter().chain(initial).collect()
    }

    /// Returns the owner of an index, as text: an element, the initial pair or none.
    fn owner(&self, index: i64, expected: &ExpectedPair, row: &IndexedRow<'_>) -> String {
        if self.arg_compare.initial != Initial::Worst && index == expected.initial.index {
            return INITIAL.to_owned();
        }
        let position = row.find(index, |_| true);
        position.map_or_else(|| "no element".to_owned(), element)
    }

    /// Returns a pair as text, with the owner of its index unless indices are positions.
    fn pair(&self, pair: Pair, owner: &str) -> String {
        let (value, index) = (self.value(pair.value), pair.index);
        match (self.arg_compare.index_mode, self.arg_compare.initial) {
            (IndexMode::Position, Initial::Worst) => format!("({value}, {index})"),
            _ => format!("({value}, {index} of {owner})"),
        }
    }

    fn value(&self, bits: u64) -> String {
        self.arg_compare.comparator.element().show(bits)
    }
}

const INITIAL: &str = "the initial pair";

fn element(position: usize) -> String {
    format!("element {position}")
}

/// Returns the pair of the first and the second result.
fn pair(found: &RowResults<'_>) -> Pair {
    Pair {
        value: found.bits(0),
        index: found.signed(1),
    }
}

/// Returns true if the output was not written. The index decides: any value may be a correct one,
/// but no position is negative.
fn is_untouched(found: &RowResults<'_>) -> bool {
    found.is_poison(1)
}
