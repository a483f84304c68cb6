//! Validation of a table when it is opened: a fault, or the sections.
//!
//! It checks everything that later accesses rely on, in the order of the file, so that it reads
//! memory from front to back. `include/wavetune_table.h` checks the same in the same order,
//! because every reader must report the same fault at the same place.

use std::ops::Range;

use crate::error::{TableFault, TablePart};
use crate::format::{
    FAMILY, HEADER, MAGIC, MAX_BYTES, MAX_ENTRIES, MAX_METADATA, MAX_SIZES, MAX_STRINGS, METADATUM,
    RECORD, SIZES, SLOT, STRING, SectionCounts, Sections, Slot, Tag, VERSION, checksum,
    family_record, header, homes, present, record, u32_at, u64_at,
};

type CheckResult<T = ()> = Result<T, TableFault>;

/// The number of keys that are hashed before their slots are read.
const BLOCK: usize = 64;

/// Checks the first bytes of a file of this length, before the rest is read. `first` has at least
/// a header, unless the file is shorter.
pub(crate) fn begins(first: &[u8], length: u64) -> CheckResult {
    if length < HEADER as u64 {
        return Err(TableFault::Short { bytes: length });
    }
    if !first.starts_with(&MAGIC) {
        return Err(TableFault::Foreign);
    }
    let found = u32_at(first, header::VERSION);
    if found != VERSION {
        return Err(TableFault::Version { found });
    }
    let said = u64_at(first, header::LENGTH);
    if length != said {
        let found = length;
        return Err(TableFault::Length { found, said });
    }
    Ok(())
}

/// Returns the sections of a valid file.
pub(crate) fn check(bytes: &[u8]) -> CheckResult<Sections> {
    begins(bytes, bytes.len() as u64)?;
    // The checksum comes first. All later faults are then those of the writer, not of a copy.
    if bytes[header::CHECKSUM..header::LENGTH] != checksum(&bytes[header::LENGTH..]).to_le_bytes() {
        return Err(TableFault::Checksum);
    }
    let (counts, sections) = lengths(bytes)?;
    let file = CheckedFile {
        bytes,
        counts,
        sections,
    };
    file.strings()?;
    file.metadata()?;
    file.families()?;
    file.slots()?;
    file.every_key_is_found()?;
    Ok(file.sections)
}

/// Returns the counts and sections, if the header agrees with itself and with the length of the
/// file.
fn lengths(bytes: &[u8]) -> CheckResult<(SectionCounts, Sections)> {
    let count = |at: usize, most: u64| {
        let count = u64_at(bytes, at);
        holds(count <= most, TablePart::Header, at).map(|()| count)
    };
    let is_whole = u32_at(bytes, header::HEADER_LENGTH) as usize == HEADER;
    holds(is_whole, TablePart::Header, header::HEADER_LENGTH)?;
    let entries = count(header::ENTRIES, MAX_ENTRIES)?;
    let counts = SectionCounts {
        entries,
        // An entry is at most one slot behind the last home or the entry before it; one more slot
        // is empty.
        slots: count(header::SLOTS, homes(entries) + entries + 1)?,
        families: count(header::FAMILIES, entries)?,
        metadata: count(header::METADATA, MAX_METADATA)?,
        strings: count(header::STRINGS, MAX_STRINGS)?,
        keys: count(header::KEYS, MAX_BYTES)?,
        pool: count(header::POOL, MAX_BYTES)?,
    };
    let is_free = bytes[header::RESERVED..HEADER]
        .iter()
        .all(|&byte| byte == 0);
    holds(is_free, TablePart::Header, header::RESERVED)?;
    let sections = counts.sections();
    let sections = sections.filter(|sections| sections.pool.end == bytes.len());
    let sections = sections.ok_or(wrong(TablePart::Header, header::LENGTH))?;
    Ok((counts, sections))
}

struct CheckedFile<'b> {
    bytes: &'b [u8],
    counts: SectionCounts,
    sections: Sections,
}

