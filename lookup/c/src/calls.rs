//! The functions of the library. Each does its work in `guarded`, which turns a failure into the
//! caller's error.

use std::ffi::{CStr, CString, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt as _;

use lookup::table_file::{TableQuestion, ask};
use lookup_table::Table;

use crate::ffi_guard::{bytes_at, give, given, guarded, slot_for_result, there};
use crate::texts::{Failure, entry, lent, owned};
use crate::wavetune_lookup_result::WAVETUNE_LOOKUP_ABSENT;
use crate::{
    wavetune_lookup_entry, wavetune_lookup_error, wavetune_lookup_question, wavetune_lookup_result,
    wavetune_lookup_table, wavetune_lookup_text,
};

/// Opens and validates the table at a path. The caller closes `*table`; it is NULL if the file is
/// refused.
///
/// No program may write into the file while it is open; wavetune writes a new file and renames
/// it.
///
/// # Safety
///
/// Each pointer is NULL or points to a value of its type; a NUL ends the path. The error may be
/// NULL if the caller needs no reason.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetune_lookup_open(
    path: *const c_char,
    table: *mut *mut wavetune_lookup_table,
    error: *mut wavetune_lookup_error,
) -> wavetune_lookup_result {
    let open = || {
        if path.is_null() {
            return Err(Failure::new("the path is NULL"));
        }
        // SAFETY: the caller guarantees it. A path may contain any bytes.
        let path = OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes());
        let opened = Table::open(path).map_err(Failure::refused)?;
        // SAFETY: the caller guarantees it.
        unsafe { give("table", table, handle(opened)) }
    };
    // SAFETY: the caller guarantees it.
    unsafe { slot_for_result("table", table, error, open) }
}

/// Opens a table of bytes in memory, as wavetune_lookup_open does of a file. Copies the bytes.
///
/// # Safety
///
/// As wavetune_lookup_open; `bytes` points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetune_lookup_read(
    bytes: *const c_void,
    length: usize,
    table: *mut *mut wavetune_lookup_table,
    error: *mut wavetune_lookup_error,
) -> wavetune_lookup_result {
    let read = || {
        // SAFETY: the caller guarantees it.
        let bytes = unsafe { bytes_at("bytes are", bytes.cast(), length) }?;
        let opened = Table::read(bytes).map_err(Failure::refused)?;
        // SAFETY: the caller guarantees it.
        unsafe { give("table", table, handle(opened)) }
    };
    // SAFETY: the caller guarantees it.
    unsafe { slot_for_result("table", table, error, read) }
}

/// Closes a table; does nothing for NULL. The texts of its entries become invalid.
///
/// # Safety
///
/// The table came from wavetune_lookup_open or wavetune_lookup_read, and is no longer in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetune_lookup_close(table: *mut wavetune_lookup_table) {
    if !table.is_null() {
        // SAFETY: `handle` made it, and the caller guarantees that it is closed once.
        drop(unsafe { Box::from_raw(table) });
    }
}

/// Frees a text that a call has returned: an answer, or the message of an error. Does nothing for
/// NULL.
///
/// # Safety
///
/// The text came from a call of this library, and is no longer in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetune_lookup_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: `owned` made it, and the caller guarantees that it is freed once.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// Answers a question by the ladder: exact, sibling, neighbour, predicted, default.
///
/// `*answer` is the JSON line of `wavetune table lookup --output-format json`, ended by NUL. Its
/// "answer" is the rung, or "none" without a configuration. The caller frees it with
/// wavetune_lookup_free.
///
/// # Safety
///
/// Each pointer is NULL or points to a value of its type. The error may be NULL if the caller
/// needs no reason.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetune_lookup_answer(
    table: *const wavetune_lookup_table,
    question: *const wavetune_lookup_question,
    answer: *mut *mut c_char,
    error: *mut wavetune_lookup_error,
) -> wavetune_lookup_result {
    let answered = || {
        // SAFETY: the caller guarantees it.
        let (table, question) = unsafe { (there("table", table)?, there("question", question)?) };
        // SAFETY: the caller guarantees it.
        let texts = unsafe {
            (
                given("problem", question.problem)?,
                given("target", question.target)?,
                given("device", question.device)?,
                given("generator", question.generator)?,
                given("rung", question.at_least)?,
            )
        };
        let (Some(problem), target, device, generator, at_least) = texts else {
            return Err(Failure::new("the problem is NULL"));
        };
        let asked = TableQuestion {
            problem,
            target,
            device,
            generator,
            at_least,
        };
        let said = ask(&table.table, &asked).map_err(Failure::new)?;
        // SAFETY: the caller guarantees it.
        unsafe { give("answer", answer, owned(&answers::line(&said))) }
    };
    // SAFETY: the caller guarantees it.
    unsafe { slot_for_result("answer", answer, error, answered) }
}

