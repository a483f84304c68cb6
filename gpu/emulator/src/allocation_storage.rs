//! The owner of an allocation's bytes: the emulated memory, the host, or a borrower.

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// The bytes of an allocation.
pub(crate) enum AllocationStorage {
    /// Bytes that only the emulated device uses.
    Own(Vec<u8>),
    /// Bytes of the host, which keeps them readable and writable: see
    /// [`EmulatedMemory::adopt_host`](crate::EmulatedMemory::adopt_host).
    Host(NonNull<[u8]>),
    /// No bytes here: a borrower holds them. See
    /// [`EmulatedMemory::lend`](crate::EmulatedMemory::lend).
    Lent,
}

// SAFETY: `Own` is a vector. `Host` is equivalent to a `&mut [u8]`: the caller of `adopt_host`
// guarantees it.
unsafe impl Send for AllocationStorage {}
// SAFETY: as above.
unsafe impl Sync for AllocationStorage {}

impl Deref for AllocationStorage {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            AllocationStorage::Own(bytes) => bytes,
            // SAFETY: the caller of `adopt_host` guarantees that the bytes are readable.
            AllocationStorage::Host(bytes) => unsafe { bytes.as_ref() },
            AllocationStorage::Lent => &[],
        }
    }
}

impl DerefMut for AllocationStorage {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            AllocationStorage::Own(bytes) => bytes,
            // SAFETY: the caller of `adopt_host` guarantees that the bytes are writable.
            AllocationStorage::Host(bytes) => unsafe { bytes.as_mut() },
            AllocationStorage::Lent => &mut [],
        }
    }
}
