//! An open table: opening, search and iteration.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use memmap2::MmapOptions;

use crate::check::{begins, check};
use crate::content::{Content, TableBytes};
use crate::entry::{EntryRef, FamilyRef};
use crate::error::{TableError, TableFault};
use crate::format::{HEADER, Slot, Tag, homes, u32_at};

/// Entries by key, read-only. Threads may share a table.
#[derive(Debug)]
pub struct Table {
    content: Content,
}

impl Table {
    /// Maps the file and validates it.
    ///
    /// No program may write into the file while it is open. [`crate::TableWriter`] never does: it
    /// writes a new file and renames it.
    ///
    /// # Errors
    ///
    /// The fault of the file, with the remedy.
    pub fn open(path: impl AsRef<Path>) -> Result<Table, TableError> {
        let path = path.as_ref();
        let opened = map(path).and_then(Table::validated);
        opened.map_err(|fault| TableError {
            path: path.to_owned(),
            fault,
        })
    }

    /// Validates bytes in memory.
    ///
    /// # Errors
    ///
    /// The fault of the bytes, with the remedy. Its path is `memory`.
    pub fn read(bytes: impl Into<Vec<u8>>) -> Result<Table, TableError> {
        let opened = Table::validated(TableBytes::Owned(bytes.into()));
        opened.map_err(|fault| TableError {
            path: PathBuf::from("memory"),
            fault,
        })
    }

    fn validated(bytes: TableBytes) -> Result<Table, TableFault> {
        let sections = check(&bytes)?;
        let content = Content { bytes, sections };
        Ok(Table { content })
    }

    /// Returns the entry with the hash of this key.
    ///
    /// A slot has 96 bits of the key's XXH3-128. In a table of a million entries, a foreign key
    /// matches an entry with a probability of 1 in 2^76. Compare [`EntryRef::key`] for certainty,
    /// at the cost of another memory access.
    #[inline]
    pub fn lookup(&self, key: &str) -> Option<EntryRef<'_>> {
        let tag = Tag::of(key.as_bytes());
        let home = tag.home(homes(self.len() as u64));
        let slots = self.content.slots().get(home as usize..)?;
        // Tags rise from a home on, and the last slot is empty, with the largest tag.
        let slot = slots.iter().map(Slot::read).find(|slot| slot.tag >= tag)?;
        let is_it = slot.tag == tag && slot != Slot::EMPTY;
        is_it.then_some(EntryRef {
            content: &self.content,
            record: slot.record,
        })
    }

    /// Returns the family with this text.
    pub fn family(&self, text: &str) -> Option<FamilyRef<'_>> {
        let families = self.content.families();
        // Families are in the order of their texts.
        let place = families.binary_search_by(|row| self.text(row, 0).cmp(text));
        place.ok().map(|index| self.family_at(index))
    }

    /// Iterates over the families, in the order of their texts.
    pub fn families(&self) -> impl Iterator<Item = FamilyRef<'_>> {
        (0..self.content.families().len()).map(|index| self.family_at(index))
    }

    /// Iterates over the entries, in the order of families, sizes and keys.
    pub fn entries(&self) -> impl Iterator<Item = EntryRef<'_>> {
        (0..self.len() as u32).map(|record| EntryRef {
            content: &self.content,
            record,
        })
    }

    /// Returns the entry at this position of [`Table::entries`].
    pub fn entry(&self, index: usize) -> Option<EntryRef<'_>> {
        (index < self.len()).then_some(EntryRef {
            content: &self.content,
            record: index as u32,
        })
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.content.entries()
    }

    /// Returns whether the table has no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the metadatum with this name, such as the target.
    pub fn metadatum(&self, name: &str) -> Option<&str> {
        let mut all = self.metadata();
        all.find_map(|(found, value)| (found == name).then_some(value))
    }

    /// Iterates over the metadata, names and values, in the order of names.
    pub fn metadata(&self) -> impl Iterator<Item = (&str, &str)> {
        let rows = self.content.metadata().iter();
        rows.map(|row| (self.text(row, 0), self.text(row, 4)))
    }

    /// Returns the bytes of the file.
    pub fn as_bytes(&self) -> &[u8] {
        &self.content.bytes
    }

    fn text(&self, row: &[u8], at: usize) -> &str {
        self.content.string(u32_at(row, at))
    }

    fn family_at(&self, index: usize) -> FamilyRef<'_> {
        FamilyRef {
            content: &self.content,
            index: index as u32,
        }
    }
}

fn map(path: &Path) -> Result<TableBytes, TableFault> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Without this flag, opening a pipe would wait for a writer.
        options.custom_flags(libc::O_NONBLOCK);
    }
    let mut file = options.open(path)?;
    let there = file.metadata()?;
    if !there.is_file() {
        let error = "it is a folder, a pipe or a device; give a file";
        return Err(TableFault::Io(io::Error::other(error)));
    }
    // Check the header first: a large file that is no table is then not read, and an empty one
    // cannot be mapped.
    let mut first = [0; HEADER];
    if there.len() >= HEADER as u64 {
        file.read_exact(&mut first)?;
    }
    begins(&first, there.len())?;
    let mut options = MmapOptions::new();
    // The checksum reads all of the file at once, and the system loads it faster in one go.
    options.populate();
    // SAFETY: the map is read-only. A program that writes into the file meanwhile breaks the
    // contract of `Table::open`; then reads see other bytes, and a truncated file ends the
    // process with SIGBUS. Changed bytes cause nothing worse than a wrong answer, because each
    // access is checked against the length of the map, and each text for UTF-8.
    let map = unsafe { options.map(&file) }?;
    Ok(TableBytes::Mapped(map))
}