/// Returns the number of a table's entries; 0 for NULL. Entries are numbered from 0, family by
/// family.
///
/// # Safety
///
/// The table is NULL or open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetune_lookup_count(table: *const wavetune_lookup_table) -> usize {
    // SAFETY: the caller guarantees it.
    unsafe { table.as_ref() }.map_or(0, |table| table.table.len())
}

/// Finds an entry by its key: the problem's canonical text, a NUL, and the target. `*index` is
/// its number.
///
/// The search compares 96 bits of a hash. Compare the key of the entry for certainty.
///
/// # Safety
///
/// As wavetune_lookup_answer; `key` points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetune_lookup_find(
    table: *const wavetune_lookup_table,
    key: *const c_char,
    length: usize,
    index: *mut usize,
    error: *mut wavetune_lookup_error,
) -> wavetune_lookup_result {
    let found = || {
        // SAFETY: the caller guarantees it.
        let (table, key) = unsafe {
            (
                there("table", table)?,
                bytes_at("key is", key.cast(), length)?,
            )
        };
        let key = str::from_utf8(key).map_err(|_| Failure::new("the key is not UTF-8"))?;
        match table.table.lookup(key) {
            // SAFETY: the caller guarantees it.
            Some(entry) => unsafe { give("index", index, entry.index()) },
            None => Ok(WAVETUNE_LOOKUP_ABSENT),
        }
    };
    // SAFETY: the caller guarantees it.
    unsafe { guarded(error, found) }
}

/// Reads the entry with a number. Returns WAVETUNE_LOOKUP_ABSENT beyond the last one.
///
/// # Safety
///
/// As wavetune_lookup_answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetune_lookup_entry_at(
    table: *const wavetune_lookup_table,
    index: usize,
    into: *mut wavetune_lookup_entry,
    error: *mut wavetune_lookup_error,
) -> wavetune_lookup_result {
    let read = || {
        // SAFETY: the caller guarantees it.
        let table = unsafe { there("table", table) }?;
        match entry(&table.table, index) {
            // SAFETY: the caller guarantees it.
            Some(entry) => unsafe { give("entry", into, entry) },
            None => Ok(WAVETUNE_LOOKUP_ABSENT),
        }
    };
    // SAFETY: the caller guarantees it.
    unsafe { guarded(error, read) }
}

/// Reads a metadatum by number, in the order of names. Returns WAVETUNE_LOOKUP_ABSENT beyond the
/// last one.
///
/// # Safety
///
/// As wavetune_lookup_answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetune_lookup_metadatum(
    table: *const wavetune_lookup_table,
    index: usize,
    name: *mut wavetune_lookup_text,
    value: *mut wavetune_lookup_text,
    error: *mut wavetune_lookup_error,
) -> wavetune_lookup_result {
    let read = || {
        // SAFETY: the caller guarantees it.
        let table = unsafe { there("table", table) }?;
        let Some(found) = table.table.metadata().nth(index) else {
            return Ok(WAVETUNE_LOOKUP_ABSENT);
        };
        // Check both places first, so that a failed call writes neither.
        for (place, what) in [
            (name, "pointer to the name"),
            (value, "pointer to the value"),
        ] {
            // SAFETY: the caller guarantees it.
            unsafe { there(what, place.cast_const()) }?;
        }
        // SAFETY: the caller guarantees it.
        unsafe { give("name", name, lent(found.0)).and(give("value", value, lent(found.1))) }
    };
    // SAFETY: the caller guarantees it.
    unsafe { guarded(error, read) }
}

fn handle(table: Table) -> *mut wavetune_lookup_table {
    Box::into_raw(Box::new(wavetune_lookup_table { table }))
}
