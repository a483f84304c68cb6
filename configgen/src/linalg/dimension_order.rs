//! The correspondence between a problem's dimensions and those of an iteration.
//!
//! A problem's first input has all dimensions, outermost first. The iteration may have another
//! order. The problem may also omit dimensions of size 1, as for a product of matrices that is
//! one of a matrix and a vector:

use arrayvec::ArrayVec;

use super::sizes::{Dynamic, ProblemSizes};
use crate::shape::MAX_RANK;

/// The dimension of the iteration that corresponds to each dimension of the problem.
pub(super) struct DimensionOrder {
    /// The number of the input that is the problem's first one.
    pub(super) first: usize,
    dimensions: ArrayVec<usize, MAX_RANK>,
}

impl DimensionOrder {
    /// Returns the order of the first input with all dimensions and the output's order of
    /// parallel ones.
    ///
    /// It prefers an input with its dimensions in the iteration's order. If no input has all
    /// dimensions, it omits parallel dimensions of size 1.
    pub(super) fn of(
        sizes: &[Option<u64>],
        reduced: &[bool],
        inputs: &[&[usize]],
        output: &[usize],
    ) -> Option<DimensionOrder> {
        let may_be_left_out = |d: usize| sizes[d] == Some(1) && !reduced[d];
        // The second attempt omits dimensions of size 1, so exact matches go first.
        Self::without(|_| false, reduced, inputs, output)
            .or_else(|| Self::without(may_be_left_out, reduced, inputs, output))
    }

    fn without(
        is_left_out: impl Fn(usize) -> bool,
        reduced: &[bool],
        inputs: &[&[usize]],
        output: &[usize],
    ) -> Option<DimensionOrder> {
        let kept = |dimensions: &[usize]| -> ArrayVec<usize, MAX_RANK> {
            let dimensions = dimensions.iter().copied();
            dimensions.filter(|&d| !is_left_out(d)).collect()
        };
        let rank = (0..reduced.len()).filter(|&d| !is_left_out(d)).count();
        let output = kept(output);
        let orders = inputs.iter().map(|it| kept(it)).enumerate();
        let orders = orders.filter(|(_, dimensions)| {
            let parallel = dimensions.iter().filter(|&&d| !reduced[d]);
            dimensions.len() == rank && parallel.eq(&output)
        });
        let (first, dimensions) = orders.min_by_key(|(_, it)| !it.is_sorted())?;
        Some(DimensionOrder { first, dimensions })
    }

    /// Returns the sizes of the problem.
    ///
    /// # Errors
    /// Returns the dimension of the iteration with an open size, if no problem allows that.
    pub(super) fn sizes(
        &self,
        sizes: &[Option<u64>],
        reduced: &[bool],
    ) -> Result<ProblemSizes, Dynamic> {
        let ordered: ArrayVec<_, MAX_RANK> = self.dimensions.iter().map(|&d| sizes[d]).collect();
        let found = ProblemSizes::joined(&ordered, |d| reduced[self.dimensions[d]]);
        found.map_err(|Dynamic(d)| Dynamic(self.dimensions[d]))
    }

    /// Returns the problem dimensions for these dimensions of the iteration, in an input's order.
    pub(super) fn of_input(&self, dimensions: &[usize]) -> Vec<usize> {
        let place = |d: &usize| self.dimensions.iter().position(|it| it == d);
        dimensions.iter().filter_map(place).collect()
    }
}
