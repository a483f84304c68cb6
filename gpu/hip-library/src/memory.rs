//! The device's memory: its allocations, and the lookup of addresses.
//!
//! A device address is an address of the emulator's memory. Memory that the host sees too
//! (pinned, managed) is mapped at the same address on the host. Registered host memory has a
//! separate address on the device.
//!
//! While a kernel runs, the allocations are lent to it. Their bytes cannot be accessed here, and
//! none of them can be freed. New allocations are possible; the kernel does not see them.

use std::collections::BTreeMap;
use std::ptr::NonNull;

use emulator::{Address, EmulatedMemory, MemoryError};

use crate::error::{Error, Result, explain};
use crate::ffi::Pointer;
use crate::mapping::{END, Mapping};

/// The kind of an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AllocationKind {
    /// Memory that only the device sees.
    Device,
    /// Host memory with the same address on the device.
    Pinned,
    /// Memory of both.
    Managed,
    /// Host memory with this address on the host.
    Registered(Pointer),
    /// The variables of a module.
    Image,
}

/// An allocation.
pub(crate) struct Allocation {
    address: Address,
    pub(crate) bytes: u64,
    pub(crate) kind: AllocationKind,
    /// The flags of the allocating call.
    pub(crate) flags: u32,
    /// The pool that it was taken from.
    pub(crate) pool: Option<u64>,
    /// The host's mapping. It is unmapped after the emulator has freed the allocation.
    _mapping: Option<Mapping>,
}

/// The location of an address.
pub(crate) enum PointerLocation {
    /// An offset in an allocation.
    Device(Address, u64),
    /// An address of the host.
    Host(Pointer),
}

/// The memory and its allocations.
pub(crate) struct AllocationTable {
    pub(crate) memory: EmulatedMemory,
    /// The allocations by their first address on the device.
    allocations: BTreeMap<Pointer, Allocation>,
    /// Bytes of the device in use, and in total.
    used: u64,
    limit: u64,
}

impl AllocationTable {
    pub(crate) fn new(limit: u64) -> AllocationTable {
        AllocationTable {
            memory: EmulatedMemory::new(),
            allocations: BTreeMap::new(),
            used: 0,
            limit,
        }
    }

    /// Returns the bytes of the device in use.
    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    /// Allocates bytes of the device. They count as never written if `undefined`. Returns null
    /// for 0 bytes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], here and below; a reason that a real device would not have is
    /// explained.
    pub(crate) fn allocate(&mut self, bytes: u64, undefined: bool) -> Result<Pointer> {
        if bytes == 0 {
            return Ok(0);
        }
        if bytes > self.limit - self.used {
            return Err(Error::OutOfMemory);
        }
        let address = match undefined {
            true => self.memory.allocate_undefined(bytes),
            false => self.memory.allocate(bytes),
        };
        self.add(address, bytes, AllocationKind::Device, 0, None)
    }

