//! The bytes of a valid table, and its sections.

use std::ops::Deref;

use memmap2::Mmap;

use crate::format::{
    FAMILY, MAX_SIZES, METADATUM, RECORD, SIZES, SLOT, STRING, Sections, u32_at, u64_at,
};

/// The bytes of a table, mapped or in memory.
#[derive(Debug)]
pub(crate) enum TableBytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl Deref for TableBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            TableBytes::Mapped(map) => map,
            TableBytes::Owned(bytes) => bytes,
        }
    }
}

/// The bytes of a table with the places of its sections.
///
/// The validation has made sure that every access finds its value. If another program writes into
/// a mapped file later, an access returns empty texts and zeros, and nothing beyond the bytes.
/// Every access is therefore checked.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) bytes: TableBytes,
    pub(crate) sections: Sections,
}

impl Content {
    pub(crate) fn entries(&self) -> usize {
        self.sections.records.len() / RECORD
    }

    #[inline]
    pub(crate) fn slots(&self) -> &[[u8; SLOT]] {
        rows(&self.bytes[self.sections.slots.clone()])
    }

    #[inline]
    pub(crate) fn record(&self, index: u32) -> &[u8] {
        let records = rows::<RECORD>(&self.bytes[self.sections.records.clone()]);
        records.get(index as usize).map_or(&[], |row| row)
    }

    pub(crate) fn sizes(&self, index: u32) -> [u64; MAX_SIZES] {
        let sizes = rows::<SIZES>(&self.bytes[self.sections.sizes.clone()]);
        let row: &[u8] = sizes.get(index as usize).map_or(&[], |row| row);
        [0, 8, 16, 24].map(|at| u64_at(row, at))
    }

    pub(crate) fn families(&self) -> &[[u8; FAMILY]] {
        rows(&self.bytes[self.sections.families.clone()])
    }

    pub(crate) fn metadata(&self) -> &[[u8; METADATUM]] {
        rows(&self.bytes[self.sections.metadata.clone()])
    }

    /// Returns the key that begins at `at`, after its length.
    pub(crate) fn key(&self, at: u32) -> &str {
        let keys = &self.bytes[self.sections.keys.clone()];
        let (begin, length) = (at as usize + 4, u32_at(keys, at as usize) as usize);
        as_text(keys.get(begin..begin + length))
    }

    /// Returns the string with this number.
    #[inline]
    pub(crate) fn string(&self, number: u32) -> &str {
        let strings = &self.bytes[self.sections.strings.clone()];
        let end = |number: usize| u32_at(strings, number * STRING) as usize;
        let range = end(number as usize)..end(number as usize + 1);
        as_text(self.bytes[self.sections.pool.clone()].get(range))
    }
}

#[inline]
fn rows<const SIZE: usize>(section: &[u8]) -> &[[u8; SIZE]] {
    section.as_chunks().0
}

/// Returns the bytes as text, checked again for some nanoseconds. Unchecked, a program that
/// writes into the mapped file would cause undefined behaviour.
#[inline]
fn as_text(bytes: Option<&[u8]>) -> &str {
    std::str::from_utf8(bytes.unwrap_or_default()).unwrap_or_default()
}
