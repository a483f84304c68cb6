//! Packed elements: the elements or results of a row, by their bits.

use ndarray::{ArrayView2, s};

/// Elements or indices, one after the other, each in the same number of bytes, at most eight. The
/// array has an element per row and a byte per column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PackedElements<'a>(ArrayView2<'a, u8>);

impl<'a> PackedElements<'a> {
    /// Creates a view of elements of `size` bytes each. It ignores an incomplete last element.
    pub(crate) fn new(bytes: &'a [u8], size: u32) -> PackedElements<'a> {
        let size = size as usize;
        let whole = bytes.chunks_exact(size).len();
        let view = ArrayView2::from_shape((whole, size), &bytes[..whole * size]);
        PackedElements(view.expect("so many bytes there are"))
    }

    /// Returns row `number` of rows with `length` elements each.
    pub(crate) fn row(&self, number: usize, length: usize) -> PackedElements<'a> {
        let from = number * length;
        PackedElements(self.0.slice_move(s![from..from + length, ..]))
    }

    /// Shortens the lifetime of the view. An array view does not do so implicitly.
    pub(crate) fn reborrow<'b>(self) -> PackedElements<'b>
    where
        'a: 'b,
    {
        PackedElements(self.0.reborrow())
    }

    /// Returns the bits of element `number`, if it exists.
    pub(crate) fn get(&self, number: usize) -> Option<u64> {
        if number >= self.len() {
            return None;
        }
        let mut padded = [0; 8];
        for (to, from) in padded.iter_mut().zip(self.0.row(number)) {
            *to = *from;
        }
        Some(u64::from_le_bytes(padded))
    }

    /// Returns element `number` as a signed integer, if it exists.
    pub(crate) fn signed(&self, number: usize) -> Option<i64> {
        let unused = 64 - 8 * self.0.ncols() as u32;
        let bits = self.get(number)?;
        Some((bits << unused) as i64 >> unused)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.nrows()
    }
}
