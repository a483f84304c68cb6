//! The 64-bit address space of a device: separate allocations, each with bounds for every access.
//!
//! The memory knows neither kernels nor waves. It does record the allocations that contain images
//! of code objects, so that a freed one is no longer an image.

mod lending;

use std::ops::Range;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use crate::address::{Address, FIRST_SLOT, SLOT_BITS, SLOTS, offset_of, slot_of};
use crate::allocation_storage::AllocationStorage;
use crate::concurrent_memory::{AtomicBytes, ConcurrentMemory};
use crate::error::MemoryError;
use crate::image::Images;
use crate::undefined_bytes::UndefinedBytes;

/// The memory of an emulated device.
///
/// Fresh allocations are zero and take host memory only for the pages that a kernel touches. A
/// large buffer therefore costs little if the kernel reads little of it.
#[derive(Default)]
pub struct EmulatedMemory {
    /// The allocations, by slot minus [`FIRST_SLOT`]; freed slots are empty and used again.
    slots: Vec<Option<AllocationStorage>>,
    /// The allocations that contain images of code objects.
    pub(crate) images: Images,
    /// For each slot, the never-written bytes; empty if there are none.
    undefined: Vec<OnceLock<UndefinedBytes>>,
}

impl EmulatedMemory {
    /// Creates an address space without allocations.
    pub fn new() -> EmulatedMemory {
        EmulatedMemory::default()
    }

    /// Reserves `bytes` zero bytes, aligned to 64 GiB.
    ///
    /// # Errors
    /// Returns [`MemoryError::TooLarge`] above 64 GiB or the host's free memory, and
    /// [`MemoryError::TooMany`] above 2,032 allocations.
    pub fn allocate(&mut self, bytes: u64) -> Result<Address, MemoryError> {
        let limit = 1 << SLOT_BITS;
        let too_large = MemoryError::TooLarge { bytes, limit };
        if bytes > limit {
            return Err(too_large);
        }
        self.adopt(zeroed(bytes as usize).ok_or(too_large)?)
    }

    /// Takes existing bytes as an allocation. They must be fewer than a slot has.
    pub(crate) fn adopt(&mut self, bytes: Vec<u8>) -> Result<Address, MemoryError> {
        let free = self.slots.iter().position(Option::is_none);
        self.put(
            free.unwrap_or(self.slots.len()),
            AllocationStorage::Own(bytes),
        )
    }

    /// Makes bytes of the host an allocation. The device address equals the host address if that
    /// is the start of a free slot; otherwise it differs.
    ///
    /// # Errors
    /// Returns the errors of [`EmulatedMemory::allocate`].
    ///
    /// # Safety
    /// Until the allocation is freed, the bytes must be readable and writable. During a call with
    /// this memory, other threads may write them only as a device would. A concurrent read then
    /// yields either value.
    pub unsafe fn adopt_host(&mut self, bytes: NonNull<[u8]>) -> Result<Address, MemoryError> {
        let limit = 1 << SLOT_BITS;
        if bytes.len() as u64 > limit {
            let bytes = bytes.len() as u64;
            return Err(MemoryError::TooLarge { bytes, limit });
        }
        let start = bytes.cast::<u8>().as_ptr() as u64;
        // HIP programs pass host pointers to kernels, so the device address should equal the
        // host's.
        let own = slot_of(start).filter(|&index| {
            offset_of(start) == 0 && !self.slots.get(index).is_some_and(Option::is_some)
        });
        let free = || self.slots.iter().position(Option::is_none);
        let index = own.or_else(free).unwrap_or(self.slots.len());
        self.put(index, AllocationStorage::Host(bytes))
    }

    fn put(&mut self, index: usize, store: AllocationStorage) -> Result<Address, MemoryError> {
        if index + FIRST_SLOT >= SLOTS {
            return Err(MemoryError::TooMany { count: index });
        }
        if self.slots.len() <= index {
            self.slots.resize_with(index + 1, || None);
            self.undefined.resize_with(index + 1, OnceLock::new);
        }
        self.slots[index] = Some(store);
        Ok(Address(((index + FIRST_SLOT) as u64) << SLOT_BITS))
    }

    /// Reserves bytes that a [`check`](crate::check()) treats as never written until the host or
    /// a kernel writes them.
    ///
    /// # Errors
    /// Returns the errors of [`EmulatedMemory::allocate`].
    pub fn allocate_undefined(&mut self, bytes: u64) -> Result<Address, MemoryError> {
        let address = self.allocate(bytes)?;
        self.mark_undefined(address, 0..bytes);
        Ok(address)
    }

