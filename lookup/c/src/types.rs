//! What the calls take and give.

use std::ffi::c_char;

use lookup_table::Table;

/// An open table. Any number of threads may ask one; opening and closing are for one of them.
pub struct wavetune_lookup_table {
    pub(crate) table: Table,
}

/// How a call ended.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum wavetune_lookup_result {
    /// It has given what it was asked for.
    WAVETUNE_LOOKUP_OK = 0,
    /// There is nothing of the kind in the table; nothing is given.
    WAVETUNE_LOOKUP_ABSENT = 1,
    /// The error says why; nothing is given.
    WAVETUNE_LOOKUP_FAILED = 2,
}

/// Why a call has failed. A call that has not leaves it alone.
#[repr(C)]
#[derive(Debug)]
pub struct wavetune_lookup_error {
    /// One line that says what to do, ended by NUL. It is the caller's, who gives it to wavetune_lookup_free.
    pub message: *mut c_char,
    /// What is wrong with a file, in a word of docs/table.md such as "checksum", ended by NUL; "" where a file is not the reason.
    pub verdict: [c_char; 16],
    /// The byte of the file at which what is wrong begins; 0 where that is the whole file, or where a file is not the reason.
    pub at: u64,
}

/// A question. Texts are UTF-8 and ended by NUL; NULL means that it is not insisted on.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct wavetune_lookup_question {
    /// The problem, such as `argmax:4x[32000]xf32`. It may not be NULL.
    pub problem: *const c_char,
    /// The instruction set, such as "gfx942"; NULL for that of the table, if it has one alone.
    pub target: *const c_char,
    /// The device that the answer is for: what was tuned on another one of the target is a sibling's.
    pub device: *const c_char,
    /// Only kernels of this generator: "native" or "iree".
    pub generator: *const c_char,
    /// The lowest rung that may answer: "exact", "sibling", "neighbour" or "default", which is the default.
    pub at_least: *const c_char,
}

/// A text in UTF-8: not ended by NUL, and alive as long as its table is open.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct wavetune_lookup_text {
    /// Its first byte.
    pub text: *const c_char,
    /// Its bytes.
    pub length: usize,
}

/// An entry of a table. Times are in microseconds; one that is not known is 0, which is no time.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct wavetune_lookup_entry {
    /// What it is found by: the problem's canonical text, a NUL, and the target.
    pub key: wavetune_lookup_text,
    /// The configuration, as JSON.
    pub configuration: wavetune_lookup_text,
    /// The configuration as a compiler's attributes, or empty.
    pub attributes: wavetune_lookup_text,
    /// The generator that the configuration belongs to.
    pub generator: wavetune_lookup_text,
    /// What made the numbers, as JSON.
    pub provenance: wavetune_lookup_text,
    /// The text of its family.
    pub family: wavetune_lookup_text,
    /// Its time.
    pub time_us: f64,
    /// That of the generator's default.
    pub default_time_us: f64,
    /// The least time that any kernel could take.
    pub bound_us: f64,
    /// The study of its trial.
    pub study: i64,
    /// Its sizes; those beyond size_count are 0.
    pub sizes: [u64; 4],
    /// How many sizes it has.
    pub size_count: u32,
    /// Ordinal of its trial in the study.
    pub ordinal: u32,
    /// Whether it gives another index on ties. If its provenance has `"is_best_unasked":true`, what its generator does unasked gives the
    /// right one: then use no configuration, unless any index will do.
    pub is_tie: bool,
}
