//! The address space of the emulated device: the allocation and the offset that an address names.
//!
//! Each *allocation* owns one *slot* of 64 GiB. The slot number is therefore a shift of the
//! address, and the rest of the slot is an unmapped guard. Slots 0 to 15 stay unused, so that
//! null and small integers are always out of bounds.

/// Log2 of the slot size in bytes.
pub(crate) const SLOT_BITS: u32 = 36;
/// The first slot that an allocation may use.
pub(crate) const FIRST_SLOT: usize = 16;
/// The number of slots below 2^47, the lower half of the 48-bit canonical addresses.
pub(crate) const SLOTS: usize = 1 << (47 - SLOT_BITS);

/// The address of an allocation's first byte on the emulated device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address(pub(crate) u64);

impl Address {
    /// Returns the number that a kernel argument holds.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl From<Address> for u64 {
    fn from(address: Address) -> u64 {
        address.0
    }
}

/// Returns the index of the slot that contains `address`, counted from [`FIRST_SLOT`]. Returns
/// None for the slots below it.
#[inline]
pub(crate) fn slot_of(address: u64) -> Option<usize> {
    ((address >> SLOT_BITS) as usize).checked_sub(FIRST_SLOT)
}

/// Returns the first address of the slot that contains `address`.
pub(crate) fn slot_start(address: u64) -> Address {
    Address(address >> SLOT_BITS << SLOT_BITS)
}

/// Returns the offset of `address` in its slot, in bytes.
#[inline]
pub(crate) fn offset_of(address: u64) -> usize {
    (address & ((1 << SLOT_BITS) - 1)) as usize
}
