//! `arg_compare`: its rows, its reference on the host, and the judgement of a kernel's results.

mod initial_pair;
mod judge;
mod maker;
mod pattern;
mod reference;
mod row;
#[cfg(test)]
mod tests;
mod values;

use std::sync::Arc;

use configgen::{ArgCompare, IndexMode};

use crate::operation::{Judge, Reference};
use crate::packed_elements::PackedElements;
use judge::ArgCompareJudge;
pub(crate) use maker::ArgCompareMaker;
use pattern::ArgComparePattern;
use row::{IndexedRow, Indices, Pair};

/// The expected results of the checked rows of a launch.
#[derive(Debug)]
struct ArgCompareReference {
    arg_compare: Arc<ArgCompare>,
    index_base: i64,
    /// The explicit indices of the checked rows, one row after the other. Empty if the problem
    /// has none.
    explicit_indices: Arc<[u8]>,
    /// The function's values of the checked rows, likewise. Empty if the problem compares the
    /// elements themselves.
    computed: Vec<u8>,
    /// The expected pair of each checked row, in their order.
    expected: Vec<ExpectedPair>,
}

/// The expected result of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpectedPair {
    pattern: ArgComparePattern,
    /// The initial pair of the fold. If the problem says so, the outputs hold it before the
    /// launch.
    initial: Pair,
    /// The final pair of the fold.
    result: Pair,
    /// The position of the winner. `None` if no element replaced the initial value.
    position: Option<usize>,
}

impl ArgCompareReference {
    /// Returns the row at a position, with its indices.
    fn row<'a>(&'a self, place: usize, elements: PackedElements<'a>) -> IndexedRow<'a> {
        let ArgCompare {
            comparator, index, ..
        } = &*self.arg_compare;
        let explicit = PackedElements::new(&self.explicit_indices, index.bytes());
        let computed = PackedElements::new(&self.computed, comparator.element().bits().div_ceil(8));
        let compared = match self.computed.is_empty() {
            true => elements,
            false => computed.row(place, elements.len()),
        };
        IndexedRow {
            elements: compared,
            mask: comparator.element().mask(),
            indices: match self.arg_compare.index_mode {
                IndexMode::Position | IndexMode::Based => Indices::Based(self.index_base),
                IndexMode::Explicit => Indices::Explicit(explicit.row(place, elements.len())),
            },
        }
    }
}

impl Reference for ArgCompareReference {
    fn initial(&self, place: usize) -> Vec<u64> {
        let Pair { value, index } = self.expected[place].initial;
        vec![value, index as u64]
    }

    fn judge(&self) -> Box<dyn Judge + '_> {
        Box::new(ArgCompareJudge::new(self))
    }
}
