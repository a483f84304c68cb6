//! A table that is open: what it is asked, and how it comes to be open.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use memmap2::MmapOptions;

use crate::check::{begins, check};
use crate::content::{Content, TableBytes};
use crate::entry::{EntryRef, FamilyRef};
use crate::error::{TableError, TableFault};
use crate::format::{HEADER, Slot, Tag, homes, u32_at};

/// Entries by their keys, read-only. Threads may share it.
#[derive(Debug)]
pub struct Table {
    content: Content,
}

impl Table {
    /// Maps the file and validates it.
    ///
    /// While it is open no program may write into the file. [`crate::Writer`] never does: it writes a new one and renames it.
    ///
    /// # Errors
    ///
    /// Why the file is refused, and what to do.
    pub fn open(path: impl AsRef<Path>) -> Result<Table, TableError> {
        let path = path.as_ref();
        let opened = map(path).and_then(Table::validated);
        opened.map_err(|fault| TableError {
            path: path.to_owned(),
            fault,
        })
    }

    /// Validates bytes that are in memory.
    ///
    /// # Errors
    ///
    /// Why they are refused, and what to do; for a path it says `memory`.
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

    /// The entry with this key, which is told by 96 bits of its XXH3-128: a table of a million entries takes another key for one
    /// of its own one time in 2^76. Who wants to know for certain compares [`Entry::key`], which costs another visit to memory.
    #[inline]
    pub fn lookup(&self, key: &str) -> Option<EntryRef<'_>> {
        let tag = Tag::of(key.as_bytes());
        let home = tag.home(homes(self.len() as u64));
        let slots = self.content.slots().get(home as usize..)?;
        // Tags rise from a home on, and the last slot is empty, with the largest.
        let slot = slots.iter().map(Slot::read).find(|slot| slot.tag >= tag)?;
        let is_it = slot.tag == tag && slot != Slot::EMPTY;
        is_it.then_some(EntryRef {
            content: &self.content,
            record: slot.record,
        })
    }

    /// The entries of the family with this text.
    pub fn family(&self, text: &str) -> Option<FamilyRef<'_>> {
        let families = self.content.families();
        let place = families.binary_search_by(|row| self.text(row, 0).cmp(text));
        place.ok().map(|index| self.family_at(index))
    }

    /// All families, by their texts.
    pub fn families(&self) -> impl Iterator<Item = FamilyRef<'_>> {
        (0..self.content.families().len()).map(|index| self.family_at(index))
    }

    /// All entries, family by family: in the order of the families' texts, of sizes and of keys.
    pub fn entries(&self) -> impl Iterator<Item = EntryRef<'_>> {
        (0..self.len() as u32).map(|record| EntryRef {
            content: &self.content,
            record,
        })
    }

    /// The entry with this place in [`Table::entries`].
    pub fn entry(&self, index: usize) -> Option<EntryRef<'_>> {
        (index < self.len()).then_some(EntryRef {
            content: &self.content,
            record: index as u32,
        })
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.content.entries()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the writer noted of the whole under this name, such as the target.
    pub fn metadatum(&self, name: &str) -> Option<&str> {
        let mut all = self.metadata();
        all.find_map(|(found, value)| (found == name).then_some(value))
    }

    /// All that the writer noted of the whole: names and values, by the names.
    pub fn metadata(&self) -> impl Iterator<Item = (&str, &str)> {
        let rows = self.content.metadata().iter();
        rows.map(|row| (self.text(row, 0), self.text(row, 4)))
    }

    /// The file.
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
        // To open a pipe would wait for who writes into it.
        options.custom_flags(libc::O_NONBLOCK);
    }
    let mut file = options.open(path)?;
    let there = file.metadata()?;
    if !there.is_file() {
        let error = "it is a folder, a pipe or a device; give a file";
        return Err(TableFault::Io(io::Error::other(error)));
    }
    // Of a large file that is no table no more is read; an empty one cannot be mapped.
    let mut first = [0; HEADER];
    if there.len() >= HEADER as u64 {
        file.read_exact(&mut first)?;
    }
    begins(&first, there.len())?;
    let mut options = MmapOptions::new();
    // All of it is read at once, by the checksum: the system brings it faster in one go.
    options.populate();
    // SAFETY: the map is read-only. Who writes into the file meanwhile breaks what `Table::open` asks for; then reads see other
    // bytes, and a file that is cut ends the process with SIGBUS. Nothing here relies on bytes that stay what they were for
    // more than a wrong answer: each access is checked against the length of the map, and each text is checked to be one.
    let map = unsafe { options.map(&file) }?;
    Ok(TableBytes::Mapped(map))
}
