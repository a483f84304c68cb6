//! Names and texts of errors, and the last error of a thread.

use std::ffi::c_char;

use crate::error::{Error, Status, enter, last, row, take_last};
use crate::ffi::OutPointer;

#[unsafe(no_mangle)]
extern "C" fn hipGetErrorName(error: i32) -> *const c_char {
    row(error).map_or(c"hipErrorUnknown", |row| row.1).as_ptr()
}

#[unsafe(no_mangle)]
extern "C" fn hipGetErrorString(error: i32) -> *const c_char {
    row(error).map_or(c"unknown error", |row| row.2).as_ptr()
}

#[unsafe(no_mangle)]
extern "C" fn hipDrvGetErrorName(error: i32, name: OutPointer<*const c_char>) -> Status {
    enter(|| name.put(row(error).ok_or(Error::InvalidValue)?.1.as_ptr()))
}

#[unsafe(no_mangle)]
extern "C" fn hipDrvGetErrorString(error: i32, text: OutPointer<*const c_char>) -> Status {
    enter(|| text.put(row(error).ok_or(Error::InvalidValue)?.2.as_ptr()))
}

#[unsafe(no_mangle)]
extern "C" fn hipGetLastError() -> Status {
    take_last()
}

#[unsafe(no_mangle)]
extern "C" fn hipExtGetLastError() -> Status {
    take_last()
}

#[unsafe(no_mangle)]
extern "C" fn hipPeekAtLastError() -> Status {
    last()
}
