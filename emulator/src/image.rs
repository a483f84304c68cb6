//! Images of code objects: what the segments of a file look like in memory, and which allocations hold one.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::address::Address;

/// The segments as they lie in memory, before the load address is known.
pub(crate) struct Image {
    /// No other image that this process has read has the same.
    pub(crate) number: u64,
    pub(crate) bytes: Vec<u8>,
    /// Offsets of 64-bit words to which the load address is added.
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

    /// The 32-bit word at `address`.
    pub(crate) fn word(&self, address: u64) -> Option<u32> {
        let start = usize::try_from(address).ok()?;
        let bytes = self.bytes.get(start..start.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    /// Adds the load address where `target`, a copy of the image, needs it.
    pub(crate) fn relocate(&self, target: &mut [u8], load_address: u64) {
        for &offset in &self.relocations {
            let word = &mut target[offset as usize..offset as usize + 8];
            let value = u64::from_le_bytes(word.try_into().expect("eight bytes"));
            word.copy_from_slice(&value.wrapping_add(load_address).to_le_bytes());
        }
    }
}

/// The allocations of a memory that hold an image, by the image's number.
#[derive(Default)]
pub(crate) struct Images {
    /// The one that the last launch left for the next.
    kept: Option<(u64, Address)>,
    /// Those that stay until they are freed.
    placed: Vec<(u64, Address)>,
}

impl Images {
    /// The allocation stays what it is until it is freed.
    pub(crate) fn place(&mut self, number: u64, address: Address) {
        self.placed.push((number, address));
    }

    pub(crate) fn placed(&self, number: u64) -> Option<Address> {
        let mut placed = self.placed.iter();
        Some(placed.find(|one| one.0 == number)?.1)
    }

    /// Leaves the allocation to the next launch, of which there is nothing else.
    pub(crate) fn keep(&mut self, number: u64, address: Address) {
        self.kept = Some((number, address));
    }

    /// Takes the allocation that was kept, and the number of its image.
    pub(crate) fn take_kept(&mut self) -> Option<(u64, Address)> {
        self.kept.take()
    }

    /// Takes over the images of another memory that lie in allocations of which `is_here` says that they come along.
    pub(crate) fn join(&mut self, other: Images, is_here: impl Fn(Address) -> bool) {
        let placed = other.placed.into_iter();
        self.placed.extend(placed.filter(|one| is_here(one.1)));
        self.kept = self.kept.or(other.kept.filter(|one| is_here(one.1)));
    }

    /// The allocation is freed.
    pub(crate) fn forget(&mut self, address: Address) {
        self.placed.retain(|one| one.1 != address);
    }
}
