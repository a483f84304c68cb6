//! The content of a table: entries, and families of entries.

use std::cmp::Ordering;
use std::fmt;

use crate::content::Content;
use crate::format::{MAX_SIZES, family_record, present, record, u32_at, u64_at};

/// The verdict on a configuration that may be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// The index that the fold gives.
    Right,
    /// Another index on ties.
    Tie,
}

impl Status {
    /// Returns `right` or `tie`.
    pub fn name(self) -> &'static str {
        match self {
            Status::Right => "right",
            Status::Tie => "tie",
        }
    }
}

/// An entry of a table: a reference that reads fields of its record on demand.
#[derive(Clone, Copy)]
pub struct EntryRef<'t> {
    pub(crate) content: &'t Content,
    pub(crate) record: u32,
}

impl<'t> EntryRef<'t> {
    /// Returns the key.
    pub fn key(self) -> &'t str {
        self.content.key(self.u32(record::KEY))
    }

    /// Returns the configuration as JSON.
    pub fn configuration(self) -> &'t str {
        self.text(record::CONFIGURATION)
    }

    /// Returns the configuration as attributes of a compiler; may be empty.
    pub fn attributes(self) -> &'t str {
        self.text(record::ATTRIBUTES)
    }

    /// Returns the generator of the configuration.
    pub fn generator(self) -> &'t str {
        self.text(record::GENERATOR)
    }

    /// Returns the verdict.
    pub fn status(self) -> Status {
        match self.u8(record::STATUS) {
            0 => Status::Right,
            _ => Status::Tie,
        }
    }

    /// Returns the time in microseconds.
    pub fn time_us(self) -> f64 {
        self.f64(record::TIME)
    }

    /// Returns the time of the generator's default in microseconds, if it is known.
    pub fn default_time_us(self) -> Option<f64> {
        let is_there = self.u8(record::PRESENT) & present::DEFAULT_TIME != 0;
        is_there.then(|| self.f64(record::DEFAULT_TIME))
    }

    /// Returns the least time that any kernel needs, in microseconds, if it is known.
    pub fn bound_us(self) -> Option<f64> {
        let is_there = self.u8(record::PRESENT) & present::BOUND != 0;
        is_there.then(|| self.f64(record::BOUND))
    }

    /// Returns the number of the trial's study.
    pub fn study(self) -> i64 {
        u64_at(self.content.record(self.record), record::STUDY).cast_signed()
    }

    /// Returns the ordinal of the trial in its study.
    pub fn ordinal(self) -> u32 {
        self.u32(record::ORDINAL)
    }

    /// Returns the provenance of the numbers.
    pub fn provenance(self) -> &'t str {
        self.text(record::PROVENANCE)
    }

    /// Returns the family of the entry.
    pub fn family(self) -> FamilyRef<'t> {
        FamilyRef {
            content: self.content,
            index: self.u32(record::FAMILY),
        }
    }

    /// Returns the sizes, which have the same meaning for all entries of the family.
    pub fn sizes(self) -> EntrySizes {
        self.family().sizes_of(self.record)
    }

    /// Returns the position in [`Table::entries`](crate::Table::entries).
    pub fn index(self) -> usize {
        self.record as usize
    }

    fn u8(self, at: usize) -> u8 {
        let record = self.content.record(self.record);
        record.get(at).copied().unwrap_or_default()
    }

    fn u32(self, at: usize) -> u32 {
        u32_at(self.content.record(self.record), at)
    }

    fn f64(self, at: usize) -> f64 {
        f64::from_bits(u64_at(self.content.record(self.record), at))
    }

    fn text(self, at: usize) -> &'t str {
        self.content.string(self.u32(at))
    }
}

impl fmt::Debug for EntryRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("key", &self.key())
            .field("configuration", &self.configuration())
            .field("attributes", &self.attributes())
            .field("generator", &self.generator())
            .field("status", &self.status())
            .field("time_us", &self.time_us())
            .field("default_time_us", &self.default_time_us())
            .field("bound_us", &self.bound_us())
            .field("study", &self.study())
            .field("ordinal", &self.ordinal())
            .field("provenance", &self.provenance())
            .field("family", &self.family().text())
            .field("sizes", &&*self.sizes())
            .finish()
    }
}

/// The sizes of an entry, up to four.
#[derive(Debug, Clone, Copy)]
pub struct EntrySizes {
    all: [u64; MAX_SIZES],
    count: usize,
}

impl std::ops::Deref for EntrySizes {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.all[..self.count]
    }
}

/// A family: the entries that differ only in their sizes, in the order of sizes and keys.
#[derive(Clone, Copy)]
pub struct FamilyRef<'t> {
    pub(crate) content: &'t Content,
    pub(crate) index: u32,
}

impl<'t> FamilyRef<'t> {
    /// Returns the text that all entries of the family share.
    pub fn text(self) -> &'t str {
        self.content.string(u32_at(self.row(), family_record::TEXT))
    }

    /// Returns the number of sizes of each entry.
    pub fn dimensions(self) -> usize {
        (u32_at(self.row(), family_record::SIZES) as usize).min(MAX_SIZES)
    }

    /// Returns the number of entries, at least one.
    #[expect(clippy::len_without_is_empty, reason = "no family is empty")]
    pub fn len(self) -> usize {
        u32_at(self.row(), family_record::COUNT) as usize
    }

    /// Returns the sizes at a position, without reading the entry.
    pub fn sizes(self, place: usize) -> Option<EntrySizes> {
        self.record(place).map(|record| self.sizes_of(record))
    }

    /// Returns the entry at a position.
    pub fn get(self, place: usize) -> Option<EntryRef<'t>> {
        Some(EntryRef {
            content: self.content,
            record: self.record(place)?,
        })
    }

    /// Returns the first position with sizes that are not less than these. A search for the
    /// nearest entry starts here, in both directions.
    pub fn place_of(self, sizes: &[u64]) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.sizes(middle).map(|found| (*found).cmp(sizes)) {
                Some(Ordering::Less) => low = middle + 1,
                _ => high = middle,
            }
        }
        low
    }

    /// Iterates over the entries, in order.
    pub fn entries(self) -> impl Iterator<Item = EntryRef<'t>> {
        (0..self.len()).filter_map(move |place| self.get(place))
    }

    fn row(self) -> &'t [u8] {
        let row = self.content.families().get(self.index as usize);
        row.map_or(&[], |row| row.as_slice())
    }

    fn record(self, place: usize) -> Option<u32> {
        let first = u32_at(self.row(), family_record::FIRST);
        (place < self.len()).then(|| first.saturating_add(place as u32))
    }

    fn sizes_of(self, record: u32) -> EntrySizes {
        EntrySizes {
            all: self.content.sizes(record),
            count: self.dimensions(),
        }
    }
}

impl fmt::Debug for FamilyRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {} entries", self.text(), self.len())
    }
}
