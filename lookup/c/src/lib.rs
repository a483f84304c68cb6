//! Tables for programs in C, C++, Python and whatever else calls C: the ladder on a table, and its entries.
//!
//! `include/wavetune_lookup.h` is made of these declarations by cbindgen; a test holds it against them. Their names are those of C, all
//! with one prefix, so that they go together with `wavetune_table.h`, the reader that has no Rust in it and knows no ladder.
//!
//! No panic leaves this crate, and a pointer that is NULL is an error and not followed. It knows no database and no device.

#![expect(non_camel_case_types, reason = "the header has the names of C")]

mod calls;
mod ffi_guard;
mod texts;
mod types;

pub use calls::*;
pub use types::*;
