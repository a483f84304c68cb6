//! Shapes: sizes of dimensions, which of them are reduced, and how far apart rows lie in memory.
//!
//! How many places the outermost dimension has may be known at launch only: its *count*. Its size is then the largest count,
//! and so is everything that follows from sizes: what fits a buffer of the largest count fits that of any. Of that dimension
//! alone no stride depends, so that a place is at the same address whatever the count.

use std::ops::RangeInclusive;

use arrayvec::ArrayVec;

/// The highest rank of a shape.
pub const MAX_RANK: usize = 6;

/// The largest number of elements of a shape: 2^40.
pub const MAX_ELEMENTS: u64 = 1 << 40;

/// The sizes of a problem's dimensions, outermost first (row major), which of them are reduced, and the pitch.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape {
    pub(crate) sizes: ArrayVec<u32, MAX_RANK>,
    pub(crate) reduced: ArrayVec<bool, MAX_RANK>,
    /// None where it is the innermost size.
    pub(crate) pitch: Option<u32>,
    /// The least count of the outermost dimension; none where its size is known.
    pub(crate) least: Option<u32>,
}

impl Shape {
    /// Number of dimensions, 1 to [`MAX_RANK`].
    pub fn rank(&self) -> usize {
        self.sizes.len()
    }

    /// Size of each dimension, outermost first; the largest count, where it is known at launch only.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The counts that the outermost dimension, a parallel one, may have, where that is known at launch only.
    pub fn counts(&self) -> Option<RangeInclusive<u32>> {
        self.least.map(|least| least..=self.sizes[0])
    }

    /// Whether the size of dimension `dimension` is known at launch only.
    pub fn is_counted(&self, dimension: usize) -> bool {
        dimension == 0 && self.least.is_some()
    }

    /// Whether dimension `dimension` is reduced.
    pub fn is_reduced(&self, dimension: usize) -> bool {
        self.reduced[dimension]
    }

    /// The reduced dimensions, outermost first; none of a map.
    pub fn reduced(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.rank()).filter(|&d| self.reduced[d])
    }

    /// Whether any dimension is reduced.
    pub fn reduces(&self) -> bool {
        self.reduced.contains(&true)
    }

    /// The parallel dimensions, outermost first; none when the whole input is reduced.
    pub fn parallel(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.rank()).filter(|&d| !self.reduced[d])
    }

    /// The innermost reduced (or parallel) dimension that has more than one element; if none has, the innermost.
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

    /// The shape without dimensions of size 1 and with one dimension for neighbours of a kind, which has the same rows; none where there
    /// is no such shape: no dimension is left, a size is too large, or a count that is known at launch only is a part of one.
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
            let last = merged.sizes.len() - 1;
            if merged.is_counted(last) {
                return None;
            }
            merged.sizes[last] = merged.sizes[last].checked_mul(size)?;
        }
        (!merged.sizes.is_empty()).then_some(merged)
    }

    /// Elements from one index of the last dimension but one to the next: the size of the last dimension, or more where
    /// the input is a slice of columns of a larger matrix.
    pub fn pitch(&self) -> u32 {
        let innermost = self.sizes.last().copied().unwrap_or(1);
        self.pitch.unwrap_or(innermost)
    }

    /// Whether there are no gaps between rows.
    pub fn is_dense(&self) -> bool {
        self.pitch.is_none()
    }

    /// Elements between neighbours along each dimension. Only the rows of the last dimension lie [`Self::pitch`] apart;
    /// the dimensions before are dense on top of them.
    pub fn strides(&self) -> ArrayVec<u64, MAX_RANK> {
        let mut strides = ArrayVec::from_iter(std::iter::repeat_n(1, self.rank()));
        let mut stride = u64::from(self.pitch());
        for d in (0..self.rank().saturating_sub(1)).rev() {
            strides[d] = stride;
            stride *= u64::from(self.sizes[d]);
        }
        strides
    }

    /// Elements that the input reaches over, gaps between its rows included.
    pub fn span(&self) -> u64 {
        let last = self.strides().into_iter().zip(&self.sizes);
        last.map(|(stride, &size)| stride * u64::from(size - 1))
            .sum::<u64>()
            + 1
    }

    /// Number of elements of the input, without gaps.
    pub fn elements(&self) -> u64 {
        self.sizes.iter().map(|&size| u64::from(size)).product()
    }

    /// Number of reductions (rows): the product of the parallel sizes.
    pub fn rows(&self) -> u64 {
        self.parallel().map(|d| u64::from(self.sizes[d])).product()
    }

    /// Elements of one reduction: the product of the reduced sizes.
    pub fn reduced_size(&self) -> u64 {
        self.reduced().map(|d| u64::from(self.sizes[d])).product()
    }
}
