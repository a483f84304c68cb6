//! Output addressing: the positions of rows' results in an output tensor, which has no gaps.

use std::borrow::Cow;
use std::ops::Range;

use configgen::reduction::Tensor;
use configgen::{Problem, Shape};

use super::{RowAddressing, Spans};

/// The addressing of rows in one output tensor.
#[derive(Debug)]
pub(crate) struct OutputAddressing {
    /// The size of the tensor in bytes.
    pub(crate) bytes: u64,
    /// The size of an element in bytes.
    pub(crate) size: u32,
    places: RowAddressing,
    spans: Spans,
}

impl OutputAddressing {
    /// Creates the addressing of each result of a problem.
    pub(crate) fn all(problem: &Problem) -> Vec<OutputAddressing> {
        let results = problem.results();
        let output = |tensor: &Tensor| OutputAddressing::new(&problem.shape, tensor);
        results.iter().map(output).collect()
    }

    fn new(shape: &Shape, tensor: &Tensor) -> OutputAddressing {
        let (size, map) = (tensor.scalar.bytes(), tensor.extent.map(shape));
        OutputAddressing {
            bytes: tensor.bytes(shape),
            size,
            places: RowAddressing::dense(shape, size, &map),
            spans: Spans::new(shape, size, &map),
        }
    }

    /// Returns the row's part of the tensor: one element, or one per element of the row.
    pub(crate) fn row<'a>(&self, tensor: &'a [u8], row: u64) -> Cow<'a, [u8]> {
        self.places.read(tensor, row)
    }

    /// Passes the bytes of these rows to `take`, in ascending ranges that do not adjoin. `rows`
    /// ascend, too.
    ///
    /// # Errors
    /// The first error of `take`.
    pub(crate) fn spans<E>(
        &self,
        rows: &[Range<u64>],
        take: impl FnMut(Range<u64>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.spans.each(rows, take)
    }

    /// Returns the row that a byte of the tensor belongs to.
    pub(crate) fn row_at(&self, byte: u64) -> u64 {
        self.spans.row_at(byte)
    }
}
