//! The meaning of `arg_compare`, on the host: the fold from the initial pair in index order.

use configgen::Problem;
use configgen::comparator::Evaluator;

/// The elements of a row and their indices. Values and indices are bits.
pub(crate) struct Row<'a> {
    pub(crate) elements: &'a [u64],
    /// The initial pair, if the outputs hold it.
    pub(crate) initial: Option<(u64, u64)>,
    /// The index of each element.
    pub(crate) indices: &'a [u64],
}

/// Folds rows of one problem.
pub(crate) struct Fold {
    compare: Evaluator,
    start: u64,
    index_mask: u64,
}

impl Fold {
    pub(crate) fn of(problem: &Problem) -> Fold {
        Fold {
            compare: problem.arg_compare().unwrap().comparator.evaluator(),
            start: problem.arg_compare().unwrap().comparator.order().start,
            index_mask: u64::MAX >> (64 - problem.arg_compare().unwrap().index.bits()),
        }
    }

    /// Returns true if `a` replaces `b`.
    pub(crate) fn replaces(&mut self, a: u64, b: u64) -> bool {
        self.compare.compare(a, b)
    }

    /// Returns the bits of the value, and the index.
    pub(crate) fn row(&mut self, row: &Row<'_>) -> (u64, u64) {
        let mut best = row.initial.unwrap_or((self.start, 0));
        for (&bits, &index) in row.elements.iter().zip(row.indices) {
            if self.compare.compare(bits, best.0) {
                best = (bits, index & self.index_mask);
            }
        }
        best
    }
}
