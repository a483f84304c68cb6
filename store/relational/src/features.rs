//! The columns of a problem that people filter by.

use std::ops::RangeInclusive;

use configgen::Problem;

/// The columns of a problem beside its text.
pub struct Features {
    /// The kind of operation.
    pub operation: &'static str,
    /// The name of the comparator, for arg_compare with a named one.
    pub comparator: Option<&'static str>,
    /// The type of the elements.
    pub element: &'static str,
    /// The number of dimensions of the input.
    pub rank: i64,
    /// The number of rows that are reduced.
    pub rows: i64,
    /// The number of elements in a row.
    pub reduced: i64,
}

/// Returns the columns of a problem.
pub fn features(problem: &Problem) -> Features {
    Features {
        operation: problem.reduction.operation(),
        comparator: problem.reduction.comparator_name(),
        element: problem.element.name(),
        rank: number(problem.shape.rank() as u64),
        rows: number(problem.shape.rows()),
        reduced: number(problem.shape.reduced_size()),
    }
}

/// Returns the ends of a range of sizes, limited to the largest value of a column.
pub fn bounds(sizes: RangeInclusive<u64>) -> (i64, i64) {
    (number(*sizes.start()), number(*sizes.end()))
}

/// Returns a size as a column holds it. A problem has at most 2^40 elements.
fn number(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}
