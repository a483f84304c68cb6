//! What a kernel returned for a row.

use std::borrow::Cow;

use crate::packed_elements::PackedElements;

/// Outputs are filled with this byte before every launch, unless the fold begins at what they hold. As an index it is negative,
/// so a row that was not written cannot pass for right.
pub(crate) const POISON: u8 = 0xa5;

/// The results of a row, in the order of a kernel's arguments: of each one element, or one for each of the row's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RowResults<'a> {
    /// The elements of each, one behind the other, and the bytes of one.
    results: Vec<(Cow<'a, [u8]>, u32)>,
}

impl<'a> RowResults<'a> {
    pub(crate) fn new(results: impl IntoIterator<Item = (Cow<'a, [u8]>, u32)>) -> RowResults<'a> {
        RowResults {
            results: results.into_iter().collect(),
        }
    }

    /// The elements of a result.
    pub(crate) fn elements(&self, result: usize) -> PackedElements<'_> {
        let (bytes, size) = &self.results[result];
        PackedElements::new(bytes, *size)
    }

    /// The bits of a result that has one element, in the low ones.
    pub(crate) fn bits(&self, result: usize) -> u64 {
        self.elements(result).get(0).unwrap_or_default()
    }

    /// Whether a result of one element still has its poison.
    pub(crate) fn is_poison(&self, result: usize) -> bool {
        self.bits(result) == poison(self.results[result].1)
    }

    /// A result of one element, read as a signed integer.
    pub(crate) fn signed(&self, result: usize) -> i64 {
        self.elements(result).signed(0).unwrap_or_default()
    }
}

/// A poisoned result of so many bytes.
pub(crate) fn poison(bytes: u32) -> u64 {
    u64::from_le_bytes([POISON; 8]) >> (64 - 8 * bytes)
}
