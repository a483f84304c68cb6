//! Where the bytes of an allocation are: with the memory of the device, the host, or who was lent them.

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// The bytes of an allocation.
pub(crate) enum AllocationStorage {
    /// They are there for the device alone.
    Own(Vec<u8>),
    /// They are the host's, who keeps them readable and writable: see
    /// [`Memory::adopt_host`](crate::Memory::adopt_host).
    Host(NonNull<[u8]>),
    /// They are with who was lent them: see [`Memory::lend`](crate::Memory::lend).
    Lent,
}

// SAFETY: `Own` is a vector. `Host` is what a `&mut [u8]` is, as whoever made it has promised.
unsafe impl Send for AllocationStorage {}
// SAFETY: as above.
unsafe impl Sync for AllocationStorage {}

impl Deref for AllocationStorage {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            AllocationStorage::Own(bytes) => bytes,
            // SAFETY: whoever made it has promised that the bytes are readable.
            AllocationStorage::Host(bytes) => unsafe { bytes.as_ref() },
            AllocationStorage::Lent => &[],
        }
    }
}

impl DerefMut for AllocationStorage {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            AllocationStorage::Own(bytes) => bytes,
            // SAFETY: whoever made it has promised that the bytes are writable.
            AllocationStorage::Host(bytes) => unsafe { bytes.as_mut() },
            AllocationStorage::Lent => &mut [],
        }
    }
}