    /// Allocates bytes that the host and the device see at the same address.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(crate) fn allocate_visible(
        &mut self,
        bytes: u64,
        kind: AllocationKind,
        flags: u32,
    ) -> Result<Pointer> {
        if bytes == 0 {
            return Ok(0);
        }
        let allocations = &self.allocations;
        let free = |start: u64| !allocations.contains_key(&start);
        let mapping = Mapping::new(bytes as usize, free).ok_or(Error::OutOfMemory)?;
        let start = mapping.start();
        // SAFETY: the mapping lives until `free`. Host and device may access it at the same time,
        // as with HIP.
        let address = unsafe { self.memory.adopt_host(mapping.bytes()) };
        let found = self.add(address, bytes, kind, flags, Some(mapping))?;
        // The emulator keeps the host's address if a free slot starts there. With another address,
        // host and device would not agree.
        if found != start {
            explain("an allocation has an address on the device that is not its own");
            self.free(found)?;
            return Err(Error::OutOfMemory);
        }
        Ok(found)
    }

    /// Registers host memory with an address on the device.
    ///
    /// # Errors
    /// [`Error::InvalidValue`], [`Error::HostMemoryAlreadyRegistered`], [`Error::OutOfMemory`].
    pub(crate) fn register(&mut self, host: Pointer, bytes: u64, flags: u32) -> Result<()> {
        let start = NonNull::new(host as *mut u8).ok_or(Error::InvalidValue)?;
        if bytes == 0 {
            return Err(Error::InvalidValue);
        }
        if self.registered(host).is_some() {
            return Err(Error::HostMemoryAlreadyRegistered);
        }
        let place = NonNull::slice_from_raw_parts(start, bytes as usize);
        // SAFETY: the program says that these bytes are its own until it takes them back.
        let address = unsafe { self.memory.adopt_host(place) };
        self.add(
            address,
            bytes,
            AllocationKind::Registered(host),
            flags,
            None,
        )?;
        Ok(())
    }

    /// Returns the registered allocation that contains the host address `host`, with its first
    /// address on the device.
    pub(crate) fn registered(&self, host: Pointer) -> Option<(Pointer, &Allocation)> {
        let inside = |allocation: &Allocation| match allocation.kind {
            AllocationKind::Registered(start) => (start..start + allocation.bytes).contains(&host),
            _ => false,
        };
        let mut all = self.allocations.iter();
        let (start, allocation) = all.find(|(_, allocation)| inside(allocation))?;
        Some((*start, allocation))
    }

    /// Allocates the image of a code object. Its variables keep their values.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(crate) fn place(&mut self, code: &emulator::CodeObject) -> Result<Pointer> {
        let address = self.memory.place(code);
        let bytes = address
            .as_ref()
            .map_or(0, |it| self.memory.bytes(*it).len());
        self.add(address, bytes as u64, AllocationKind::Image, 0, None)
    }

    fn add(
        &mut self,
        address: std::result::Result<Address, MemoryError>,
        bytes: u64,
        kind: AllocationKind,
        flags: u32,
        mapping: Option<Mapping>,
    ) -> Result<Pointer> {
        let address = address.map_err(|error| {
            explain(format!("{bytes} bytes: {error}"));
            Error::OutOfMemory
        })?;
        let start = address.get();
        // Above the end, a device address could equal one of the host's.
        if start >= END {
            explain(format!(
                "{} allocations are too many",
                self.allocations.len()
            ));
            let freed = self.memory.free(address);
            debug_assert!(freed.is_ok());
            return Err(Error::OutOfMemory);
        }
        if kind == AllocationKind::Device {
            self.used += bytes;
        }
        let allocation = Allocation {
            address,
            bytes,
            kind,
            flags,
            pool: None,
            _mapping: mapping,
        };
        self.allocations.insert(start, allocation);
        Ok(start)
    }

    /// Frees an allocation.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] if none starts there.
    pub(crate) fn free(&mut self, start: Pointer) -> Result<Allocation> {
        let allocation = self.allocations.remove(&start).ok_or(Error::InvalidValue)?;
        let freed = self.memory.free(allocation.address);
        debug_assert!(freed.is_ok());
        if allocation.kind == AllocationKind::Device {
            self.used -= allocation.bytes;
        }
        Ok(allocation)
    }

    /// Frees all device memory and pinned host memory. Managed variables stay with their modules.
    pub(crate) fn free_all(&mut self) {
        let ends =
            |kind: AllocationKind| !matches!(kind, AllocationKind::Image | AllocationKind::Managed);
        let all = self.allocations.iter();
        let starts: Vec<Pointer> = all
            .filter(|(_, allocation)| ends(allocation.kind))
            .map(|(start, _)| *start)
            .collect();
        for start in starts {
            let freed = self.free(start);
            debug_assert!(freed.is_ok());
        }
    }

    /// Returns the allocation in whose slot a device address lies, and its first address.
    pub(crate) fn containing_allocation(&self, pointer: Pointer) -> Option<(Pointer, &Allocation)> {
        let (start, allocation) = self.allocations.range(..=pointer).next_back()?;
        // A slot has 64 GiB; the rest of it after the allocation belongs to no other.
        (pointer >> 36 == start >> 36).then_some((*start, allocation))
    }

    /// Returns the allocation that starts at `start`, to change it.
    pub(crate) fn allocation_mut(&mut self, start: Pointer) -> Option<&mut Allocation> {
        self.allocations.get_mut(&start)
    }

    /// Returns true if an address is one of the device.
    pub(crate) fn is_device(&self, pointer: Pointer) -> bool {
        self.containing_allocation(pointer).is_some()
    }

    /// Returns the location of `bytes` bytes from an address.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for null, or if the allocation ends earlier.
    pub(crate) fn locate(&self, pointer: Pointer, bytes: u64) -> Result<PointerLocation> {
        if pointer == 0 {
            return Err(Error::InvalidValue);
        }
        let Some((start, allocation)) = self.containing_allocation(pointer) else {
            return Ok(PointerLocation::Host(pointer));
        };
        let offset = pointer - start;
        if offset
            .checked_add(bytes)
            .is_none_or(|end| end > allocation.bytes)
        {
            explain(format!(
                "{bytes} bytes at {pointer:#x} (offset {offset} of an allocation of {} bytes) exceed the allocation",
                allocation.bytes
            ));
            return Err(Error::InvalidValue);
        }
        Ok(PointerLocation::Device(allocation.address, offset))
    }
}
