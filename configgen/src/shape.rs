//! Shapes: the sizes of dimensions, the reduced dimensions, and the pitch of rows in memory.
//!
//! The size of the outermost dimension may be known at launch only: its *count*. The shape then
//! stores the largest count, and all derived figures follow from it. A buffer for the largest
//! count fits every count. No stride depends on the outermost size, so each element has the same
//! address for every count.

use std::ops::RangeInclusive;

use arrayvec::ArrayVec;

/// The highest rank of a shape.
pub const MAX_RANK: usize = 6;

/// The largest number of elements of a shape: 2^40.
pub const MAX_ELEMENTS: u64 = 1 << 40;

/// The sizes of a problem's dimensions, outermost first (row major), the reduced ones, and the
/// pitch.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape {
    pub(crate) sizes: ArrayVec<u32, MAX_RANK>,
    pub(crate) reduced: ArrayVec<bool, MAX_RANK>,
    /// The distance of rows in elements, or none if it is the innermost size.
    pub(crate) pitch: Option<u32>,
    /// The smallest count of the outermost dimension, or none if its size is known.
    pub(crate) least: Option<u32>,
}

impl Shape {
    /// Returns the number of dimensions, 1 to [`MAX_RANK`].
    pub fn rank(&self) -> usize {
        self.sizes.len()
    }

    /// Returns the size of each dimension, outermost first, with the largest count as an open
    /// size.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// Returns the possible counts of the outermost dimension, if only the launch gives its size.
    ///
    /// Such a dimension is parallel.
    pub fn counts(&self) -> Option<RangeInclusive<u32>> {
        self.least.map(|least| least..=self.sizes[0])
    }

    /// Returns whether the size of dimension `dimension` is known at launch only.
    pub fn is_counted(&self, dimension: usize) -> bool {
        dimension == 0 && self.least.is_some()
    }

    /// Returns whether dimension `dimension` is reduced.
    pub fn is_reduced(&self, dimension: usize) -> bool {
        self.reduced[dimension]
    }

    /// Returns the reduced dimensions, outermost first. A map has none.
    pub fn reduced(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.rank()).filter(|&d| self.reduced[d])
    }

    /// Returns whether any dimension is reduced.
    pub fn reduces(&self) -> bool {
        self.reduced.contains(&true)
    }

    /// Returns the parallel dimensions, outermost first. A reduction of the whole input has none.
    pub fn parallel(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.rank()).filter(|&d| !self.reduced[d])
    }

    /// Returns the innermost reduced (or parallel) dimension with more than one element.
    ///
    /// If none has more than one, it returns the innermost.
    pub(crate) fn innermost(&self, reduced: bool) -> Option<usize> {
        let dimensions = || {
            (0..self.rank())
                .rev()
                .filter(|&d| self.reduced[d] == reduced)
        };
        dimensions()
            .find(|&d| self.sizes[d] > 1)
            .or_else(|| dimensions().next())
    }

    /// Returns the same rows with fewer dimensions.
    ///
    /// It drops dimensions of size 1 and merges neighbours of one kind. The result is none in
    /// three cases: no dimension is left, a size overflows u32, or an open count becomes part of
    /// a size.
    pub(crate) fn merged(&self) -> Option<Shape> {
        let mut merged = Shape {
            sizes: ArrayVec::new(),
            reduced: ArrayVec::new(),
            ..self.clone()
        };
        let wide = (0..self.rank()).filter(|&d| self.sizes[d] > 1 || self.is_counted(d));
        for d in wide {
            let (size, reduced) = (self.sizes[d], self.reduced[d]);
            if merged.reduced.last() != Some(&reduced) {
                merged.sizes.push(size);
                merged.reduced.push(reduced);
                continue;
            }
            // The product of an open count and a size is no count that the launch could give.
            let last = merged.sizes.len() - 1;
            if merged.is_counted(last) {
                return None;
            }
            merged.sizes[last] = merged.sizes[last].checked_mul(size)?;
        }
        (!merged.sizes.is_empty()).then_some(merged)
    }

    /// Returns the elements from one index of the last dimension but one to the next.
    ///
    /// This is the size of the last dimension, or more if the input is a slice of columns of a
    /// matrix.
    pub fn pitch(&self) -> u32 {
        let innermost = self.sizes.last().copied().unwrap_or(1);
        self.pitch.unwrap_or(innermost)
    }

    /// Returns whether rows have no gaps between them.
    pub fn is_dense(&self) -> bool {
        self.pitch.is_none()
    }

    /// Returns the elements between neighbours along each dimension.
    ///
    /// Only the rows of the last dimension lie [`Self::pitch`] apart; the dimensions before are
    /// dense.
    pub fn strides(&self) -> ArrayVec<u64, MAX_RANK> {
        let mut strides = ArrayVec::from_iter(std::iter::repeat_n(1, self.rank()));
        let mut stride = u64::from(self.pitch());
        for d in (0..self.rank().saturating_sub(1)).rev() {
            strides[d] = stride;
            stride *= u64::from(self.sizes[d]);
        }
        strides
    }

    /// Returns the elements from the input's first to its last, gaps included.
    pub fn span(&self) -> u64 {
        let last = self.strides().into_iter().zip(&self.sizes);
        last.map(|(stride, &size)| stride * u64::from(size - 1))
            .sum::<u64>()
            + 1
    }

    /// Returns the number of elements of the input, without gaps.
    pub fn elements(&self) -> u64 {
        self.sizes.iter().map(|&size| u64::from(size)).product()
    }

    /// Returns the number of reductions (rows): the product of the parallel sizes.
    pub fn rows(&self) -> u64 {
        self.parallel().map(|d| u64::from(self.sizes[d])).product()
    }

    /// Returns the elements of one reduction: the product of the reduced sizes.
    pub fn reduced_size(&self) -> u64 {
        self.reduced().map(|d| u64::from(self.sizes[d])).product()
    }
}
