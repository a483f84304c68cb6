//! Packed elements: the elements or results of a row, by their bits.

/// Elements or indices, one after the other, each in the same number of bytes, at most eight.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PackedElements<'a> {
    bytes: &'a [u8],
    size: usize,
}

impl<'a> PackedElements<'a> {
    /// Creates a view of elements of `size` bytes each. It ignores an incomplete last element.
    pub(crate) fn new(bytes: &'a [u8], size: u32) -> PackedElements<'a> {
        let size = size as usize;
        let whole = bytes.len() / size * size;
        let bytes = &bytes[..whole];
        PackedElements { bytes, size }
    }

    /// Returns row `number` of rows with `length` elements each.
    pub(crate) fn row(&self, number: usize, length: usize) -> PackedElements<'a> {
        let row = length * self.size;
        PackedElements {
            bytes: &self.bytes[number * row..][..row],
            size: self.size,
        }
    }

    /// Returns the bits of element `number`, if it exists.
    #[inline]
    pub(crate) fn get(&self, number: usize) -> Option<u64> {
        let bytes = self.bytes.get(number * self.size..)?;
        // A copy of a length that the compiler knows is one load, and all elements have one of
        // these sizes.
        Some(match self.size {
            4 => u32::from_le_bytes(*bytes.first_chunk()?).into(),
            2 => u16::from_le_bytes(*bytes.first_chunk()?).into(),
            8 => u64::from_le_bytes(*bytes.first_chunk()?),
            _ => (bytes.get(..self.size)?.iter().rev())
                .fold(0, |bits, &byte| bits << 8 | u64::from(byte)),
        })
    }

    /// Iterates over the bits of all elements.
    pub(crate) fn iter(self) -> impl Iterator<Item = u64> + use<'a> {
        (0..self.len()).filter_map(move |number| self.get(number))
    }

    /// Returns element `number` as a signed integer, if it exists.
    pub(crate) fn signed(&self, number: usize) -> Option<i64> {
        let unused = 64 - 8 * self.size as u32;
        let bits = self.get(number)?;
        Some((bits << unused) as i64 >> unused)
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len() / self.size
    }
}
