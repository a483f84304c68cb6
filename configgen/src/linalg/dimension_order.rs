//! The dimensions of a problem, in the words of an iteration.
//!
//! A problem's first input has all of its dimensions, outermost first. The dimensions of an iteration may stand in another order, and some of
//! size 1 may be missing there, as they are in a product of matrices that is one of a matrix and a vector:
//!
//! ```text
//! (m, n, k) of 1x1000x4096, where the inputs have (m, k) and (k, n)  →  [4096]x1000, of which the second input is the first
//! ```

use arrayvec::ArrayVec;

use super::sizes::{Dynamic, ProblemSizes};
use crate::shape::MAX_RANK;

/// Which dimension of the iteration each dimension of the problem is.
pub(super) struct DimensionOrder {
    /// Which of the inputs is the first one of the problem.
    pub(super) first: usize,
    dimensions: ArrayVec<usize, MAX_RANK>,
}

impl DimensionOrder {
    /// The order of the first input that has all dimensions, and the parallel ones as the output has them; an input whose dimensions
    /// are in the iteration's order goes before. Where there is none, parallel dimensions of size 1 are left out.
    pub(super) fn of(
        sizes: &[Option<u64>],
        reduced: &[bool],
        inputs: &[&[usize]],
        output: &[usize],
    ) -> Option<DimensionOrder> {
        let may_be_left_out = |d: usize| sizes[d] == Some(1) && !reduced[d];
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

    /// The sizes of the problem, of those of the iteration.
    ///
    /// # Errors
    /// The dimension of the iteration whose size is known at launch only, where no problem has that.
    pub(super) fn sizes(
        &self,
        sizes: &[Option<u64>],
        reduced: &[bool],
    ) -> Result<ProblemSizes, Dynamic> {
        let ordered: ArrayVec<_, MAX_RANK> = self.dimensions.iter().map(|&d| sizes[d]).collect();
        let found = ProblemSizes::of(&ordered, |d| reduced[self.dimensions[d]]);
        found.map_err(|Dynamic(d)| Dynamic(self.dimensions[d]))
    }

    /// Those dimensions of the problem that these of the iteration are, as an input has them.
    pub(super) fn of_input(&self, dimensions: &[usize]) -> Vec<usize> {
        let place = |d: &usize| self.dimensions.iter().position(|it| it == d);
        dimensions.iter().filter_map(place).collect()
    }
}
