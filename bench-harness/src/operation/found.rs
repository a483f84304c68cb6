//! What a kernel returned for a row.

/// Outputs are filled with this byte before every launch, unless the fold begins at what they hold. As an index it is negative,
/// so a row that was not written cannot pass for right.
pub(crate) const POISON: u8 = 0xa5;

/// The results of a row, in the order of a kernel's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// The bits of each, in the low ones.
    pub(crate) bits: Vec<u64>,
    /// The bytes of each.
    sizes: Vec<u32>,
}

impl Found {
    pub(crate) fn new(results: impl IntoIterator<Item = (u64, u32)>) -> Found {
        let (bits, sizes) = results.into_iter().unzip();
        Found { bits, sizes }
    }

    /// Whether a result still has its poison.
    pub(crate) fn is_poison(&self, result: usize) -> bool {
        self.bits[result] == poison(self.sizes[result])
    }

    /// A result read as a signed integer.
    pub(crate) fn signed(&self, result: usize) -> i64 {
        let unused = 64 - 8 * self.sizes[result];
        (self.bits[result] << unused) as i64 >> unused
    }
}

/// A poisoned result of so many bytes.
pub(crate) fn poison(bytes: u32) -> u64 {
    u64::from_le_bytes([POISON; 8]) >> (64 - 8 * bytes)
}
