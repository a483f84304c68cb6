//! Images of code objects: the segments of a file in memory, and the allocations that contain
//! them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::address::Address;

/// The segments as they lie in memory, before the load address is known.
pub(crate) struct Image {
    /// An identifier that is unique in this process.
    pub(crate) number: u64,
    pub(crate) bytes: Vec<u8>,
    /// Offsets of the 64-bit words to relocate.
    relocations: Vec<u64>,
}

impl Image {
    pub(crate) fn new(bytes: Vec<u8>, relocations: Vec<u64>) -> Image {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Image {
            number: NEXT.fetch_add(1, Relaxed),
            bytes,
            relocations,
        }
    }

    /// Returns the 32-bit word at `address`.
    pub(crate) fn word(&self, address: u64) -> Option<u32> {
        let start = usize::try_from(address).ok()?;
        let bytes = self.bytes.get(start..start.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    /// Adds the load address to each relocated word of `target`, a copy of the image.
    pub(crate) fn relocate(&self, target: &mut [u8], load_address: u64) {
        for &offset in &self.relocations {
            let word = &mut target[offset as usize..offset as usize + 8];
            let value = u64::from_le_bytes(word.try_into().expect("eight bytes"));
            word.copy_from_slice(&value.wrapping_add(load_address).to_le_bytes());
        }
    }
}

/// The allocations that contain an image, by the image's number.
#[derive(Default)]
pub(crate) struct Images {
    /// The image that the last launch left for the next.
    kept: Option<(u64, Address)>,
    /// Images that stay until the caller frees them.
    placed: Vec<(u64, Address)>,
}

impl Images {
    /// Records an image that stays until the caller frees its allocation.
    pub(crate) fn place(&mut self, number: u64, address: Address) {
        self.placed.push((number, address));
    }

    pub(crate) fn placed(&self, number: u64) -> Option<Address> {
        let mut placed = self.placed.iter();
        Some(placed.find(|one| one.0 == number)?.1)
    }

    /// Leaves the allocation to the next launch. Only one image stays this way.
    pub(crate) fn keep(&mut self, number: u64, address: Address) {
        self.kept = Some((number, address));
    }

    /// Takes the kept allocation, with the number of its image.
    pub(crate) fn take_kept(&mut self) -> Option<(u64, Address)> {
        self.kept.take()
    }

    /// Adopts the images of another memory, if `is_here` accepts their allocation.
    pub(crate) fn join(&mut self, other: Images, is_here: impl Fn(Address) -> bool) {
        let placed = other.placed.into_iter();
        self.placed.extend(placed.filter(|one| is_here(one.1)));
        self.kept = self.kept.or(other.kept.filter(|one| is_here(one.1)));
    }

    /// Removes the image of a freed allocation.
    pub(crate) fn forget(&mut self, address: Address) {
        self.placed.retain(|one| one.1 != address);
    }
}
