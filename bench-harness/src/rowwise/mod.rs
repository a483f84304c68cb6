//! Row operations: rows, bounds of their results, and the judgement of a kernel's results. Such an
//! operation uses the values of a row's folds again for its elements.
//!
//! Regions define the computation, and the bench evaluates them on [numeric
//! intervals](NumericInterval). The bound on a correct kernel's error follows from the operations
//! of the region. If nothing rounds, only one result is correct. This module knows no operation
//! by name.

mod formula;
mod interval_fold;
mod interval_function;
mod judge;
mod maker;
mod numeric_interval;
mod packed_interval;
mod pattern;
mod row;
#[cfg(test)]
mod tests;

use configgen::Reduction;
use configgen::comparator::ScalarType;
use configgen::reduction::Scalar;

use crate::operation::{Judge, Reference};
use judge::RowwiseJudge;
pub(crate) use maker::RowwiseMaker;
use packed_interval::PackedInterval;
use pattern::RowwisePattern;

/// The expected results of the checked rows of a launch.
#[derive(Debug)]
struct RowwiseReference {
    reduction: Reduction,
    /// The bounds of each checked row, in their order.
    expected: Vec<ExpectedRow>,
}

/// The expected results of a row. They depend on the inputs alone, so all trials share them.
#[derive(Debug)]
struct ExpectedRow {
    pattern: RowwisePattern,
    /// For each output, the bounds of its elements.
    outputs: Vec<Vec<PackedInterval>>,
}

impl RowwiseReference {
    /// Returns the element type of a result.
    fn kind(&self, output: usize) -> ScalarType {
        match self.reduction.outputs()[output].tensor.scalar {
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
        Box::new(RowwiseJudge { launch: self })
    }
}
