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
        "has {bytes} bytes, and a header alone has {HEADER}: it was cut off; copy or make it anew"
    )]
    Short {
        /// The length of the file.
        bytes: u64,
    },
    /// The file is of another kind, or was converted as a text.
    #[error("is no table, as it does not begin like one; give a .wtab file, copied as bytes")]
    Foreign,
    /// The table has another version of the format.
    #[error("has format {found}, and this program reads {VERSION}; {}", of_version(*.found))]
    Version {
        /// The version.
        found: u32,
    },
    /// The file was cut off, or something follows the table.
    #[error(
        "has {found} bytes and says that it has {said}: it was not copied whole; copy or make it anew"
    )]
    Length {
        /// The length of the file.
        found: u64,
        /// The length in the header.
        said: u64,
    },
    /// A byte differs from the written one.
    #[error("is damaged: its checksum is that of other bytes; copy or make it anew")]
    Checksum,
    /// The checksum is correct, but its writer wrote an invalid table.
    #[error("was written wrongly: {part}, at byte {at}; make it anew, and report who wrote it")]
    Wrong {
        /// The part with the fault.
        part: TablePart,
        /// The position of the fault in the file, in bytes.
        at: u64,
    },
}

fn of_version(found: u32) -> &'static str {
    match found > VERSION {
        true => "use a newer program, or have the table made by one as old as this",
        false => "have the table made anew",
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
    #[error("a length of the header agrees not with the rest")]
    Header,
    /// A key or the pool is not UTF-8.
    #[error("a text is no UTF-8")]
    Text,
    /// A field refers to nothing, or a string cuts a character.
    #[error("a reference leads nowhere")]
    Reference,
    /// A slot does not belong to its key, or the slots are out of order.
    #[error("a slot leads not to its key")]
    Slot,
    /// A field of a record has an invalid value.
    #[error("a record has a number that means nothing")]
    Record,
    /// The entries of a family are out of order, or belong to another family.
    #[error("a family has not its entries in order")]
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
    #[error("entry {key:?}: {field} is {value}; a time is finite and more than 0 µs")]
    Time {
        /// The key of the entry.
        key: String,
        /// The field with the time.
        field: &'static str,
        /// The value.
        value: f64,
    },
    /// An entry has more sizes than a table keeps.
    #[error("entry {key:?}: it has {sizes} sizes, and a table keeps {MAX_SIZES}")]
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
        "the keys {one:?} and {other:?} have one hash; spell one of them otherwise, or leave it out"
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
    #[error("table {path}: cannot be written: {error}; see that its folder is there, has room, and is yours to write to", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}
