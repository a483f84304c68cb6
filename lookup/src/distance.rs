//! How far apart two problems are that differ in their sizes alone: exactly, so that which is nearer is the same wherever it is asked.
//!
//! Kernels of a family run the same instructions; what differs is how many workgroups there are, and how many elements a
//! thread takes. All that a configuration counts (lanes, subgroups, loads of a thread, pieces of a row) is a power of two. So
//! within a factor of two of the rows and of the columns the best counts are those of the tuned shape, or one step from them;
//! beyond it they are others for certain. That is the bound. Each dimension counts by itself, since tiles do: 8 x 4 rows are as
//! many as 4 x 8, and another shape.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use arrayvec::ArrayVec;
use configgen::{MAX_RANK, Problem, Shape};

/// How many times as many rows, and columns, one of two problems has at most that are near each other.
pub const FACTOR: u64 = 2;

/// Sizes of a shape, outermost first.
pub(crate) type ShapeSizes = ArrayVec<u32, MAX_RANK>;

/// The sizes that each dimension may have, outermost first: one, or a range where the count is known at launch only.
pub(crate) type Extents = ArrayVec<RangeInclusive<u32>, MAX_RANK>;

/// Those of a shape.
pub(crate) fn extents(shape: &Shape) -> Extents {
    let mut extents: Extents = shape.sizes().iter().map(|&size| size..=size).collect();
    if let (Some(counts), Some(outermost)) = (shape.counts(), extents.first_mut()) {
        *outermost = counts;
    }
    extents
}

/// How many times as many: `more / less`, 1 or more.
#[derive(Debug, Clone, Copy)]
struct Times {
    more: u128,
    less: u128,
}

impl Times {
    const ONE: Times = Times { more: 1, less: 1 };

    /// None where it is more than the factor.
    ///
    /// All sizes of a problem together are at most 2^40, and so is the product of the lesser ones here; the greater ones are at most
    /// twice that before the next one, which has 32 bits.
    fn and(self, one: &RangeInclusive<u32>, other: &RangeInclusive<u32>) -> Option<Times> {
        let (more, less) = if one.start() > other.end() {
            (one.start(), other.end())
        } else if other.start() > one.end() {
            (other.start(), one.end())
        } else {
            return Some(self);
        };
        let times = Times {
            more: self.more * u128::from(*more),
            less: self.less * u128::from(*less),
        };
        (times.more <= times.less * u128::from(FACTOR)).then_some(times)
    }
}

/// How many times as many rows one of two problems has, and how many times as many columns, each dimension's taken together.
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

    /// With one dimension more; of two ranges the nearest sizes count. None where that is too far.
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

    /// Between a shape and the sizes of another one; none where they are too far from each other.
    pub(crate) fn between(asked: &Shape, other: &Extents) -> Option<Distance> {
        let dimensions = extents(asked).into_iter().zip(other).enumerate();
        let mut dimensions = dimensions;
        dimensions.try_fold(Distance::NONE, |distance, (d, (one, other))| {
            distance.and(asked.is_reduced(d), &one, other)
        })
    }

    /// The product of both, as a number for people.
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
    /// The product of both counts; no number here has more than 85 bits.
    fn cmp(&self, other: &Self) -> Ordering {
        let (one, other) = (self.product(), other.product());
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

/// How far apart two problems of a family are: none where one has more than [`FACTOR`] times as many rows or columns.
pub fn distance(asked: &Problem, other: &Problem) -> Option<Distance> {
    Distance::between(&asked.shape, &extents(&other.shape))
}
