//! Rows as the reference and the verdict see them: elements by their bits, and the index of each.

use ndarray::{ArrayView2, s};

/// A value, by its bits, and an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) value: u64,
    pub(crate) index: i64,
}

/// Values or indices, one behind the other, each in the same number of bytes, at most eight: one a row, a byte a column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packed<'a>(ArrayView2<'a, u8>);

impl<'a> Packed<'a> {
    /// Of `size` bytes each; what is left over is not seen.
    pub(crate) fn new(bytes: &'a [u8], size: u32) -> Packed<'a> {
        let size = size as usize;
        let whole = bytes.chunks_exact(size).len();
        let view = ArrayView2::from_shape((whole, size), &bytes[..whole * size]);
        Packed(view.expect("so many bytes there are"))
    }

    /// The part that is row `number` of rows of `length`.
    pub(crate) fn row(&self, number: usize, length: usize) -> Packed<'a> {
        let from = number * length;
        Packed(self.0.slice_move(s![from..from + length, ..]))
    }

    pub(crate) fn bytes(&self) -> impl Iterator<Item = &u8> {
        self.0.iter()
    }

    /// The bits of number `number`, if it is there.
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

    /// Number `number` read as a signed integer, if it is there.
    pub(crate) fn signed(&self, number: usize) -> Option<i64> {
        let unused = 64 - 8 * self.0.ncols() as u32;
        let bits = self.get(number)?;
        Some((bits << unused) as i64 >> unused)
    }

    fn len(&self) -> usize {
        self.0.nrows()
    }
}

/// The indices of a row's elements.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Indices<'a> {
    /// The position plus this; it does not overflow the index type.
    Based(i64),
    /// One for each element.
    Explicit(Packed<'a>),
}

impl Indices<'_> {
    /// The index of the element at a position, if there is one.
    pub(crate) fn get(&self, position: usize) -> Option<i64> {
        match self {
            Indices::Based(base) => Some(base + position as i64),
            Indices::Explicit(indices) => indices.signed(position),
        }
    }
}

/// One row that is checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    pub(crate) elements: Packed<'a>,
    /// The bits of an element that count.
    pub(crate) mask: u64,
    pub(crate) indices: Indices<'a>,
}

impl Row<'_> {
    /// The element at a position with its index, if there is one.
    pub(crate) fn get(&self, position: usize) -> Option<Pair> {
        let value = self.elements.get(position)? & self.mask;
        let index = self.indices.get(position)?;
        Some(Pair { value, index })
    }

    /// The first position with this index whose element's bits are accepted.
    pub(crate) fn find(&self, index: i64, mut accepts: impl FnMut(u64) -> bool) -> Option<usize> {
        let mut accepts_at = |&position: &usize| {
            let element = self.get(position).filter(|element| element.index == index);
            element.is_some_and(|element| accepts(element.value))
        };
        match self.indices {
            Indices::Based(base) => {
                let position = usize::try_from(index.checked_sub(base)?).ok()?;
                Some(position).filter(accepts_at)
            }
            Indices::Explicit(_) => (0..self.elements.len()).find(|position| accepts_at(position)),
        }
    }
}
