//! Memory that host and device share: registered memory, both addresses of an allocation, and the
//! location of an address.

use crate::error::{Error, Result, Status, enter};
use crate::ffi::{OutPointer, Pointer};
use crate::memory::{Allocation, AllocationKind};
use crate::state::{LibraryState, healthy_state, state, wait_for_memory};
use crate::synchronization::synchronize_all;

/// `hipMemoryType`.
const UNREGISTERED: i32 = 0;
const HOST: i32 = 1;
const DEVICE: i32 = 2;
const MANAGED: i32 = 3;

/// `hipPointerAttribute_t` (HIP 6).
#[repr(C)]
#[derive(Clone, Copy)]
struct Attributes {
    kind: i32,
    device: i32,
    device_pointer: Pointer,
    host_pointer: Pointer,
    is_managed: i32,
    flags: u32,
}

impl LibraryState {
    /// Returns the allocation that contains a device or host address, and its start on the
    /// device.
    fn either(&self, pointer: Pointer) -> Option<(Pointer, &Allocation)> {
        self.space
            .containing_allocation(pointer)
            .or_else(|| self.space.registered(pointer))
    }

    fn attributes(&self, pointer: Pointer) -> Attributes {
        let nowhere = Attributes {
            kind: UNREGISTERED,
            device: -1,
            device_pointer: 0,
            host_pointer: 0,
            is_managed: 0,
            flags: 0,
        };
        let Some((start, allocation)) = self.either(pointer) else {
            return nowhere;
        };
        let (kind, device_pointer, host_pointer) = match allocation.kind {
            AllocationKind::Device | AllocationKind::Image => (DEVICE, pointer, 0),
            AllocationKind::Pinned => (HOST, pointer, pointer),
            AllocationKind::Managed => (MANAGED, pointer, pointer),
            // Registered memory has two addresses; a program may ask with either.
            AllocationKind::Registered(host) => {
                let inside = match self.space.is_device(pointer) {
                    true => pointer - start,
                    false => pointer - host,
                };
                (HOST, start + inside, host + inside)
            }
        };
        Attributes {
            kind,
            device: 0,
            device_pointer,
            host_pointer,
            is_managed: i32::from(kind == MANAGED),
            flags: allocation.flags,
        }
    }
}

/// Returns the device address of memory that the host sees.
fn device_pointer(host: Pointer) -> Result<Pointer> {
    let attributes = state()?.attributes(host);
    match attributes.kind {
        HOST | MANAGED => Ok(attributes.device_pointer),
        _ => Err(Error::InvalidValue),
    }
}

#[unsafe(no_mangle)]
extern "C" fn hipHostGetDevicePointer(
    device: OutPointer<Pointer>,
    host: Pointer,
    _flags: u32,
) -> Status {
    enter(|| device.put(device_pointer(host)?))
}

#[unsafe(no_mangle)]
extern "C" fn hipHostGetFlags(flags: OutPointer<u32>, host: Pointer) -> Status {
    enter(|| {
        let attributes = state()?.attributes(host);
        match attributes.kind {
            HOST => flags.put(attributes.flags),
            _ => Err(Error::InvalidValue),
        }
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipHostRegister(host: Pointer, bytes: usize, flags: u32) -> Status {
    enter(|| healthy_state()?.space.register(host, bytes as u64, flags))
}

#[unsafe(no_mangle)]
extern "C" fn hipHostUnregister(host: Pointer) -> Status {
    enter(|| {
        // Running commands may use the memory, so all streams are drained first.
        let waited = synchronize_all();
        let mut state = wait_for_memory(state()?);
        let found = state.space.registered(host);
        let start = found
            .map(|(start, _)| start)
            .ok_or(Error::HostMemoryNotRegistered)?;
        state.space.free(start)?;
        waited
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipPointerGetAttributes(
    attributes: OutPointer<Attributes>,
    pointer: Pointer,
) -> Status {
    enter(|| match pointer {
        0 => Err(Error::InvalidValue),
        _ => attributes.put(state()?.attributes(pointer)),
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipMemGetAddressRange(
    base: OutPointer<Pointer>,
    bytes: OutPointer<usize>,
    pointer: Pointer,
) -> Status {
    enter(|| {
        let state = state()?;
        let (start, allocation) = state.either(pointer).ok_or(Error::NotFound)?;
        // A program may ask for only one of the two answers.
        base.put_if_wanted(start);
        bytes.put_if_wanted(allocation.bytes as usize);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipMemPtrGetInfo(pointer: Pointer, bytes: OutPointer<usize>) -> Status {
    enter(|| {
        let state = state()?;
        let (_, allocation) = state.either(pointer).ok_or(Error::InvalidValue)?;
        bytes.put(allocation.bytes as usize)
    })
}

/// Checks the range and does nothing else. Memory does not move, so advice on managed memory
/// changes nothing.
fn about(pointer: Pointer, bytes: usize) -> Result<()> {
    healthy_state()?
        .space
        .locate(pointer, bytes as u64)
        .map(drop)
}

#[unsafe(no_mangle)]
extern "C" fn hipMemPrefetchAsync(
    pointer: Pointer,
    bytes: usize,
    _device: i32,
    stream: u64,
) -> Status {
    enter(|| {
        state()?.streams.get(stream)?;
        about(pointer, bytes)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipMemAdvise(pointer: Pointer, bytes: usize, _advice: i32, _device: i32) -> Status {
    enter(|| about(pointer, bytes))
}