impl CheckedFile<'_> {
    /// Checks the pool, and the ends of its strings.
    fn strings(&self) -> CheckResult {
        let pool = &self.bytes[self.sections.pool.clone()];
        is_text(pool, self.sections.pool.start)?;
        let mut before = 0;
        for at in self.sections.strings.clone().step_by(STRING) {
            let end = u32_at(self.bytes, at) as usize;
            let is_first = at == self.sections.strings.start;
            let is_last = at + STRING == self.sections.strings.end;
            // UTF-8 continuation bytes begin with the bits 10; a string that ends before one cuts
            // a character.
            let cuts = pool.get(end).is_some_and(|&byte| byte & 0xc0 == 0x80);
            let is_meant = before <= end
                && end <= pool.len()
                && !cuts
                && (!is_first || end == 0)
                && (!is_last || end == pool.len());
            holds(is_meant, TablePart::Reference, at)?;
            before = end;
        }
        Ok(())
    }

    fn metadata(&self) -> CheckResult {
        let mut before = None;
        for at in self.sections.metadata.clone().step_by(METADATUM) {
            let name = self.string(at)?;
            self.string(at + 4)?;
            // Strictly rising, so that no name occurs twice.
            holds(before < Some(name), TablePart::Metadata, at)?;
            before = Some(name);
        }
        Ok(())
    }

    /// Checks the families with their records and keys, which are in the same order.
    fn families(&self) -> CheckResult {
        let (mut first, mut key) = (0, 0);
        let mut before = None;
        for (index, at) in self.sections.families.clone().step_by(FAMILY).enumerate() {
            let row = &self.bytes[at..at + FAMILY];
            let text = self.string(at + family_record::TEXT)?;
            let count = u64::from(u32_at(row, family_record::COUNT));
            let sizes = u32_at(row, family_record::SIZES) as usize;
            let is_meant = before < Some(text)
                && u64::from(u32_at(row, family_record::FIRST)) == first
                && (1..=self.counts.entries - first).contains(&count)
                && sizes <= MAX_SIZES;
            holds(is_meant, TablePart::Family, at)?;
            key = self.members(first..first + count, index as u32, sizes, key)?;
            before = Some(text);
            first += count;
        }
        let all = first == self.counts.entries;
        holds(all, TablePart::Family, self.sections.families.end)?;
        holds(
            key as u64 == self.counts.keys,
            TablePart::Header,
            header::KEYS,
        )
    }

    /// Checks the records of a family, and returns the end of its keys. The first key begins at
    /// `key`.
    fn members(
        &self,
        range: Range<u64>,
        of: u32,
        sizes: usize,
        mut key: usize,
    ) -> CheckResult<usize> {
        let mut before = None;
        for index in range {
            let at = self.sections.records.start + index as usize * RECORD;
            let text = self.record(at, key)?;
            let place = self.sections.sizes.start + index as usize * SIZES;
            let all = [0, 8, 16, 24].map(|size| u64_at(self.bytes, place + size));
            let is_meant = u32_at(self.bytes, at + record::FAMILY) == of
                && all[sizes..].iter().all(|&size| size == 0)
                && before < Some((all, text));
            holds(is_meant, TablePart::Family, at)?;
            before = Some((all, text));
            key += 4 + text.len();
        }
        Ok(key)
    }

    /// Checks the fields of a record, and returns its key, which begins at `key`.
    fn record(&self, at: usize, key: usize) -> CheckResult<&[u8]> {
        let record = &self.bytes[at..at + RECORD];
        holds(
            u32_at(record, record::KEY) as usize == key,
            TablePart::Reference,
            at,
        )?;
        let begin = self.sections.keys.start + key;
        let text = self.key(key).ok_or(wrong(TablePart::Reference, begin))?;
        is_text(text, begin + 4)?;
        for field in (record::CONFIGURATION..record::ORDINAL).step_by(4) {
            self.is_string(at + field)?;
        }
        let present = record[record::PRESENT];
        let is_time = |field: usize| {
            let time = f64::from_bits(u64_at(record, field));
            time.is_finite() && time > 0.0
        };
        let is_optional = |field: usize, bit: u8| match present & bit {
            0 => u64_at(record, field) == 0,
            _ => is_time(field),
        };
        let is_meant = is_time(record::TIME)
            && is_optional(record::DEFAULT_TIME, present::DEFAULT_TIME)
            && is_optional(record::BOUND, present::BOUND)
            && record[record::STATUS] <= 1
            && present <= present::DEFAULT_TIME | present::BOUND
            && record[record::RESERVED..record::STUDY] == [0, 0];
        holds(is_meant, TablePart::Record, at)?;
        Ok(text)
    }

    /// Checks that tags rise, that each slot is the first free one from its home on, and that
    /// every entry has one.
    fn slots(&self) -> CheckResult {
        let homes = homes(self.counts.entries);
        let mut before = None;
        let (mut taken, mut free) = (0, 0); // how many, and the first behind them
        for (index, slot) in self.all_slots().iter().enumerate() {
            let slot = Slot::read(slot);
            if slot == Slot::EMPTY {
                continue;
            }
            let is_meant = before < Some(slot.tag)
                && index as u64 == slot.tag.home(homes).max(free)
                && u64::from(slot.record) < self.counts.entries;
            let at = self.sections.slots.start + index * SLOT;
            holds(is_meant, TablePart::Slot, at)?;
            before = Some(slot.tag);
            (taken, free) = (taken + 1, index as u64 + 1);
        }
        let all = taken == self.counts.entries;
        holds(all, TablePart::Slot, self.sections.slots.end)?;
        // A search ends at the latest in the empty slot at the end.
        let as_many = self.counts.slots == homes.max(free) + 1;
        holds(as_many, TablePart::Header, header::SLOTS)
    }

    /// Checks that a search finds every key.
    ///
    /// Slots are in another order than keys, so each access is a cache miss. The function hashes
    /// a block of keys first and then reads their slots, so that the processor waits for many at
    /// once.
    fn every_key_is_found(&self) -> CheckResult {
        let (slots, homes) = (self.all_slots(), homes(self.counts.entries));
        let mut key = 0;
        let mut tags = [Tag { high: 0, low: 0 }; BLOCK];
        for first in (0..self.counts.entries as usize).step_by(BLOCK) {
            let count = BLOCK.min(self.counts.entries as usize - first);
            for tag in &mut tags[..count] {
                let text = self.key(key).unwrap_or_default();
                *tag = Tag::of(text);
                key += 4 + text.len();
            }
            for (record, tag) in (first..).zip(&tags[..count]) {
                let mut behind = slots[tag.home(homes) as usize..].iter().map(Slot::read);
                let found = behind.find(|slot| slot.tag >= *tag);
                let is_it = found.is_some_and(|it| it.tag == *tag && it.record as usize == record);
                let at = self.sections.records.start + record * RECORD;
                holds(is_it, TablePart::Slot, at)?;
            }
        }
        Ok(())
    }

    fn all_slots(&self) -> &[[u8; SLOT]] {
        self.bytes[self.sections.slots.clone()].as_chunks().0
    }

    /// Returns the key that begins at `at`, after its length.
    fn key(&self, at: usize) -> Option<&[u8]> {
        let keys = self.bytes[self.sections.keys.clone()].get(at..)?;
        let (length, rest) = keys.split_first_chunk()?;
        rest.get(..u32::from_le_bytes(*length) as usize)
    }

    /// Returns the string that the number at this byte of the file names. Call it only after the
    /// strings are checked.
    fn string(&self, at: usize) -> CheckResult<&[u8]> {
        let number = self.is_string(at)? as usize;
        let end = |number: usize| {
            let place = self.sections.strings.start + number * STRING;
            u32_at(self.bytes, place) as usize
        };
        Ok(&self.bytes[self.sections.pool.clone()][end(number)..end(number + 1)])
    }

    #[inline]
    fn is_string(&self, at: usize) -> CheckResult<u32> {
        let number = u32_at(self.bytes, at);
        let is_one = u64::from(number) < self.counts.strings;
        holds(is_one, TablePart::Reference, at).map(|()| number)
    }
}

fn is_text(bytes: &[u8], begin: usize) -> CheckResult {
    let text = std::str::from_utf8(bytes);
    text.map(drop)
        .map_err(|error| wrong(TablePart::Text, begin + error.valid_up_to()))
}

#[inline]
fn holds(is_so: bool, part: TablePart, at: usize) -> CheckResult {
    match is_so {
        true => Ok(()),
        false => Err(wrong(part, at)),
    }
}

#[cold]
fn wrong(part: TablePart, at: usize) -> TableFault {
    let at = at as u64;
    TableFault::Wrong { part, at }
}
