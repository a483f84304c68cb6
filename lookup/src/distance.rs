//! The distance of two problems that differ only in their sizes. It is exact, so that every
//! implementation finds the same nearest problem.
//!
//! Kernels of a family run the same instructions. They differ in the number of workgroups, and in
//! the elements of a thread. All counts of a configuration (lanes, subgroups, loads of a thread,
//! pieces of a row) are powers of two. Within a factor of two of rows and columns, the best
//! counts are those of the tuned shape, or one step from them. Beyond that they certainly differ,
//! so the factor is the bound.
//!
//! Each dimension counts by itself, because tiles do: 8 x 4 rows are as many as 4 x 8, but
//! another shape.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use arrayvec::ArrayVec;
use configgen::{MAX_RANK, Problem, Shape};

/// The largest ratio of the rows, and of the columns, of two near problems.
pub const FACTOR: u64 = 2;

/// The sizes of a shape, outermost first.
pub(crate) type ShapeSizes = ArrayVec<u32, MAX_RANK>;

/// The sizes that each dimension may have, outermost first: one, or a range if only the launch
/// knows the count.
pub(crate) type Extents = ArrayVec<RangeInclusive<u32>, MAX_RANK>;

/// Returns the extents of a shape.
pub(crate) fn extents(shape: &Shape) -> Extents {
    let mut extents: Extents = shape.sizes().iter().map(|&size| size..=size).collect();
    if let (Some(counts), Some(outermost)) = (shape.counts(), extents.first_mut()) {
        *outermost = counts;
    }
    extents
}

/// A ratio of sizes, at least 1: `more / less`.
#[derive(Debug, Clone, Copy)]
struct Times {
    more: u128,
    less: u128,
}

impl Times {
    const ONE: Times = Times { more: 1, less: 1 };

    /// Multiplies the ratio by that of one dimension; `None` beyond the factor.
    ///
    /// All sizes of a problem together are at most 2^40, and so is the product of the lesser
    /// ones. The greater ones are at most twice that before the next one, which has 32 bits. The
    /// products therefore fit.
    fn and(self, one: &RangeInclusive<u32>, other: &RangeInclusive<u32>) -> Option<Times> {
        let (more, less) = if one.start() > other.end() {
            (one.start(), other.end())
        } else if other.start() > one.end() {
            (other.start(), one.end())
        } else {
            // Overlapping ranges contain an equal size, so they add no distance.
            return Some(self);
        };
        let times = Times {
            more: self.more * u128::from(*more),
            less: self.less * u128::from(*less),
        };
        (times.more <= times.less * u128::from(FACTOR)).then_some(times)
    }
}

/// The distance of two problems: the ratio of their rows and that of their columns, each the
/// product over its dimensions.
#[derive(Debug, Clone, Copy)]
pub struct Distance {
    rows: Times,
    columns: Times,
}

impl Distance {
    pub(crate) const NONE: Distance = Distance {
        rows: Times::ONE,
        columns: Times::ONE,
    };

    /// Adds a dimension; of two ranges the nearest sizes count. Returns `None` if that is too
    /// far.
    pub(crate) fn and(
        self,
        is_reduced: bool,
        one: &RangeInclusive<u32>,
        other: &RangeInclusive<u32>,
    ) -> Option<Distance> {
        Some(match is_reduced {
            true => Distance {
                columns: self.columns.and(one, other)?,
                ..self
            },
            false => Distance {
                rows: self.rows.and(one, other)?,
                ..self
            },
        })
    }

    /// Returns the distance between a shape and the extents of another; `None` if they are too
    /// far apart.
    pub(crate) fn between(asked: &Shape, other: &Extents) -> Option<Distance> {
        let dimensions = extents(asked).into_iter().zip(other).enumerate();
        let mut dimensions = dimensions;
        dimensions.try_fold(Distance::NONE, |distance, (d, (one, other))| {
            distance.and(asked.is_reduced(d), &one, other)
        })
    }

    /// Returns the product of both ratios, for people.
    pub fn times(self) -> f64 {
        let (more, less) = self.product();
        more as f64 / less as f64
    }

    fn product(self) -> (u128, u128) {
        let Distance { rows, columns } = self;
        (rows.more * columns.more, rows.less * columns.less)
    }
}

impl Ord for Distance {
    /// Compares the products of both ratios. No number here has more than 85 bits.
    fn cmp(&self, other: &Self) -> Ordering {
        let (one, other) = (self.product(), other.product());
        // Cross-multiplied, because quotients would round, and equal distances must compare as
        // equal.
        (one.0 * other.1).cmp(&(other.0 * one.1))
    }
}

impl PartialOrd for Distance {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Distance {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Distance {}

/// Returns the distance of two problems of a family; `None` if one has more than [`FACTOR`] times
/// as many rows or columns.
pub fn distance(asked: &Problem, other: &Problem) -> Option<Distance> {
    Distance::between(&asked.shape, &extents(&other.shape))
}
