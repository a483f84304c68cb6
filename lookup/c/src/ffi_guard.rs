//! The guard of the C interface: every failure behind it becomes the caller's error.

use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use crate::texts::Failure;
use crate::wavetune_lookup_result::{WAVETUNE_LOOKUP_FAILED, WAVETUNE_LOOKUP_OK};
use crate::{wavetune_lookup_error, wavetune_lookup_result};

/// The result of a call, or the reason of its failure.
pub(crate) type CallResult = Result<wavetune_lookup_result, Failure>;

/// Does `work`, and writes the reason of a failure to `error`. A panic is a fault of wavetune,
/// and becomes an error as well.
///
/// # Safety
///
/// `error` is NULL, or points to space for an error.
pub(crate) unsafe fn guarded(
    error: *mut wavetune_lookup_error,
    work: impl FnOnce() -> CallResult,
) -> wavetune_lookup_result {
    let done = catch_unwind(AssertUnwindSafe(work));
    let failure = match done {
        Ok(Ok(result)) => return result,
        Ok(Err(failure)) => failure,
        Err(_) => Failure::new("wavetune has a bug; standard error has the details. Report it"),
    };
    if !error.is_null() {
        // SAFETY: the caller guarantees it. The old value is not read, so the caller need not
        // initialize it.
        unsafe { error.write(failure.to_c_error()) };
    }
    WAVETUNE_LOOKUP_FAILED
}

/// Does `work` as [`guarded`] does, after it has set `*into` to NULL, so that a failed call
/// leaves no wild pointer.
///
/// # Safety
///
/// Both pointers are NULL, or point to space for their values.
pub(crate) unsafe fn slot_for_result<T>(
    what: &str,
    into: *mut *mut T,
    error: *mut wavetune_lookup_error,
    work: impl FnOnce() -> CallResult,
) -> wavetune_lookup_result {
    let work = || {
        // SAFETY: the caller guarantees it. This comes first, because a result without a place
        // would leak.
        unsafe { give(what, into, ptr::null_mut()) }?;
        work()
    };
    // SAFETY: the caller guarantees it.
    unsafe { guarded(error, work) }
}

/// Returns the value behind a pointer.
///
/// # Errors
///
/// The pointer is NULL.
///
/// # Safety
///
/// The pointer is NULL, or points to a value.
pub(crate) unsafe fn there<'a, T>(what: &str, pointer: *const T) -> Result<&'a T, Failure> {
    // SAFETY: the caller guarantees it.
    let found = unsafe { pointer.as_ref() };
    found.ok_or_else(|| Failure::new(format!("the {what} is NULL")))
}

/// Returns the bytes behind a pointer.
///
/// # Errors
///
/// The pointer is NULL, or the length exceeds `isize::MAX`.
///
/// # Safety
///
/// The pointer is NULL, or points to `length` bytes.
pub(crate) unsafe fn bytes_at<'a>(
    what: &str,
    bytes: *const u8,
    length: usize,
) -> Result<&'a [u8], Failure> {
    if bytes.is_null() || isize::try_from(length).is_err() {
        return Err(Failure::new(format!("the {what} NULL, or too long")));
    }
    // SAFETY: the caller guarantees it.
    Ok(unsafe { std::slice::from_raw_parts(bytes, length) })
}

/// Writes a result to the caller's place.
///
/// # Errors
///
/// The pointer is NULL.
///
/// # Safety
///
/// The pointer is NULL, or points to space for the value.
pub(crate) unsafe fn give<T>(what: &str, into: *mut T, value: T) -> CallResult {
    if into.is_null() {
        return Err(Failure::new(format!("the pointer to the {what} is NULL")));
    }
    // SAFETY: the caller guarantees it.
    unsafe { into.write(value) };
    Ok(WAVETUNE_LOOKUP_OK)
}

/// Returns the text that the caller passes, or `None` for NULL.
///
/// # Errors
///
/// The text is not UTF-8.
///
/// # Safety
///
/// The pointer is NULL, or points to bytes that a NUL ends and that outlive the result.
pub(crate) unsafe fn given<'a>(
    what: &str,
    text: *const c_char,
) -> Result<Option<&'a str>, Failure> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller guarantees it.
    let text = unsafe { CStr::from_ptr(text) }.to_str();
    let text = text.map_err(|_| Failure::new(format!("the {what} is not UTF-8")))?;
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        let mut error = Failure::new("").to_c_error();
        // SAFETY: it is space for an error, and its old content has no other owner.
        let result = unsafe {
            drop(std::ffi::CString::from_raw(error.message));
            guarded(&mut error, || panic!("planted"))
        };
        assert_eq!(result, WAVETUNE_LOOKUP_FAILED);
        // SAFETY: a call has returned it.
        let message = unsafe { std::ffi::CString::from_raw(error.message) };
        assert!(message.to_str().unwrap().contains("Report it"));
    }
}
