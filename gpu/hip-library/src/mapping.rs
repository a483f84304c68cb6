//! Host memory that the device sees at the same address.

use std::ptr::NonNull;

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

/// Bytes of the device's address space that one allocation owns: see
/// [`emulator::EmulatedMemory::adopt_host`].
const SLOT_BYTES: u64 = 1 << 36;
/// The start of mappings. The emulator's own allocations are below, and no program is here.
const FIRST: u64 = 64 * SLOT_BYTES;
/// The end of the addresses that the device uses. Programs, libraries and stacks of the host are
/// above (Linux, x86-64).
pub(crate) const END: u64 = 0x5400_0000_0000;

/// Zeroed bytes of the host, mapped at the start of a slot.
pub(crate) struct Mapping(NonNull<[u8]>);

// SAFETY: a mapping is an owned piece of memory.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps `bytes` bytes in the first slot that is free on the host, and on the device according
    /// to `is_free`. Returns `None` if there is no such slot, or no memory.
    pub(crate) fn new(bytes: usize, is_free: impl Fn(u64) -> bool) -> Option<Mapping> {
        if bytes == 0 || bytes as u64 > SLOT_BYTES {
            return None;
        }
        let starts = (FIRST..END).step_by(SLOT_BYTES as usize);
        starts
            .filter(|start| is_free(*start))
            .find_map(|start| Mapping::at(start, bytes))
    }

    fn at(start: u64, bytes: usize) -> Option<Mapping> {
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::FIXED_NOREPLACE;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the flag refuses addresses where something is mapped already.
        let found = unsafe { mmap_anonymous(start as *mut _, bytes, access, flags) }.ok()?;
        let place = NonNull::new(found.cast::<u8>())?;
        let mapping = Mapping(NonNull::slice_from_raw_parts(place, bytes));
        // A Linux kernel without support for the flag takes the address as a hint.
        (mapping.start() == start).then_some(mapping)
    }

    pub(crate) fn bytes(&self) -> NonNull<[u8]> {
        self.0
    }

    pub(crate) fn start(&self) -> u64 {
        self.0.cast::<u8>().as_ptr() as u64
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: it was mapped by `at`, and its owner has told the device that it is gone.
        let unmapped = unsafe { munmap(self.0.cast::<u8>().as_ptr().cast(), self.0.len()) };
        debug_assert!(unmapped.is_ok());
    }
}
