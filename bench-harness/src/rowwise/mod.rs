//! Operations that use what a row gives once more: their rows, what is right of their results, and how to say what is not.
//!
//! What is computed stands in regions, which are evaluated here on [bounded numbers](bounded): how far a right kernel may be from
//! what is exact follows from what it computes, and where nothing is rounded there is one result. An operation has no name here.

mod formula;
mod interval_fold;
mod judge;
mod maker;
mod numeric_interval;
mod pattern;
mod row;
#[cfg(test)]
mod tests;

use configgen::comparator::ScalarType;
use configgen::reduction::{Rowwise, Scalar};

use crate::operation::{Judge, Reference};
use judge::RowwiseJudge;
pub(crate) use maker::RowwiseMaker;
use numeric_interval::NumericInterval;
use pattern::RowwisePattern;
use row::RowOperands;

/// What the checked rows of a launch should give.
#[derive(Debug)]
struct RowwiseReference {
    rowwise: Rowwise,
    beside: RowOperands,
    /// One for each checked row, in their order.
    expected: Vec<ExpectedFolds>,
}

/// What is known of a row. Its results are computed anew by who judges: there may be millions.
#[derive(Debug)]
struct ExpectedFolds {
    pattern: RowwisePattern,
    /// What its folds give.
    values: Vec<NumericInterval>,
}

impl RowwiseReference {
    /// The type of the elements of a result.
    fn kind(&self, output: usize) -> ScalarType {
        match self.rowwise.outputs()[output].tensor.scalar {
            Scalar::Element(element) => element.into(),
            Scalar::Index(_) => unreachable!("what is computed is a float"),
        }
    }
}

impl Reference for RowwiseReference {
    fn initial(&self, _: usize) -> Vec<u64> {
        Vec::new()
    }

    fn judge(&self) -> Box<dyn Judge + '_> {
        Box::new(RowwiseJudge::new(self))
    }
}
