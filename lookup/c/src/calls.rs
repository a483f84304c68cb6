//! The calls. Each does its work in `guarded`, which turns what goes wrong into the caller's error.

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

/// Opens the table at a path and validates it. `*table` is then the caller's, who closes it; it is NULL where the file is refused.
///
/// While it is open no program may write into the file; wavetune writes another and renames it.
///
/// # Safety
///
/// Each pointer is NULL or leads to what its type says; the path is ended by NUL. The error may be NULL for who wants no reason.
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
        // SAFETY: the caller's word. Any bytes may be a path.
        let path = OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes());
        let opened = Table::open(path).map_err(Failure::refused)?;
        // SAFETY: the caller's word.
        unsafe { give("table", table, handle(opened)) }
    };
    // SAFETY: the caller's word.
    unsafe { slot_for_result("table", table, error, open) }
}

/// As wavetune_lookup_open, of bytes that are in memory. They are copied.
///
/// # Safety
///
/// As there; at `bytes` there are `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetune_lookup_read(
    bytes: *const c_void,
    length: usize,
    table: *mut *mut wavetune_lookup_table,
    error: *mut wavetune_lookup_error,
) -> wavetune_lookup_result {
    let read = || {
        // SAFETY: the caller's word.
        let bytes = unsafe { bytes_at("bytes are", bytes.cast(), length) }?;
        let opened = Table::read(bytes).map_err(Failure::refused)?;
        // SAFETY: the caller's word.
        unsafe { give("table", table, handle(opened)) }
    };
    // SAFETY: the caller's word.
    unsafe { slot_for_result("table", table, error, read) }
}

/// Closes a table; none where it is NULL. What it has given of its texts is gone then.
///
/// # Safety
///
/// It came from wavetune_lookup_open or wavetune_lookup_read, and nobody uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetune_lookup_close(table: *mut wavetune_lookup_table) {
    if !table.is_null() {
        // SAFETY: it was made by `handle`, and is closed once: the caller's word.
        drop(unsafe { Box::from_raw(table) });
    }
}

/// Frees a text that a call has given: an answer, or the message of an error. NULL is none.
///
/// # Safety
///
/// It came from a call here, and nobody uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetune_lookup_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: it was made by `owned`, and is freed once: the caller's word.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// Answers a question by the ladder: exact, sibling, neighbour, default. `*answer` is one line of JSON, that of `wavetune table lookup
/// --output-format json`, ended by NUL; its "answer" is the rung, or "none" where there is no configuration. It is the caller's, who gives
/// it to wavetune_lookup_free.
///
/// # Safety
///
/// Each pointer is NULL or leads to what its type says. The error may be NULL for who wants no reason.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetune_lookup_answer(
    table: *const wavetune_lookup_table,
    question: *const wavetune_lookup_question,
    answer: *mut *mut c_char,
    error: *mut wavetune_lookup_error,
) -> wavetune_lookup_result {
    let answered = || {
        // SAFETY: the caller's word.
        let (table, question) = unsafe { (there("table", table)?, there("question", question)?) };
        // SAFETY: the caller's word.
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
        // SAFETY: the caller's word.
        unsafe { give("answer", answer, owned(&answers::line(&said))) }
    };
    // SAFETY: the caller's word.
    unsafe { slot_for_result("answer", answer, error, answered) }
}

/// How many entries a table has; 0 where it is NULL. They are numbered from 0, family by family.
///
/// # Safety
///
/// The table is NULL or open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetune_lookup_count(table: *const wavetune_lookup_table) -> usize {
    // SAFETY: the caller's word.
    unsafe { table.as_ref() }.map_or(0, |table| table.table.len())
}

/// Finds an entry by its key: the problem's canonical text, a NUL, and the target. It is told by 96 bits of a hash; who wants to know for
/// certain compares the key of the entry. `*index` is its number.
///
/// # Safety
///
/// As wavetune_lookup_answer; at `key` there are `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetune_lookup_find(
    table: *const wavetune_lookup_table,
    key: *const c_char,
    length: usize,
    index: *mut usize,
    error: *mut wavetune_lookup_error,
) -> wavetune_lookup_result {
    let found = || {
        // SAFETY: the caller's word.
        let (table, key) = unsafe {
            (
                there("table", table)?,
                bytes_at("key is", key.cast(), length)?,
            )
        };
        let key = str::from_utf8(key).map_err(|_| Failure::new("the key is no UTF-8"))?;
        match table.table.lookup(key) {
            // SAFETY: the caller's word.
            Some(entry) => unsafe { give("index", index, entry.index()) },
            None => Ok(WAVETUNE_LOOKUP_ABSENT),
        }
    };
    // SAFETY: the caller's word.
    unsafe { guarded(error, found) }
}

/// Reads the entry with a number. Beyond the last one there is none.
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
        // SAFETY: the caller's word.
        let table = unsafe { there("table", table) }?;
        match entry(&table.table, index) {
            // SAFETY: the caller's word.
            Some(entry) => unsafe { give("entry", into, entry) },
            None => Ok(WAVETUNE_LOOKUP_ABSENT),
        }
    };
    // SAFETY: the caller's word.
    unsafe { guarded(error, read) }
}

/// Reads what is noted of the whole table, by number, in the order of names. Beyond the last one there is none.
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
        // SAFETY: the caller's word.
        let table = unsafe { there("table", table) }?;
        let Some(found) = table.table.metadata().nth(index) else {
            return Ok(WAVETUNE_LOOKUP_ABSENT);
        };
        for (place, what) in [(name, "place of the name"), (value, "place of the value")] {
            // SAFETY: the caller's word.
            unsafe { there(what, place.cast_const()) }?;
        }
        // SAFETY: the caller's word.
        unsafe { give("name", name, lent(found.0)).and(give("value", value, lent(found.1))) }
    };
    // SAFETY: the caller's word.
    unsafe { guarded(error, read) }
}

fn handle(table: Table) -> *mut wavetune_lookup_table {
    Box::into_raw(Box::new(wavetune_lookup_table { table }))
}
