//! The layout of a table's bytes, from entries in any order.
//!
//! The place of everything depends only on content. Entries are in the order of family, sizes and
//! key, and slots in that of the keys' tags. Strings are in the order of their first use by
//! metadata, families and records.

use super::{AddedEntry, Texts};
use crate::entry::Status;
use crate::error::WriteError;
use crate::format::{
    FAMILY, HEADER, MAGIC, MAX_BYTES, RECORD, SLOT, STRING, SectionCounts, Slot, Tag, VERSION,
    checksum, family_record, header, homes, present, record,
};

/// Lays out a table as `docs/table.md` describes it. `metadata` is sorted.
pub(super) fn lay_out(
    metadata: &[(u32, u32)],
    mut entries: Vec<AddedEntry>,
    texts: &Texts,
) -> Result<Vec<u8>, WriteError> {
    let order = |entry: &AddedEntry| (texts.text(entry.family), entry.sizes);
    entries.sort_by(|one, other| {
        let by_sizes = order(one).cmp(&order(other));
        by_sizes.then_with(|| one.key.cmp(&other.key))
    });
    let slots = slots(&entries)?;
    let mut pool = Pool::new(texts);
    let mut metadata_rows = Vec::new();
    for &(name, value) in metadata {
        metadata_rows.extend(pool.number(name)?);
        metadata_rows.extend(pool.number(value)?);
    }
    let families = families(&entries, texts, &mut pool)?;

    let mut records = Vec::with_capacity(entries.len() * RECORD);
    let (mut sizes, mut keys) = (Vec::new(), Vec::new());
    let mut family = 0_u32;
    for (index, entry) in entries.iter().enumerate() {
        // Families are numbered in the order of the records, as in their section.
        family += u32::from(index > 0 && entries[index - 1].family != entry.family);
        records.extend(record(entry, keys.len() as u32, family, &mut pool)?);
        sizes.extend(entry.sizes.iter().flat_map(|size| size.to_le_bytes()));
        keys.extend((entry.key.len() as u32).to_le_bytes());
        keys.extend(entry.key.as_bytes());
        within("keys", keys.len())?;
    }

    let counts = SectionCounts {
        entries: entries.len() as u64,
        slots: (slots.len() / SLOT) as u64,
        families: (families.len() / FAMILY) as u64,
        metadata: metadata.len() as u64,
        strings: (pool.ends.len() / STRING) as u64 - 1,
        keys: keys.len() as u64,
        pool: pool.bytes.len() as u64,
    };
    let sections = [
        records,
        slots,
        sizes,
        families,
        metadata_rows,
        pool.ends,
        keys,
        pool.bytes,
    ];
    Ok(file(&counts, &sections))
}

/// Returns the slots of sorted entries.
fn slots(entries: &[AddedEntry]) -> Result<Vec<u8>, WriteError> {
    let tagged = (0..).zip(entries);
    let tagged = tagged.map(|(record, entry)| (Tag::of(entry.key.as_bytes()), record));
    let mut tagged: Vec<(Tag, u32)> = tagged.collect();
    tagged.sort_unstable();
    let homes = homes(entries.len() as u64) as usize;
    let mut slots: Vec<Slot> = Vec::with_capacity(homes + 1);
    let mut before = None;
    for (tag, record) in tagged {
        let slot = Slot { tag, record };
        if let Some(other) = before.filter(|other: &Slot| other.tag == tag) {
            let key = |slot: Slot| entries[slot.record as usize].key.to_string();
            let (one, other) = (key(other), key(slot));
            return Err(match one == other {
                true => WriteError::Twice { key: one },
                false => WriteError::Alike { one, other },
            });
        }
        before = Some(slot);
        let home = tag.home(homes as u64) as usize;
        slots.resize(slots.len().max(home), Slot::EMPTY);
        slots.push(slot);
    }
    // A search ends at the latest in the empty slot at the end.
    slots.resize(slots.len().max(homes) + 1, Slot::EMPTY);
    Ok(slots.into_iter().flat_map(Slot::bytes).collect())
}

