//! The border: nothing that goes wrong behind it leaves as anything but the caller's error.

use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use crate::texts::Failure;
use crate::wavetune_lookup_result::{WAVETUNE_LOOKUP_FAILED, WAVETUNE_LOOKUP_OK};
use crate::{wavetune_lookup_error, wavetune_lookup_result};

/// How work ends.
pub(crate) type CallResult = Result<wavetune_lookup_result, Failure>;

/// Does `work`, and says in `error` why it has failed. A panic is a mistake of ours; it becomes an error as well.
///
/// # Safety
///
/// The error is NULL, or a place for one.
pub(crate) unsafe fn guarded(
    error: *mut wavetune_lookup_error,
    work: impl FnOnce() -> CallResult,
) -> wavetune_lookup_result {
    let done = catch_unwind(AssertUnwindSafe(work));
    let failure = match done {
        Ok(Ok(result)) => return result,
        Ok(Err(failure)) => failure,
        Err(_) => Failure::new("wavetune made a mistake, which standard error has; report it"),
    };
    if !error.is_null() {
        // SAFETY: as above. What was there is not read, so that nobody has to write to it before.
        unsafe { error.write(failure.to_c_error()) };
    }
    WAVETUNE_LOOKUP_FAILED
}

/// As [`guarded`]; whatever happens, something stands at `into`.
///
/// # Safety
///
/// Both are NULL, or places.
pub(crate) unsafe fn slot_for_result<T>(
    what: &str,
    into: *mut *mut T,
    error: *mut wavetune_lookup_error,
    work: impl FnOnce() -> CallResult,
) -> wavetune_lookup_result {
    let work = || {
        // SAFETY: as above. First of all, or what is made would have no owner.
        unsafe { give(what, into, ptr::null_mut()) }?;
        work()
    };
    // SAFETY: as above.
    unsafe { guarded(error, work) }
}

/// # Safety
///
/// The pointer is NULL, or leads to one.
pub(crate) unsafe fn there<'a, T>(what: &str, pointer: *const T) -> Result<&'a T, Failure> {
    // SAFETY: as above.
    let found = unsafe { pointer.as_ref() };
    found.ok_or_else(|| Failure::new(format!("the {what} is NULL")))
}

/// # Safety
///
/// The pointer is NULL, or leads to so many bytes.
pub(crate) unsafe fn bytes_at<'a>(
    what: &str,
    bytes: *const u8,
    length: usize,
) -> Result<&'a [u8], Failure> {
    if bytes.is_null() || isize::try_from(length).is_err() {
        return Err(Failure::new(format!("the {what} NULL, or too long")));
    }
    // SAFETY: as above.
    Ok(unsafe { std::slice::from_raw_parts(bytes, length) })
}

/// # Safety
///
/// The pointer is NULL, or a place for it.
pub(crate) unsafe fn give<T>(what: &str, into: *mut T, value: T) -> CallResult {
    if into.is_null() {
        return Err(Failure::new(format!("the place of the {what} is NULL")));
    }
    // SAFETY: as above.
    unsafe { into.write(value) };
    Ok(WAVETUNE_LOOKUP_OK)
}

/// The text that the caller gives, none where the pointer is NULL.
///
/// # Safety
///
/// The pointer is NULL, or leads to bytes that a NUL ends and that outlive the result.
pub(crate) unsafe fn given<'a>(
    what: &str,
    text: *const c_char,
) -> Result<Option<&'a str>, Failure> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: as above.
    let text = unsafe { CStr::from_ptr(text) }.to_str();
    let text = text.map_err(|_| Failure::new(format!("the {what} is no UTF-8")))?;
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        let mut error = Failure::new("").to_c_error();
        // SAFETY: it is a place for an error, and what was there has no other owner.
        let result = unsafe {
            drop(std::ffi::CString::from_raw(error.message));
            guarded(&mut error, || panic!("planted"))
        };
        assert_eq!(result, WAVETUNE_LOOKUP_FAILED);
        // SAFETY: a call has given it.
        let message = unsafe { std::ffi::CString::from_raw(error.message) };
        assert!(message.to_str().unwrap().contains("report it"));
    }
}