    /// Marks these bytes of the allocation at `address` as never written. They keep their values.
    pub fn mark_undefined(&mut self, address: Address, bytes: Range<u64>) {
        let length = self.bytes(address).len() as u64;
        let Some(index) = slot_of(address.0).filter(|_| length > 0) else {
            return;
        };
        if bytes == (0..length) {
            self.undefined[index] = OnceLock::from(UndefinedBytes::new(length, true));
            return;
        }
        let undefined = self.undefined[index].get_or_init(|| UndefinedBytes::new(length, false));
        undefined.set_all(bytes, true);
    }

    /// Writes `bytes` into the allocation that starts at `address`, from byte `offset` on, and
    /// marks them as written.
    ///
    /// # Panics
    /// Panics if they do not fit the allocation.
    pub fn write(&mut self, address: Address, offset: u64, bytes: &[u8]) {
        let start = offset as usize;
        self.bytes_mut(address)[start..start + bytes.len()].copy_from_slice(bytes);
        if let Some(undefined) = self.undefined(address.0) {
            undefined.set_all(offset..offset + bytes.len() as u64, false);
        }
    }

    /// Frees an allocation; later accesses to it are out of bounds.
    ///
    /// # Errors
    /// Returns [`MemoryError::NotAllocated`] if `address` is not the start of a live allocation
    /// that this memory holds.
    pub fn free(&mut self, address: Address) -> Result<(), MemoryError> {
        let slot = slot_of(address.0).and_then(|index| self.slots.get_mut(index));
        match slot {
            Some(slot @ Some(AllocationStorage::Own(_) | AllocationStorage::Host(_)))
                if offset_of(address.0) == 0 =>
            {
                *slot = None;
                self.images.forget(address);
                self.define_all(address);
                Ok(())
            }
            _ => Err(MemoryError::NotAllocated { address: address.0 }),
        }
    }

    /// Returns the bytes of the allocation that starts at `address`; empty if it is not live.
    pub fn bytes(&self, address: Address) -> &[u8] {
        self.slot(address.0).unwrap_or(&[])
    }

    /// Returns the mutable bytes of the allocation that starts at `address`; empty if it is not
    /// live. Does not mark them as written: see [`EmulatedMemory::write`].
    pub fn bytes_mut(&mut self, address: Address) -> &mut [u8] {
        let slot = slot_of(address.0).and_then(|index| self.slots.get_mut(index)?.as_mut());
        slot.map_or(&mut [], |bytes| &mut **bytes)
    }

    /// Returns the undefined bytes of the allocation in the slot of `address`; None if it has
    /// none.
    fn undefined(&self, address: u64) -> Option<&UndefinedBytes> {
        self.undefined.get(slot_of(address)?)?.get()
    }

    /// Marks every byte of the allocation as written.
    fn define_all(&mut self, address: Address) {
        if let Some(slot) = slot_of(address.0).and_then(|index| self.undefined.get_mut(index)) {
            *slot = OnceLock::new();
        }
    }

    /// Marks every byte of every allocation as written, before writes that nothing tracks.
    pub(crate) fn mark_all_defined(&mut self) {
        for slot in &mut self.undefined {
            if slot.get().is_some() {
                *slot = OnceLock::new();
            }
        }
    }

    /// Moves the records of never-written bytes out, so that every byte counts as written.
    pub(crate) fn take_undefined(&mut self) -> Vec<OnceLock<UndefinedBytes>> {
        let none = (0..self.slots.len()).map(|_| OnceLock::new()).collect();
        std::mem::replace(&mut self.undefined, none)
    }

    /// Restores the result of [`EmulatedMemory::take_undefined`]. Meanwhile, the caller may only
    /// allocate and free.
    pub(crate) fn give_back_undefined(&mut self, mut undefined: Vec<OnceLock<UndefinedBytes>>) {
        undefined.resize_with(self.slots.len(), OnceLock::new);
        self.undefined = undefined;
    }

    /// Returns the allocations for concurrent access by several threads.
    pub(crate) fn share(&mut self) -> ConcurrentMemory<'_> {
        let hosts = self.slots.iter().enumerate();
        let hosts = hosts.filter(|(_, slot)| matches!(slot, Some(AllocationStorage::Host(_))));
        let hosts = hosts.map(|(index, _)| index).collect();
        let slots = self.slots.iter_mut();
        ConcurrentMemory {
            hosts,
            slots: slots
                .map(|slot| slot.as_deref_mut().map(AtomicBytes::new))
                .collect(),
            undefined: &self.undefined,
            guarded: None,
            written: AtomicBool::new(false),
        }
    }

    /// Returns the whole allocation that contains `address`, if any.
    fn slot(&self, address: u64) -> Option<&[u8]> {
        self.slots.get(slot_of(address)?)?.as_deref()
    }
}