/// Returns the rows of the families of sorted entries.
fn families(
    entries: &[AddedEntry],
    texts: &Texts,
    pool: &mut Pool<'_>,
) -> Result<Vec<u8>, WriteError> {
    let mut rows = Vec::new();
    let mut first = 0_u32;
    for these in entries.chunk_by(|one, other| one.family == other.family) {
        let dimensions = these[0].dimensions;
        if let Some(entry) = these.iter().find(|entry| entry.dimensions != dimensions) {
            return Err(WriteError::Family {
                key: entry.key.to_string(),
                family: texts.text(entry.family).to_owned(),
                sizes: entry.dimensions as usize,
                others: dimensions as usize,
            });
        }
        let mut row = [0; FAMILY];
        put(&mut row, family_record::TEXT, pool.number(these[0].family)?);
        put(&mut row, family_record::FIRST, first.to_le_bytes());
        put(
            &mut row,
            family_record::COUNT,
            (these.len() as u32).to_le_bytes(),
        );
        put(&mut row, family_record::SIZES, dimensions.to_le_bytes());
        rows.extend(row);
        first += these.len() as u32;
    }
    Ok(rows)
}

fn record(
    entry: &AddedEntry,
    key: u32,
    family: u32,
    pool: &mut Pool<'_>,
) -> Result<[u8; RECORD], WriteError> {
    let mut row = [0; RECORD];
    put(&mut row, record::KEY, key.to_le_bytes());
    put(&mut row, record::FAMILY, family.to_le_bytes());
    put(
        &mut row,
        record::CONFIGURATION,
        pool.number(entry.configuration)?,
    );
    put(&mut row, record::ATTRIBUTES, pool.number(entry.attributes)?);
    put(&mut row, record::GENERATOR, pool.number(entry.generator)?);
    put(&mut row, record::PROVENANCE, pool.number(entry.provenance)?);
    put(&mut row, record::ORDINAL, entry.ordinal.to_le_bytes());
    put(&mut row, record::STUDY, entry.study.to_le_bytes());
    put(&mut row, record::TIME, entry.time_us.to_le_bytes());
    row[record::STATUS] = u8::from(entry.status == Status::Tie);
    let optional = [
        (
            entry.default_time_us,
            record::DEFAULT_TIME,
            present::DEFAULT_TIME,
        ),
        (entry.bound_us, record::BOUND, present::BOUND),
    ];
    for (time, at, bit) in optional {
        if let Some(time) = time {
            put(&mut row, at, time.to_le_bytes());
            row[record::PRESENT] |= bit;
        }
    }
    Ok(row)
}

/// The strings in use, in the order of their first use.
struct Pool<'t> {
    texts: &'t Texts,
    /// The string number of each text, once it is in use.
    numbers: Vec<Option<u32>>,
    ends: Vec<u8>,
    bytes: Vec<u8>,
}

impl Pool<'_> {
    fn new(texts: &Texts) -> Pool<'_> {
        Pool {
            texts,
            numbers: vec![None; texts.all.len()],
            ends: vec![0; STRING],
            bytes: Vec::new(),
        }
    }

    /// Returns the number of a text's string, as written. Adds the string on its first use.
    fn number(&mut self, text: u32) -> Result<[u8; 4], WriteError> {
        let next = (self.ends.len() / STRING) as u32 - 1;
        let number = *self.numbers[text as usize].get_or_insert(next);
        if number == next {
            self.bytes.extend(self.texts.text(text).as_bytes());
            within("strings", self.bytes.len())?;
            self.ends.extend((self.bytes.len() as u32).to_le_bytes());
        }
        Ok(number.to_le_bytes())
    }
}

fn within(what: &'static str, bytes: usize) -> Result<(), WriteError> {
    match bytes as u64 <= MAX_BYTES {
        true => Ok(()),
        false => Err(WriteError::Bytes { what }),
    }
}

fn put<const SIZE: usize>(row: &mut [u8], at: usize, field: [u8; SIZE]) {
    row[at..at + SIZE].copy_from_slice(&field);
}

fn file(counts: &SectionCounts, sections: &[Vec<u8>]) -> Vec<u8> {
    let length = HEADER + sections.iter().map(Vec::len).sum::<usize>();
    let mut file = Vec::with_capacity(length);
    file.resize(HEADER, 0);
    put(&mut file, 0, MAGIC);
    put(&mut file, header::VERSION, VERSION.to_le_bytes());
    put(
        &mut file,
        header::HEADER_LENGTH,
        (HEADER as u32).to_le_bytes(),
    );
    let numbers = [
        (header::LENGTH, length as u64),
        (header::ENTRIES, counts.entries),
        (header::SLOTS, counts.slots),
        (header::FAMILIES, counts.families),
        (header::METADATA, counts.metadata),
        (header::STRINGS, counts.strings),
        (header::KEYS, counts.keys),
        (header::POOL, counts.pool),
    ];
    for (at, number) in numbers {
        put(&mut file, at, number.to_le_bytes());
    }
    for section in sections {
        file.extend(section);
    }
    let sum = checksum(&file[header::LENGTH..]);
    put(&mut file, header::CHECKSUM, sum.to_le_bytes());
    file
}
