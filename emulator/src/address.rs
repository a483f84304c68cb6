//! Addresses of an emulated device: which allocation one belongs to, and where in it.
//!
//! An *allocation* owns one *slot* of 64 GiB, so the slot of an address is a shift and the rest of the slot is an
//! unmapped guard. Slots 0 to 15 are never given out: null and small integers are always out of bounds.

/// Log2 of the bytes of address space that an allocation owns.
pub(crate) const SLOT_BITS: u32 = 36;
/// First slot that is given out.
pub(crate) const FIRST_SLOT: usize = 16;
/// Slots below the 48-bit canonical limit.
pub(crate) const SLOTS: usize = 1 << (47 - SLOT_BITS);

/// The address of an allocation's first byte on the emulated device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address(pub(crate) u64);

impl Address {
    /// The number that a kernel argument holds.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl From<Address> for u64 {
    fn from(address: Address) -> u64 {
        address.0
    }
}

/// Which of the slots that are given out an address lies in, if it can be one.
#[inline]
pub(crate) fn slot_of(address: u64) -> Option<usize> {
    ((address >> SLOT_BITS) as usize).checked_sub(FIRST_SLOT)
}

/// The address of the slot that `address` lies in.
pub(crate) fn slot_start(address: u64) -> Address {
    Address(address >> SLOT_BITS << SLOT_BITS)
}

/// Where in its slot an address lies.
#[inline]
pub(crate) fn offset_of(address: u64) -> usize {
    (address & ((1 << SLOT_BITS) - 1)) as usize
}
