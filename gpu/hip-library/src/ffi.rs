//! Values from C: places for answers, values, texts, and addresses that are only numbers.
//!
//! This module holds all trust in a caller. A value of one of these types comes from a C program.
//! The program passes null, or a pointer as HIP's API requires: a large enough place, a valid
//! value, a terminated text. The rest of this crate checks its arguments.

use std::ffi::{CStr, c_char, c_void};

use crate::error::{Error, Result};

/// Bytes of the host's smallest page.
const HOST_PAGE: u64 = 4096;

/// An address that a program passes: of the device, of the host, or null.
pub(crate) type Pointer = u64;

/// The caller's place for an answer.
#[repr(transparent)]
pub(crate) struct OutPointer<T>(*mut T);

impl<T> OutPointer<T> {
    /// Writes the answer.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] if the place is null.
    pub(crate) fn put(self, value: T) -> Result<()> {
        if self.0.is_null() {
            return Err(Error::InvalidValue);
        }
        // SAFETY: a caller's place, see the module.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Writes the answer as [`OutPointer::put`] does; does nothing if the place is null.
    pub(crate) fn put_if_wanted(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: a caller's place, see the module.
            unsafe { self.0.write_unaligned(value) };
        }
    }

    /// Checks that there is a place, before anything else is done.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] if the place is null.
    pub(crate) fn check(&self) -> Result<()> {
        (!self.0.is_null()).then_some(()).ok_or(Error::InvalidValue)
    }
}

impl OutPointer<u8> {
    /// Writes these bytes.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] if the place is null.
    pub(crate) fn put_all(self, bytes: &[u8]) -> Result<()> {
        self.check()?;
        // SAFETY: a caller's place, see the module.
        unsafe { self.0.copy_from(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }
}

/// A pointer to values of a caller.
#[repr(transparent)]
pub(crate) struct InPointer<T>(*const T);

impl<T: Copy> InPointer<T> {
    /// Reads the value.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] if the pointer is null.
    pub(crate) fn get(&self) -> Result<T> {
        self.at(0)
    }

    /// Reads value number `index` of several.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] if the pointer is null.
    pub(crate) fn at(&self, index: usize) -> Result<T> {
        if self.0.is_null() {
            return Err(Error::InvalidValue);
        }
        // SAFETY: a caller's values, see the module.
        Ok(unsafe { self.0.add(index).read_unaligned() })
    }

    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Creates a pointer from an address in a structure of the caller.
    pub(crate) fn new(start: Pointer) -> InPointer<T> {
        InPointer(start as *const T)
    }
}

/// A pointer to a text of a caller.
#[repr(transparent)]
pub(crate) struct TextPointer(*const c_char);

impl TextPointer {
    /// Reads the text.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] if the pointer is null or the text is not UTF-8.
    pub(crate) fn get(&self) -> Result<String> {
        if self.0.is_null() {
            return Err(Error::InvalidValue);
        }
        // SAFETY: a caller's text, see the module.
        let text = unsafe { CStr::from_ptr(self.0) };
        let text = text.to_str().map_err(|_| Error::InvalidValue)?;
        Ok(text.to_owned())
    }
}

/// Returns the host's `bytes` bytes from `start`. They must be read before the call ends.
///
/// # Errors
/// [`Error::InvalidValue`] if `start` is null.
pub(crate) fn host_slice<'a>(start: Pointer, bytes: usize) -> Result<&'a [u8]> {
    if bytes == 0 {
        return Ok(&[]);
    }
    if start == 0 {
        return Err(Error::InvalidValue);
    }
    // SAFETY: a caller's bytes, see the module.
    Ok(unsafe { std::slice::from_raw_parts(start as *const u8, bytes) })
}

/// Returns host bytes as [`host_slice`] does, for a length from the caller's bytes that may be
/// damaged.
///
/// # Errors
/// [`Error::InvalidImage`] if some of the bytes are not mapped.
pub(crate) fn host_mapped<'a>(start: Pointer, bytes: usize) -> Result<&'a [u8]> {
    let first = start / HOST_PAGE * HOST_PAGE;
    let end = start.checked_add(bytes as u64).ok_or(Error::InvalidImage)?;
    // SAFETY: msync writes nothing that would not be written anyway; only its answer counts.
    let answer = unsafe {
        let length = (end - first) as usize;
        rustix::mm::msync(first as *mut c_void, length, rustix::mm::MsyncFlags::ASYNC)
    };
    match answer {
        Err(rustix::io::Errno::NOMEM) => Err(Error::InvalidImage),
        _ => host_slice(start, bytes),
    }
}

/// Writes bytes to an address of the host.
///
/// # Errors
/// [`Error::InvalidValue`] if the address is null.
pub(crate) fn put_host_bytes(start: Pointer, bytes: &[u8]) -> Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    OutPointer(start as *mut u8).put_all(bytes)
}

/// Reads a number of the host at this address.
///
/// # Errors
/// [`Error::InvalidValue`] if the address is null.
pub(crate) fn host_value<T: Copy>(start: Pointer) -> Result<T> {
    InPointer(start as *const T).get()
}

/// `dim3`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Dim3 {
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) z: u32,
}

impl From<Dim3> for [u32; 3] {
    fn from(dim: Dim3) -> [u32; 3] {
        [dim.x, dim.y, dim.z]
    }
}
