//! Index maps: the problem dimensions that an input has.
//!
//! An input has some of a problem's dimensions, in any order, and repeats along the others. It
//! lies in memory row by row, without gaps.

use std::fmt;

use arrayvec::ArrayVec;

use crate::shape::{MAX_RANK, Shape};

/// Dimensions of a problem, each at most once, outermost in memory first.
///
/// They are the results of an affine map.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IndexMap(ArrayVec<u8, MAX_RANK>);

impl IndexMap {
    /// Returns the map with all `rank` dimensions, in their order.
    pub fn all(rank: usize) -> IndexMap {
        IndexMap((0..rank as u8).collect())
    }

    /// Returns the map with these dimensions of `rank`, or none if one is repeated or does not
    /// exist.
    pub fn new(dimensions: &[usize], rank: usize) -> Option<IndexMap> {
        let mut map = ArrayVec::new();
        for &dimension in dimensions {
            let number = u8::try_from(dimension).ok().filter(|_| dimension < rank)?;
            if map.contains(&number) {
                return None;
            }
            map.push(number);
        }
        Some(IndexMap(map))
    }

    /// Returns the dimensions, outermost in memory first.
    pub fn dimensions(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.0.iter().map(|&dimension| dimension.into())
    }

    /// Returns whether the map has all dimensions, in their order.
    pub fn is_all(&self, shape: &Shape) -> bool {
        self.dimensions().eq(0..shape.rank())
    }

    /// Returns the sizes of the input, outermost first.
    pub fn sizes(&self, shape: &Shape) -> ArrayVec<u32, MAX_RANK> {
        self.dimensions().map(|d| shape.sizes()[d]).collect()
    }

    /// Returns the number of elements of the input.
    pub fn elements(&self, shape: &Shape) -> u64 {
        self.dimensions()
            .map(|d| u64::from(shape.sizes()[d]))
            .product()
    }

    /// Returns the input's stride along each dimension of the problem, in elements.
    ///
    /// The stride is 0 along a dimension that the input does not have.
    pub fn strides(&self, shape: &Shape) -> ArrayVec<u64, MAX_RANK> {
        let mut strides = ArrayVec::from_iter(std::iter::repeat_n(0, shape.rank()));
        let mut stride = 1;
        for d in self.dimensions().rev() {
            strides[d] = stride;
            stride *= u64::from(shape.sizes()[d]);
        }
        strides
    }
}

/// Prints the numbers of the dimensions: `1,0`.
impl fmt::Display for IndexMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .enumerate()
            .try_for_each(|(place, dimension)| {
                let comma = if place == 0 { "" } else { "," };
                write!(f, "{comma}{dimension}")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Problem;

    #[track_caller]
    fn check(dimensions: &[usize], sizes: &[u32], strides: &[u64]) {
        let problem: Problem = "argmax:4x[7]x3xi8".parse().unwrap();
        let map = IndexMap::new(dimensions, 3).unwrap();
        assert_eq!(map.sizes(&problem.shape).as_slice(), sizes);
        assert_eq!(map.strides(&problem.shape).as_slice(), strides);
        let elements: u64 = sizes.iter().map(|&size| u64::from(size)).product();
        assert_eq!(map.elements(&problem.shape), elements);
        assert_eq!(map.is_all(&problem.shape), dimensions == [0, 1, 2]);
    }

    #[test]
    fn strides_are_those_of_a_dense_input() {
        check(&[0, 1, 2], &[4, 7, 3], &[21, 3, 1]);
        check(&[2, 0], &[3, 4], &[1, 0, 4]);
        check(&[1], &[7], &[0, 1, 0]);
        check(&[], &[], &[0, 0, 0]);
    }

    #[test]
    fn a_dimension_is_there_once() {
        assert_eq!(IndexMap::new(&[1, 1], 3), None);
        assert_eq!(IndexMap::new(&[3], 3), None);
    }
}
