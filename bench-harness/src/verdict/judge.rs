//! The judge: whether what a kernel returned for a row is right, and how to say what is not.

use configgen::comparator::Evaluator;
use configgen::{ArgCompare, IndexMode, Initial};

use super::{Difference, Found};
use crate::inputs::Expected;
use crate::row::{Pair, Row};

/// How what was found agrees with what was expected.
pub(super) enum Agreement {
    /// Bit by bit.
    Exact,
    /// The index, with a zero of the other sign.
    SignOfZero,
    /// An equal value, with the index of an element that has it.
    Tie,
    /// Not at all.
    None,
}

/// Judges the rows of one launch.
pub(super) struct Judge<'a> {
    arg_compare: &'a ArgCompare,
    compare: Evaluator,
    index_base: i64,
}

impl Judge<'_> {
    pub(super) fn new(arg_compare: &ArgCompare, index_base: i64) -> Judge<'_> {
        Judge {
            arg_compare,
            compare: arg_compare.comparator.evaluator(),
            index_base,
        }
    }

    /// Whether neither of two values is better: each replaces the other, or none does. A NaN that loses ties with nothing.
    fn tie(&mut self, a: u64, b: u64) -> bool {
        let kind = self.arg_compare.comparator.element();
        self.compare.compare(a, b) == self.compare.compare(b, a) && kind.is_nan(a) == kind.is_nan(b)
    }

    pub(super) fn agreement(
        &mut self,
        found: &Found,
        expected: &Expected,
        row: &Row<'_>,
    ) -> Agreement {
        if found.pair == expected.result {
            return Agreement::Exact;
        }
        let (index, best) = (found.pair.index, expected.result.value);
        if found.untouched || !self.tie(found.pair.value, best) {
            return Agreement::None;
        }
        let element = self.arg_compare.comparator.element();
        let is_zero = |bits| element.is_float() && element.to_f64(bits) == 0.0;
        if index == expected.result.index && is_zero(found.pair.value) && is_zero(best) {
            return Agreement::SignOfZero;
        }
        let is_initial = match self.arg_compare.initial {
            // No element beat the initial value: generators that promise less than the fold may return any index.
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

    pub(super) fn difference(
        &self,
        found: &Found,
        number: u64,
        expected: &Expected,
        row: &Row<'_>,
    ) -> Difference {
        let returned = match found.untouched {
            true => "nothing (the output was not written)".to_owned(),
            false => self.pair(found.pair, &self.owner(found.pair.index, expected, row)),
        };
        let winner = match expected.position {
            Some(position) => element(position),
            None => INITIAL.to_owned(),
        };
        Difference {
            row: number,
            pattern: Some(expected.pattern),
            given: self.given(expected),
            expected: self.pair(expected.result, &winner),
            found: returned,
        }
    }

    /// What the row was given beside its elements.
    fn given(&self, expected: &Expected) -> Vec<String> {
        let base = match self.arg_compare.index_mode {
            IndexMode::Based => Some(format!("index base {}", self.index_base)),
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

    /// Whose index this is.
    fn owner(&self, index: i64, expected: &Expected, row: &Row<'_>) -> String {
        if self.arg_compare.initial != Initial::Worst && index == expected.initial.index {
            return INITIAL.to_owned();
        }
        let position = row.find(index, |_| true);
        position.map_or_else(|| "no element".to_owned(), element)
    }

    /// A pair as text, and whose index it has unless indices are positions.
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
