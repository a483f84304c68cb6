//! Results in the types of C.

use std::ffi::{CString, c_char};

use lookup_table::{Table, TableError};

use crate::{wavetune_lookup_entry, wavetune_lookup_error, wavetune_lookup_text};

/// The reason of a failed call.
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) verdict: &'static str,
    pub(crate) at: u64,
}

impl Failure {
    pub(crate) fn new(message: impl ToString) -> Failure {
        Failure {
            message: message.to_string(),
            verdict: "",
            at: 0,
        }
    }

    pub(crate) fn refused(error: TableError) -> Failure {
        Failure {
            verdict: error.fault.name(),
            at: error.fault.at(),
            ..Failure::new(&error)
        }
    }

    pub(crate) fn to_c_error(&self) -> wavetune_lookup_error {
        let mut verdict = [0; 16];
        // The last byte stays NUL.
        let letters = verdict[..15].iter_mut().zip(self.verdict.bytes());
        letters.for_each(|(to, letter)| *to = letter as c_char);
        wavetune_lookup_error {
            message: owned(&self.message),
            verdict,
            at: self.at,
        }
    }
}

/// Returns a text that the caller frees. Shows a NUL as `\0`, because it would end the text for a
/// reader in C.
pub(crate) fn owned(text: &str) -> *mut c_char {
    let text = CString::new(text.replace('\0', "\\0"));
    text.unwrap_or_default().into_raw()
}

pub(crate) fn lent(text: &str) -> wavetune_lookup_text {
    wavetune_lookup_text {
        text: text.as_ptr().cast(),
        length: text.len(),
    }
}

/// Returns an entry by its number.
pub(crate) fn entry(table: &Table, index: usize) -> Option<wavetune_lookup_entry> {
    let entry = table.entry(index)?;
    let found = entry.sizes();
    let mut sizes = [0; 4];
    sizes
        .iter_mut()
        .zip(&*found)
        .for_each(|(to, from)| *to = *from);
    Some(wavetune_lookup_entry {
        key: lent(entry.key()),
        configuration: lent(entry.configuration()),
        attributes: lent(entry.attributes()),
        generator: lent(entry.generator()),
        provenance: lent(entry.provenance()),
        family: lent(entry.family().text()),
        time_us: entry.time_us(),
        default_time_us: entry.default_time_us().unwrap_or(0.0),
        bound_us: entry.bound_us().unwrap_or(0.0),
        study: entry.study(),
        sizes,
        size_count: found.len() as u32,
        ordinal: entry.ordinal(),
        is_tie: entry.status() == lookup_table::Status::Tie,
    })
}
