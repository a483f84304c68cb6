//! The table file, `*.wtab`: answers for programs that ask thousands of times a second and have no database.
//!
//! A [`Table`] is a file that is mapped and validated once, in [`Table::open`]; from then on a [`Table::lookup`] is a hash, a
//! slot and a comparison of the key. An [`Entry`] reads of its record what it is asked for. A [`Family`] has the entries
//! that are one problem but for their sizes, ordered by these, for whoever looks for the nearest shape. A [`Writer`] makes the
//! file. The bytes are described in `docs/table.md`; `include/wavetune_table.h` reads them in C and C++.
//!
//! This crate knows nothing of problems, configurations and databases: what a key or a text means, its writer knows.

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
