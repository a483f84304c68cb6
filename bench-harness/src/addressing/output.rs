//! Where the results of rows lie in a tensor of results, which has no gaps.

use std::borrow::Cow;
use std::ops::Range;

use configgen::reduction::Tensor;
use configgen::{Problem, Shape};

use super::{RowAddressing, Spans};

/// The places of the results of rows in the tensor of one of them.
#[derive(Debug)]
pub(crate) struct OutputAddressing {
    /// Bytes of the tensor.
    pub(crate) bytes: u64,
    /// Bytes of an element.
    pub(crate) size: u32,
    places: RowAddressing,
    spans: Spans,
}

impl OutputAddressing {
    /// The places of each result of a problem.
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

    /// What the tensor holds of a row: one element, or one for each of the row's.
    pub(crate) fn row<'a>(&self, tensor: &'a [u8], row: u64) -> Cow<'a, [u8]> {
        self.places.read(tensor, row)
    }

    /// Passes the bytes that are these rows' to `take`, in ascending ranges of which none begins where another ends. The rows are
    /// ascending ranges, too.
    ///
    /// # Errors
    /// The first of `take`.
    pub(crate) fn spans<E>(
        &self,
        rows: &[Range<u64>],
        take: impl FnMut(Range<u64>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.spans.each(rows, take)
    }

    /// The row that a byte of the tensor is of.
    pub(crate) fn row_at(&self, byte: u64) -> u64 {
        self.spans.row_at(byte)
    }
}
