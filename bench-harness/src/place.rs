//! Places: where the elements of a row lie in the buffer of the input.

use configgen::Problem;
use ndarray::{ArrayViewMut, Axis, IxDyn, ShapeBuilder};

/// The places of one problem's rows.
pub(crate) struct Places<'a> {
    problem: &'a Problem,
    /// Bytes between neighbours along each dimension.
    strides: Vec<u64>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(problem: &'a Problem) -> Places<'a> {
        let bytes = u64::from(problem.element.bytes());
        let strides = problem.shape.strides();
        Places {
            problem,
            strides: strides.into_iter().map(|stride| stride * bytes).collect(),
        }
    }

    /// Whether the elements of each row lie together, in their order.
    pub(crate) fn rows_are_contiguous(&self) -> bool {
        let shape = &self.problem.shape;
        let reduced: Vec<usize> = shape.reduced().collect();
        let are_last = reduced.iter().rev().eq((0..shape.rank())
            .rev()
            .take(reduced.len())
            .collect::<Vec<_>>()
            .iter());
        are_last && (reduced.len() == 1 || shape.is_dense())
    }

    /// The position of a row along each parallel dimension, innermost first.
    fn position(&self, number: u64) -> impl Iterator<Item = (usize, u64)> {
        let shape = &self.problem.shape;
        let mut left = number;
        (0..shape.rank())
            .rev()
            .filter(|&d| !shape.is_reduced(d))
            .map(move |d| {
                let size = u64::from(shape.sizes()[d]);
                let at = left % size;
                left /= size;
                (d, at)
            })
    }

    /// The byte at which row `number` begins.
    pub(crate) fn offset(&self, number: u64) -> u64 {
        self.position(number)
            .map(|(d, at)| at * self.strides[d])
            .sum()
    }

    /// Writes a row into an image of the whole buffer.
    pub(crate) fn write_row(&self, image: &mut [u8], number: u64, row: &[u8]) {
        let element = self.problem.element.bytes() as usize;
        // One more dimension for the bytes of an element.
        let mut sizes: Vec<usize> = self
            .problem
            .shape
            .sizes()
            .iter()
            .map(|&size| size as usize)
            .collect();
        let mut strides: Vec<usize> = self.strides.iter().map(|&stride| stride as usize).collect();
        sizes.push(element);
        strides.push(1);
        let shape = IxDyn(&sizes).strides(IxDyn(&strides));
        let mut view = ArrayViewMut::from_shape(shape, image).expect("the image has all elements");
        for (d, at) in self.position(number) {
            view.collapse_axis(Axis(d), at as usize);
        }
        view.iter_mut().zip(row).for_each(|(to, from)| *to = *from);
    }
}
