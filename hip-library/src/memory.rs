//! The device's memory: what is allocated, and whose an address is.
//!
//! An address of the device is that of the emulator's memory. Memory that the host sees too (pinned, managed) is mapped at
//! the same address on the host; memory of the host's that is registered has an address of its own on the device.
//!
//! While a kernel runs, what is allocated is lent to it: no byte of that is here, and nothing of it can be freed. More can be
//! allocated, which the kernel does not see.

use std::collections::BTreeMap;
use std::ptr::NonNull;

use emulator::{Address, EmulatedMemory, MemoryError};

use crate::error::{Error, Result, explain};
use crate::ffi::Pointer;
use crate::mapping::{END, Mapping};

/// What an allocation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AllocationKind {
    /// The device alone sees it.
    Device,
    /// The host's, at the same address on the device.
    Pinned,
    /// Both's.
    Managed,
    /// The host's, at this address there.
    Registered(Pointer),
    /// A module's variables.
    Image,
}

/// An allocation.
pub(crate) struct Allocation {
    address: Address,
    pub(crate) bytes: u64,
    pub(crate) kind: AllocationKind,
    /// The flags that it was asked for with.
    pub(crate) flags: u32,
    /// The pool that it was taken from.
    pub(crate) pool: Option<u64>,
    /// What the host sees of it. It is unmapped after the emulator has forgotten it.
    _mapping: Option<Mapping>,
}

/// Where an address points to.
pub(crate) enum PointerLocation {
    /// So far behind the start of an allocation.
    Device(Address, u64),
    /// The host's.
    Host(Pointer),
}

/// The memory, and what is in use of it.
pub(crate) struct AllocationTable {
    pub(crate) memory: EmulatedMemory,
    /// By their first addresses on the device.
    allocations: BTreeMap<Pointer, Allocation>,
    /// Bytes of the device in use, and how many there are.
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

    /// Bytes of the device in use.
    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    /// Bytes of the device for itself, which count as never written if `undefined`; null for none.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], here and below; what a real device would have given is explained.
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

    /// Bytes that the host and the device see at the same address.
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
        // SAFETY: the mapping lives until `free`. Host and device may access it at once, as they may with HIP.
        let address = unsafe { self.memory.adopt_host(mapping.bytes()) };
        let found = self.add(address, bytes, kind, flags, Some(mapping))?;
        if found != start {
            explain("an allocation has an address on the device that is not its own");
            self.free(found)?;
            return Err(Error::OutOfMemory);
        }
        Ok(found)
    }

    /// Gives memory of the host's an address on the device.
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

    /// The allocation's first address on the device of memory of the host's that is registered and in which `host` lies.
    pub(crate) fn registered(&self, host: Pointer) -> Option<(Pointer, &Allocation)> {
        let inside = |allocation: &Allocation| match allocation.kind {
            AllocationKind::Registered(start) => (start..start + allocation.bytes).contains(&host),
            _ => false,
        };
        let mut all = self.allocations.iter();
        let (start, allocation) = all.find(|(_, allocation)| inside(allocation))?;
        Some((*start, allocation))
    }

    /// The image of a code object, whose variables stay.
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

    /// Gives an allocation back.
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

    /// Frees all memory of the device's own and the host's that is pinned; managed variables stay with their modules.
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

    /// The allocation with the slot in which an address of the device lies, and its first address.
    pub(crate) fn containing_allocation(&self, pointer: Pointer) -> Option<(Pointer, &Allocation)> {
        let (start, allocation) = self.allocations.range(..=pointer).next_back()?;
        // A slot has 64 GiB; what follows an allocation in it belongs to nobody.
        (pointer >> 36 == start >> 36).then_some((*start, allocation))
    }

    /// As [`Space::around`], to change it.
    pub(crate) fn allocation_mut(&mut self, start: Pointer) -> Option<&mut Allocation> {
        self.allocations.get_mut(&start)
    }

    /// Whether an address is one of the device's.
    pub(crate) fn is_device(&self, pointer: Pointer) -> bool {
        self.containing_allocation(pointer).is_some()
    }

    /// Where `bytes` bytes from an address on lie.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for null, or where an allocation ends before.
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
                "{bytes} bytes at {pointer:#x} (offset {offset} of an allocation of {} bytes) are out of its bounds",
                allocation.bytes
            ));
            return Err(Error::InvalidValue);
        }
        Ok(PointerLocation::Device(allocation.address, offset))
    }
}
