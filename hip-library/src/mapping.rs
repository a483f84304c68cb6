//! Memory of the host at an address that the device uses for it too.

use std::ptr::NonNull;

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

/// Bytes of the device's address space that an allocation owns: see [`emulator::Memory::adopt_host`].
const SLOT_BYTES: u64 = 1 << 36;
/// Where mappings begin: the emulator's own allocations come before, and no program lies here.
const FIRST: u64 = 64 * SLOT_BYTES;
/// Behind the last address that the device uses: programs, libraries and stacks of the host come after (Linux, x86-64).
pub(crate) const END: u64 = 0x5400_0000_0000;

/// Zero bytes of the host's, mapped where a slot starts.
pub(crate) struct Mapping(NonNull<[u8]>);

// SAFETY: it is an owned piece of memory.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps so many bytes in the first slot that is free on the host and of which `is_free` says that it is on the device;
    /// None where there is no such slot or no room.
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
        // A kernel that does not know the flag takes the address for a wish.
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
