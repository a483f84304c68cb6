//! What people filter problems by, as columns.

use std::ops::RangeInclusive;

use configgen::Problem;

/// The columns of a problem beside its text.
pub struct Features {
    /// The kind of operation.
    pub operation: &'static str,
    /// Of arg_compare, where it has a name.
    pub comparator: Option<&'static str>,
    /// Type of the elements.
    pub element: &'static str,
    /// Dimensions of the input.
    pub rank: i64,
    /// Rows that are reduced.
    pub rows: i64,
    /// Elements of a row.
    pub reduced: i64,
}

/// Those of this problem.
pub fn features(problem: &Problem) -> Features {
    Features {
        operation: problem.reduction.operation(),
        comparator: problem
            .reduction
            .arg_compare()
            .and_then(|reduction| reduction.comparator.name()),
        element: problem.element.name(),
        rank: number(problem.shape.rank() as u64),
        rows: number(problem.shape.rows()),
        reduced: number(problem.shape.reduced_size()),
    }
}

/// The ends of a range of sizes, which are no larger than what a column holds.
pub fn bounds(sizes: RangeInclusive<u64>) -> (i64, i64) {
    (number(*sizes.start()), number(*sizes.end()))
}

/// A size as a column holds it. A problem has no more elements than 2^40.
fn number(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}
