//! The table file, `*.wtab`: answers for programs that ask thousands of times per second and have
//! no database.
//!
//! A [`Table`] is a mapped file that [`Table::open`] validates once. A [`Table::lookup`] is then
//! a hash, a slot and a comparison of the key. An [`EntryRef`] reads single fields of its record.
//! A [`FamilyRef`] has the entries of one problem in several sizes, in order, for the search of
//! the nearest shape. A [`TableWriter`] makes the file. `docs/table.md` describes the bytes;
//! `include/wavetune_table.h` reads them in C and C++.
//!
//! This crate knows no problem, no configuration and no database: keys and texts have a meaning
//! to their writer only.
//!
//! # Invariants
//!
//! - The table knows none of the other crates; only the writer of a file knows the meaning of its
//!   keys.
//! - Opening a table validates all of it. A refused file is not followed, and reads of an open
//!   one cannot fail.
//! - The readers in Rust and in C agree on every file: the verdict, its place and all fields.
//! - The same entries make the same bytes, in any order of insertion.
//! - The path of a table holds the old file or the new one, complete, unless a pipe or a device
//!   is there.

mod check;
mod content;
mod entry;
mod error;
mod format;
mod table;
mod writer;

pub use entry::{EntryRef, EntrySizes, FamilyRef, Status};
pub use error::{TableError, TableFault, TablePart, WriteError};
pub use format::{MAX_BYTES, MAX_ENTRIES, MAX_METADATA, MAX_SIZES, VERSION};
pub use table::Table;
pub use writer::{NewEntry, TableWriter};
