//! Tables for programs in C, C++ and Python: the ladder on a table, and its entries.
//!
//! cbindgen makes `include/wavetune_lookup.h` from these declarations, and a test compares both.
//! The names are those of C, with one prefix, so that the header works together with
//! `wavetune_table.h`, the reader without Rust and without a ladder. `types.rs` has the
//! arguments, `calls.rs` the functions, and `ffi_guard.rs` the guards against a caller's
//! mistakes. `lookup/python/` is the Python module; `docs/bindings.md` is the manual.
//!
//! This crate knows no database and no device.
//!
//! # Invariants
//!
//! - No panic and no NULL crosses the C interface: each becomes an error with its reason.
//! - The header matches the sources.
//! - The reader in Python agrees with those in Rust and C on every file.

#![expect(non_camel_case_types, reason = "the header has the names of C")]

mod calls;
mod ffi_guard;
mod texts;
mod types;

pub use calls::*;
pub use types::*;
