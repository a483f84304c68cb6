//! Row results: the results that a kernel returned for a row.

use std::borrow::Cow;

use crate::packed_elements::PackedElements;

/// The byte that fills outputs before each launch, unless the fold begins at its results.
///
/// As an index it is negative, so an unwritten row is never correct. As an f16 it is a NaN that no
/// kernel makes, and as another float it has a magnitude of 1.7e38 or more. Such results are rare;
/// -0.022, an f16 of other bytes, was not.
pub(crate) const POISON: u8 = 0xfe;

/// The results of a row, in the order of the kernel's arguments. Each has one element, or one per
/// element of the row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RowResults<'a> {
    /// The bytes of each result's elements, and the size of an element in bytes.
    results: Vec<(Cow<'a, [u8]>, u32)>,
}

impl<'a> RowResults<'a> {
    pub(crate) fn new(results: impl IntoIterator<Item = (Cow<'a, [u8]>, u32)>) -> RowResults<'a> {
        RowResults {
            results: results.into_iter().collect(),
        }
    }

    /// Returns the elements of a result.
    pub(crate) fn elements(&self, result: usize) -> PackedElements<'_> {
        let (bytes, size) = &self.results[result];
        PackedElements::new(bytes, *size)
    }

    /// Returns the bits of a result with one element, in the low bits.
    pub(crate) fn bits(&self, result: usize) -> u64 {
        self.elements(result).get(0).unwrap_or_default()
    }

    /// Returns true if a result with one element still has its poison.
    pub(crate) fn is_poison(&self, result: usize) -> bool {
        self.bits(result) == poison(self.results[result].1)
    }

    /// Returns a result with one element as a signed integer.
    pub(crate) fn signed(&self, result: usize) -> i64 {
        self.elements(result).signed(0).unwrap_or_default()
    }
}

/// Returns the poison of a result of so many bytes.
pub(crate) fn poison(bytes: u32) -> u64 {
    u64::from_le_bytes([POISON; 8]) >> (64 - 8 * bytes)
}