/// Returns zero bytes that the host maps on first touch, or None if the host has no room.
fn zeroed(bytes: usize) -> Option<Vec<u8>> {
    // Reserving first turns an impossible size into None instead of an abort; it touches no page.
    Vec::<u8>::new().try_reserve_exact(bytes).ok()?;
    Some(vec![0; bytes])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_is_inside_one_allocation_or_nowhere() {
        let mut memory = EmulatedMemory::new();
        let a = memory.allocate(16).unwrap();
        let b = memory.allocate(8).unwrap();
        let memory = memory.share();
        assert!(memory.get(a.get(), 16).is_some());
        assert!(memory.get(a.get() + 8, 9).is_none());
        assert!(memory.get(a.get() + 16, 1).is_none());
        assert!(memory.get(a.get() + 16, 0).is_some());
        assert!(memory.get(b.get() - 1, 1).is_none());
        assert!(memory.get(0, 1).is_none());
        assert!(memory.get(u64::MAX, 1).is_none());
        assert!(memory.get(u64::MAX, 16).is_none());
    }

    #[test]
    fn a_freed_slot_is_out_of_bounds_and_is_used_again() {
        let mut memory = EmulatedMemory::new();
        let a = memory.allocate(16).unwrap();
        memory.bytes_mut(a)[3] = 7;
        memory.free(a).unwrap();
        assert!(memory.bytes(a).is_empty());
        assert_eq!(
            memory.free(a),
            Err(MemoryError::NotAllocated { address: a.get() })
        );
        let b = memory.allocate(4).unwrap();
        assert_eq!((b, memory.bytes(b)), (a, &[0; 4][..]));
    }

    #[test]
    fn host_memory_has_equal_or_other_addresses() {
        let mut memory = EmulatedMemory::new();
        let mut host = [1u8, 2, 3];
        // SAFETY: the array lives longer than the memory, and nothing else accesses it.
        let alias = unsafe { memory.adopt_host(NonNull::from(&mut host[..])) }.unwrap();
        assert_eq!(memory.bytes(alias), [1, 2, 3]);
        memory.write(alias, 1, &[7]);
        memory.free(alias).unwrap();
        assert_eq!(host, [1, 7, 3]);
        // An address of a slot without bytes: nothing accesses it.
        let start = NonNull::new((40u64 << SLOT_BITS) as *mut u8).unwrap();
        let empty = NonNull::slice_from_raw_parts(start, 0);
        // SAFETY: there is nothing to read or write.
        let own = unsafe { memory.adopt_host(empty) }.unwrap();
        assert_eq!(own.get(), 40 << SLOT_BITS);
        // SAFETY: as above.
        let other = unsafe { memory.adopt_host(empty) }.unwrap();
        assert_ne!(own, other);
        assert_eq!(memory.allocate(1).unwrap().get(), 17 << SLOT_BITS);
    }

    #[test]
    fn some_bytes_are_undefined_again() {
        let mut memory = EmulatedMemory::new();
        let a = memory.allocate_undefined(64).unwrap();
        let undefined =
            |memory: &EmulatedMemory| memory.undefined(a.get()).map(|one| one.get(0, 64));
        assert_eq!(undefined(&memory), Some(u64::MAX));
        memory.write(a, 0, &[0; 64]);
        assert_eq!(undefined(&memory), Some(0));
        memory.mark_undefined(a, 8..12);
        assert_eq!(undefined(&memory), Some(0xf00));
        memory.mark_all_defined();
        memory.mark_undefined(a, 60..64);
        assert_eq!(undefined(&memory), Some(0xf << 60));
    }

    #[test]
    fn a_gigabyte_that_is_not_touched_is_cheap() {
        let mut memory = EmulatedMemory::new();
        let start = std::time::Instant::now();
        let a = memory.allocate(1 << 30).unwrap();
        memory.bytes_mut(a)[(1 << 30) - 1] = 1;
        assert_eq!(memory.bytes(a)[(1 << 30) - 1], 1);
        assert!(start.elapsed().as_millis() < 500);
    }

    #[test]
    fn sizes_beyond_a_slot_are_refused() {
        let bytes = (1 << SLOT_BITS) + 1;
        let refused = EmulatedMemory::new().allocate(bytes);
        assert_eq!(
            refused,
            Err(MemoryError::TooLarge {
                bytes,
                limit: 1 << SLOT_BITS
            })
        );
    }
}
