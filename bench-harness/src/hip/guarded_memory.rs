//! Guarded memory: buffers of the device, on a GPU each between guards.
//!
//! A GPU lets a kernel write to any allocated memory. A *guard* lies on either side of a buffer,
//! and the bench checks it after each verified launch. This finds a kernel that writes slightly
//! out of bounds, before it corrupts another kernel's results. Our own library checks every
//! access to the byte, and guards would only weaken that.

use std::collections::HashMap;
use std::ops::Range;
use std::ptr::null_mut;

use super::api::{self, Pointer};
use super::error::HipError;
use super::library::Hip;
use crate::device::{Buffer, DeviceError};
use crate::operation::POISON;

/// The size of a guard in bytes: more than a workgroup's threads write at once, and a multiple of
/// every alignment.
const GUARD: u64 = 16 << 10;

/// The allocated buffers.
pub(super) struct GuardedMemory {
    /// The number of guard bytes on either side of a buffer.
    guard: u64,
    /// The sizes of the buffers in bytes.
    sizes: HashMap<Buffer, u64>,
}

impl GuardedMemory {
    pub(super) fn new(is_guarded: bool) -> GuardedMemory {
        GuardedMemory {
            guard: if is_guarded { GUARD } else { 0 },
            sizes: HashMap::new(),
        }
    }

    /// Allocates a buffer, all zero.
    pub(super) fn allocate(&mut self, hip: &Hip, bytes: u64) -> Result<Buffer, DeviceError> {
        let mut address = null_mut();
        // hipMalloc of 0 bytes returns no address.
        let whole = bytes.saturating_add(2 * self.guard).max(1);
        // SAFETY: writes an address.
        let allocated = unsafe { (hip.api.hipMalloc)(&mut address, whole as usize) };
        let allocated = hip.check("hipMalloc", allocated);
        allocated.map_err(|error| match error.is_out_of_memory() {
            true => DeviceError::Memory {
                bytes,
                message: error.to_string(),
            },
            false => error.into(),
        })?;
        let buffer = Buffer(address as u64 + self.guard);
        self.sizes.insert(buffer, bytes);
        for guard in self.guards(buffer, bytes) {
            hip.fill(guard, POISON)?;
        }
        hip.fill(buffer.0..buffer.0 + bytes, 0)?;
        Ok(buffer)
    }

    /// Frees a buffer. Later calls report errors of the device.
    pub(super) fn free(&mut self, hip: &Hip, buffer: Buffer) {
        self.sizes.remove(&buffer);
        // SAFETY: the address was allocated, and nothing uses it any more.
        unsafe { (hip.api.hipFree)((buffer.0 - self.guard) as Pointer) };
    }

    /// Returns the size of a buffer in bytes.
    pub(super) fn size(&self, buffer: Buffer) -> u64 {
        self.sizes.get(&buffer).copied().unwrap_or_default()
    }

    /// Checks that the guards of these buffers are intact.
    ///
    /// # Errors
    /// [`DeviceError::Fault`] with the first overwritten byte.
    pub(super) fn check(&self, hip: &Hip, buffers: &[Buffer]) -> Result<(), DeviceError> {
        for buffer in buffers {
            let bytes = self.size(*buffer);
            for guard in self.guards(*buffer, bytes) {
                let found = hip.copy_out(guard.clone())?;
                if let Some(at) = found.iter().position(|&byte| byte != POISON) {
                    let place = (guard.start + at as u64) as i64 - buffer.0 as i64;
                    return Err(DeviceError::Fault(format!(
                        "it wrote to byte {place} of a buffer of {bytes} bytes"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Returns the addresses of a buffer's guards, if it has any.
    fn guards(&self, buffer: Buffer, bytes: u64) -> impl Iterator<Item = Range<u64>> {
        let end = buffer.0 + bytes;
        let guards = [buffer.0 - self.guard..buffer.0, end..end + self.guard];
        guards.into_iter().filter(|guard| !guard.is_empty())
    }
}

/// Copies and fills, complete when the call returns. The addresses must belong to buffers or
/// their guards.
impl Hip {
    /// Fills memory of the device.
    pub(super) fn fill(&self, addresses: Range<u64>, value: u8) -> Result<(), HipError> {
        let bytes = (addresses.end - addresses.start) as usize;
        // SAFETY: the memory is allocated.
        let set = unsafe { (self.api.hipMemset)(addresses.start as Pointer, value.into(), bytes) };
        self.check("hipMemset", set)
    }

    /// Copies bytes to the device.
    pub(super) fn copy_in(&self, address: u64, bytes: &[u8]) -> Result<(), HipError> {
        let (to, from, kind) = (address as Pointer, bytes.as_ptr(), api::HOST_TO_DEVICE);
        // SAFETY: the memory is allocated.
        let copied = unsafe { (self.api.hipMemcpy)(to, from.cast(), bytes.len(), kind) };
        self.check("hipMemcpy", copied)
    }

    /// Copies bytes from the device.
    pub(super) fn copy_out(&self, addresses: Range<u64>) -> Result<Vec<u8>, HipError> {
        let mut copy = vec![0u8; (addresses.end - addresses.start) as usize];
        let (to, from) = (copy.as_mut_ptr(), addresses.start as Pointer);
        // SAFETY: the memory is allocated, and the copy has as many bytes.
        let copied =
            unsafe { (self.api.hipMemcpy)(to.cast(), from, copy.len(), api::DEVICE_TO_HOST) };
        self.check("hipMemcpy", copied)?;
        Ok(copy)
    }

    /// Copies bytes within the device.
    pub(super) fn copy_within(&self, to: u64, from: u64, bytes: u64) -> Result<(), HipError> {
        let (to, from, kind) = (to as Pointer, from as Pointer, api::DEVICE_TO_DEVICE);
        // SAFETY: both are allocated, and do not overlap.
        let copied = unsafe { (self.api.hipMemcpy)(to, from, bytes as usize, kind) };
        self.check("hipMemcpy", copied)
    }
}
