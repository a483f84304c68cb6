//! Why a table is not read or not written, in words that say what to do.

use std::io;
use std::path::PathBuf;

use crate::format::{HEADER, MAX_BYTES, MAX_ENTRIES, MAX_METADATA, MAX_SIZES, VERSION, header};

/// Why a file is refused. Prints as one line.
#[derive(Debug, thiserror::Error)]
#[error("table {path}: {fault}", path = path.display())]
pub struct TableError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: TableFault,
}

/// What is wrong with a file, in the order in which it is looked for. The reader in C has the same, with the same names.
#[derive(Debug, thiserror::Error)]
pub enum TableFault {
    /// The system does not give the file.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// There is not even a header.
    #[error(
        "has {bytes} bytes, and a header alone has {HEADER}: it was cut off; copy or make it anew"
    )]
    Short {
        /// What it has.
        bytes: u64,
    },
    /// Another kind of file, or one that was changed as a text is.
    #[error("is no table, as it does not begin like one; give a .wtab file, copied as bytes")]
    Foreign,
    /// A table of another version.
    #[error("has format {found}, and this program reads {VERSION}; {}", of_version(*.found))]
    Version {
        /// Its version.
        found: u32,
    },
    /// Cut off, or something follows it.
    #[error(
        "has {found} bytes and says that it has {said}: it was not copied whole; copy or make it anew"
    )]
    Length {
        /// What it has.
        found: u64,
        /// What its header says.
        said: u64,
    },
    /// Some byte is not what was written.
    #[error("is damaged: its checksum is that of other bytes; copy or make it anew")]
    Checksum,
    /// The checksum is right and what it is made over is not.
    #[error("was written wrongly: {part}, at byte {at}; make it anew, and report who wrote it")]
    Wrong {
        /// What is wrong.
        part: TablePart,
        /// Where it begins in the file.
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
    /// The name of the verdict, which is the one of the reader in C.
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

    /// The byte of the file at which what is wrong begins: of the header the field that says otherwise. 0 where it is the whole file.
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

/// A part of a table that may be wrong though the checksum is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TablePart {
    /// A field of the header, or the lengths together.
    #[error("a length of the header agrees not with the rest")]
    Header,
    /// A key or the pool is no UTF-8.
    #[error("a text is no UTF-8")]
    Text,
    /// What a field refers to is not there, or it cuts a character.
    #[error("a reference leads nowhere")]
    Reference,
    /// A slot and its key do not belong together, or the slots are out of order.
    #[error("a slot leads not to its key")]
    Slot,
    /// A field of a record that means nothing.
    #[error("a record has a number that means nothing")]
    Record,
    /// The entries of a family are out of order, or not those that say that they are.
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

/// Why no table is written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// A number that is no time.
    #[error("entry {key:?}: {field} is {value}; a time is finite and more than 0 µs")]
    Time {
        /// The entry.
        key: String,
        /// Which of its times.
        field: &'static str,
        /// What was given.
        value: f64,
    },
    /// More sizes than a table keeps.
    #[error("entry {key:?}: it has {sizes} sizes, and a table keeps {MAX_SIZES}")]
    Sizes {
        /// The entry.
        key: String,
        /// What was given.
        sizes: usize,
    },
    /// Entries of one family that cannot be compared.
    #[error(
        "entry {key:?}: it has {sizes} sizes, and others of its family {family:?} have {others}"
    )]
    Family {
        /// The entry.
        key: String,
        /// Its family.
        family: String,
        /// What it has.
        sizes: usize,
        /// What they have.
        others: usize,
    },
    /// A key that is there twice.
    #[error("the key {key:?} was added twice; add the better entry alone")]
    Twice {
        /// The key.
        key: String,
    },
    /// Two keys that slots cannot tell apart: among a million by chance one time in 2^57.
    #[error(
        "the keys {one:?} and {other:?} have one hash; spell one of them otherwise, or leave it out"
    )]
    Alike {
        /// One of them.
        one: String,
        /// The other.
        other: String,
    },
    /// A metadatum that is there twice.
    #[error("the metadatum {name:?} was given twice")]
    Metadatum {
        /// Its name.
        name: String,
    },
    /// More entries than a table has room for.
    #[error("there are more than {MAX_ENTRIES} entries; make several tables")]
    Entries,
    /// More metadata than a table has room for.
    #[error("there are more than {MAX_METADATA} metadata")]
    Metadata,
    /// More text than a table has room for.
    #[error("the {what} have more than {MAX_BYTES} bytes; make several tables")]
    Bytes {
        /// Which texts: keys or strings.
        what: &'static str,
    },
    /// The file cannot be written.
    #[error("table {path}: cannot be written: {error}; see that its folder is there, has room, and is yours to write to", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}
