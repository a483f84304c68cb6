//! What C passes: places for answers, values, texts, and addresses that are only numbers.
//!
//! All the trust in a caller is here. A value of one of these types comes from a C program, which passes null or what
//! HIP's API says: a place that is large enough, a value that is there, a text that ends. Everything else in this crate
//! is told apart and refused where it is wrong.

use std::ffi::{CStr, c_char, c_void};

use crate::error::{Error, Result};

/// Bytes of the smallest page of the host.
const HOST_PAGE: u64 = 4096;

/// An address as a program passes it: of the device, of the host, or none.
pub(crate) type Pointer = u64;

/// Where the caller wants an answer.
#[repr(transparent)]
pub(crate) struct OutPointer<T>(*mut T);

impl<T> OutPointer<T> {
    /// # Errors
    /// [`Error::InvalidValue`] where there is no place.
    pub(crate) fn put(self, value: T) -> Result<()> {
        if self.0.is_null() {
            return Err(Error::InvalidValue);
        }
        // SAFETY: a caller's place, see the module.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// As [`Out::put`], where no place means that the answer is not wanted.
    pub(crate) fn put_if_wanted(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: a caller's place, see the module.
            unsafe { self.0.write_unaligned(value) };
        }
    }

    /// Whether there is a place: to know before anything is done.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] where there is none.
    pub(crate) fn check(&self) -> Result<()> {
        (!self.0.is_null()).then_some(()).ok_or(Error::InvalidValue)
    }
}

impl OutPointer<u8> {
    /// # Errors
    /// [`Error::InvalidValue`] where there is no place.
    pub(crate) fn put_all(self, bytes: &[u8]) -> Result<()> {
        self.check()?;
        // SAFETY: a caller's place, see the module.
        unsafe { self.0.copy_from(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }
}

/// Values of a caller's.
#[repr(transparent)]
pub(crate) struct InPointer<T>(*const T);

impl<T: Copy> InPointer<T> {
    /// The value.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] where there is none.
    pub(crate) fn get(&self) -> Result<T> {
        self.at(0)
    }

    /// The value with this number, of several.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] where there is none.
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

    /// Values at an address that a structure of the caller's has.
    pub(crate) fn new(start: Pointer) -> InPointer<T> {
        InPointer(start as *const T)
    }
}

/// A text of a caller's.
#[repr(transparent)]
pub(crate) struct TextPointer(*const c_char);

impl TextPointer {
    /// # Errors
    /// [`Error::InvalidValue`] where there is none, or one that is not UTF-8.
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

/// The `bytes` bytes of the host from `start` on, which the caller looks at before its call ends.
///
/// # Errors
/// [`Error::InvalidValue`] where there are none.
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

/// As [`host_slice`], of a length that a caller's bytes say themselves, which may be damaged.
///
/// # Errors
/// [`Error::InvalidImage`] where some of it is not mapped.
pub(crate) fn host_mapped<'a>(start: Pointer, bytes: usize) -> Result<&'a [u8]> {
    let first = start / HOST_PAGE * HOST_PAGE;
    let end = start.checked_add(bytes as u64).ok_or(Error::InvalidImage)?;
    // SAFETY: nothing is written to that would not be: only the answer counts.
    let answer = unsafe {
        let length = (end - first) as usize;
        rustix::mm::msync(first as *mut c_void, length, rustix::mm::MsyncFlags::ASYNC)
    };
    match answer {
        Err(rustix::io::Errno::NOMEM) => Err(Error::InvalidImage),
        _ => host_slice(start, bytes),
    }
}

/// Writes bytes to where the host wants them.
///
/// # Errors
/// [`Error::InvalidValue`] where there is no place.
pub(crate) fn put_host_bytes(start: Pointer, bytes: &[u8]) -> Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    OutPointer(start as *mut u8).put_all(bytes)
}

/// A number of the host's at this address.
///
/// # Errors
/// [`Error::InvalidValue`] where there is none.
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
