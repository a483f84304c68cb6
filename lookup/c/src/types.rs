//! The arguments and results of the calls.

use std::ffi::c_char;

use lookup_table::Table;

/// An open table. Any number of threads may read it; only one may open or close it.
pub struct wavetune_lookup_table {
    pub(crate) table: Table,
}

/// The result of a call.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum wavetune_lookup_result {
    /// The call has given its result.
    WAVETUNE_LOOKUP_OK = 0,
    /// The table has no such thing; no result is given.
    WAVETUNE_LOOKUP_ABSENT = 1,
    /// The call has failed, and the error has the reason; no result is given.
    WAVETUNE_LOOKUP_FAILED = 2,
}

/// The reason of a failed call. A call that succeeds does not change it.
#[repr(C)]
#[derive(Debug)]
pub struct wavetune_lookup_error {
    /// One line with the fault and the remedy, ended by NUL. The caller frees it with
    /// wavetune_lookup_free.
    pub message: *mut c_char,
    /// The fault of a file, in a word of docs/table.md such as "checksum", ended by NUL; "" if no
    /// file is the reason.
    pub verdict: [c_char; 16],
    /// The byte of the file at which the fault begins; 0 for the whole file, or if no file is the
    /// reason.
    pub at: u64,
}

/// A question. Texts are UTF-8 and ended by NUL; NULL allows any.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct wavetune_lookup_question {
    /// The problem, such as `argmax:4x[32000]xf32`. It must not be NULL.
    pub problem: *const c_char,
    /// The instruction set, such as "gfx942"; NULL for that of the table, if it has only one.
    pub target: *const c_char,
    /// The device of the answer. The answer of another device of the target is a sibling's.
    pub device: *const c_char,
    /// The generator of the kernel: "native" or "iree".
    pub generator: *const c_char,
    /// The lowest rung that may answer: "exact", "sibling", "neighbour", "predicted" or
    /// "default", which is the default.
    pub at_least: *const c_char,
}

/// A text in UTF-8, not ended by NUL. It is valid while its table is open.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct wavetune_lookup_text {
    /// The first byte.
    pub text: *const c_char,
    /// The number of bytes.
    pub length: usize,
}

/// An entry of a table. Times are in microseconds; an unknown time is 0.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct wavetune_lookup_entry {
    /// The key: the problem's canonical text, a NUL, and the target.
    pub key: wavetune_lookup_text,
    /// The configuration, as JSON.
    pub configuration: wavetune_lookup_text,
    /// The configuration as attributes of a compiler, or empty.
    pub attributes: wavetune_lookup_text,
    /// The generator of the configuration.
    pub generator: wavetune_lookup_text,
    /// The provenance of the numbers, as JSON.
    pub provenance: wavetune_lookup_text,
    /// The text of the family.
    pub family: wavetune_lookup_text,
    /// The time.
    pub time_us: f64,
    /// The time of the generator's default.
    pub default_time_us: f64,
    /// The least time that any kernel needs.
    pub bound_us: f64,
    /// The number of the trial's study.
    pub study: i64,
    /// The sizes; those beyond size_count are 0.
    pub sizes: [u64; 4],
    /// The number of sizes.
    pub size_count: u32,
    /// The ordinal of the trial in its study.
    pub ordinal: u32,
    /// True for another tie-break than the fold's. If the provenance has
    /// `"is_best_unasked":true`, only the generator's default is correct: then use no
    /// configuration, unless any index is acceptable.
    pub is_tie: bool,
}
