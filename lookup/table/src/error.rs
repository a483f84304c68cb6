//! Errors of reading and of writing a table, with the remedy in each message.

use std::io;
use std::path::PathBuf;

use crate::format::{HEADER, MAX_BYTES, MAX_ENTRIES, MAX_METADATA, MAX_SIZES, VERSION, header};

/// An error of reading a file. Prints as one line.
#[derive(Debug, thiserror::Error)]
#[error("table {path}: {fault}", path = path.display())]
pub struct TableError {
    /// The file.
    pub path: PathBuf,
    /// The fault.
    pub fault: TableFault,
}

/// A fault of a file, in the order of the checks. The reader in C has the same faults with the
/// same names.
#[derive(Debug, thiserror::Error)]
pub enum TableFault {
    /// The system cannot read the file.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The file is shorter than a header.
    #[error(
        "is truncated: it has {bytes} bytes, and a header alone has {HEADER}. Copy or export it again"
    )]
    Short {
        /// The length of the file.
        bytes: u64,
    },
    /// The file is of another kind, or was converted as a text.
    #[error("is not a table: its first bytes are wrong. Give a .wtab file, copied in binary mode")]
    Foreign,
    /// The table has another version of the format.
    #[error("has format {found}, and this program reads {VERSION}; {}", of_version(*.found))]
    Version {
        /// The version.
        found: u32,
    },
    /// The file was cut off, or something follows the table.
    #[error(
        "has the wrong length: {found} bytes, and its header says {said}. Copy or export it again"
    )]
    Length {
        /// The length of the file.
        found: u64,
        /// The length in the header.
        said: u64,
    },
    /// A byte differs from the written one.
    #[error("is damaged: its checksum does not match. Copy or export it again")]
    Checksum,
    /// The checksum is correct, but its writer wrote an invalid table.
    #[error(
        "is invalid: {part}, at byte {at}. Export it again, and report the program that wrote it"
    )]
    Wrong {
        /// The part with the fault.
        part: TablePart,
        /// The position of the fault in the file, in bytes.
        at: u64,
    },
}

fn of_version(found: u32) -> &'static str {
    match found > VERSION {
        true => "use a newer program, or export the table with one of this version",
        false => "export the table again",
    }
}

impl TableFault {
    /// Returns the name of the fault, as the reader in C has it.
    pub fn name(&self) -> &'static str {
        match self {
            TableFault::Io(_) => "io",
            TableFault::Short { .. } => "short",
            TableFault::Foreign => "foreign",
            TableFault::Version { .. } => "version",
            TableFault::Length { .. } => "length",
            TableFault::Checksum => "checksum",
            TableFault::Wrong { part, .. } => part.name(),
        }
    }

    /// Returns the byte of the file at which the fault begins: for a fault of the header its
    /// field, and 0 for the whole file.
    pub fn at(&self) -> u64 {
        match self {
            TableFault::Io(_) | TableFault::Short { .. } | TableFault::Foreign => 0,
            TableFault::Version { .. } => header::VERSION as u64,
            TableFault::Length { .. } => header::LENGTH as u64,
            TableFault::Checksum => header::CHECKSUM as u64,
            TableFault::Wrong { at, .. } => *at,
        }
    }
}

/// A part of a table that may be invalid despite a correct checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TablePart {
    /// A field of the header, or the sum of the lengths.
    #[error("a length in the header does not match the rest")]
    Header,
    /// A key or the pool is not UTF-8.
    #[error("a text is not UTF-8")]
    Text,
    /// A field refers to nothing, or a string cuts a character.
    #[error("a reference has no target")]
    Reference,
    /// A slot does not belong to its key, or the slots are out of order.
    #[error("a slot does not refer to its key")]
    Slot,
    /// A field of a record has an invalid value.
    #[error("a record has an invalid number")]
    Record,
    /// The entries of a family are out of order, or belong to another family.
    #[error("the entries of a family are out of order")]
    Family,
    /// The names of the metadata are out of order.
    #[error("the metadata are out of order")]
    Metadata,
}

impl TablePart {
    fn name(self) -> &'static str {
        match self {
            TablePart::Header => "header",
            TablePart::Text => "text",
            TablePart::Reference => "reference",
            TablePart::Slot => "slot",
            TablePart::Record => "record",
            TablePart::Family => "family",
            TablePart::Metadata => "metadata",
        }
    }
}

/// An error of writing a table.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A number is no time.
    #[error("entry {key:?}: {field} is {value}; a time must be finite and more than 0 µs")]
    Time {
        /// The key of the entry.
        key: String,
        /// The field with the time.
        field: &'static str,
        /// The value.
        value: f64,
    },
    /// An entry has more sizes than a table keeps.
    #[error("entry {key:?}: it has {sizes} sizes; a table has room for {MAX_SIZES}")]
    Sizes {
        /// The key of the entry.
        key: String,
        /// The number of sizes.
        sizes: usize,
    },
    /// Entries of one family have different numbers of sizes.
    #[error(
        "entry {key:?}: it has {sizes} sizes, and others of its family {family:?} have {others}"
    )]
    Family {
        /// The key of the entry.
        key: String,
        /// Its family.
        family: String,
        /// Its number of sizes.
        sizes: usize,
        /// The number of sizes of the others.
        others: usize,
    },
    /// A key occurs twice.
    #[error("the key {key:?} was added twice; add the better entry alone")]
    Twice {
        /// The key.
        key: String,
    },
    /// Two keys have the same hash. Among a million keys, the probability is 1 in 2^57.
    #[error(
        "the keys {one:?} and {other:?} have the same hash; spell one of them differently, or leave it out"
    )]
    Alike {
        /// The first key.
        one: String,
        /// The second key.
        other: String,
    },
    /// A metadatum occurs twice.
    #[error("the metadatum {name:?} was given twice")]
    Metadatum {
        /// Its name.
        name: String,
    },
    /// There are more entries than a table can hold.
    #[error("there are more than {MAX_ENTRIES} entries; make several tables")]
    Entries,
    /// There are more metadata than a table can hold.
    #[error("there are more than {MAX_METADATA} metadata")]
    Metadata,
    /// There is more text than a table can hold.
    #[error("the {what} have more than {MAX_BYTES} bytes; make several tables")]
    Bytes {
        /// The kind of text: keys or strings.
        what: &'static str,
    },
    /// The file cannot be written.
    #[error("table {path}: cannot be written: {error}; check that its folder exists, has free space and is writable", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}
