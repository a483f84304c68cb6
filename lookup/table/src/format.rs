//! The layout of a table; `docs/table.md` describes it with the reasons.

use std::ops::Range;

use twox_hash::XxHash3_128;

/// The version of the format that this crate writes and reads.
pub const VERSION: u32 = 1;
/// The limit of entries of a table.
pub const MAX_ENTRIES: u64 = 1 << 28;
/// The limit in bytes of all keys with their lengths, and of all other texts, because offsets
/// have 32 bits.
pub const MAX_BYTES: u64 = u32::MAX as u64;
/// The limit of different texts, without the keys. That many texts of two bytes each exceed
/// [`MAX_BYTES`].
pub(crate) const MAX_STRINGS: u64 = 1 << 31;
/// The limit of metadata of a table.
pub const MAX_METADATA: u64 = 1 << 16;
/// The limit of sizes of an entry.
pub const MAX_SIZES: usize = 4;

/// The first bytes of a file. A byte above 127 marks it as no text. Both line ends and the end of
/// a DOS text detect a conversion.
pub(crate) const MAGIC: [u8; 8] = *b"\x89WTAB\r\n\x1a";

pub(crate) const HEADER: usize = 128;
pub(crate) const SLOT: usize = 16;
/// The size of a record: one line of a processor's cache.
pub(crate) const RECORD: usize = 64;
pub(crate) const SIZES: usize = 8 * MAX_SIZES;
pub(crate) const FAMILY: usize = 16;
pub(crate) const METADATUM: usize = 8;
pub(crate) const STRING: usize = 4;

/// The fields of the header, by offset.
pub(crate) mod header {
    pub(crate) const VERSION: usize = 8;
    pub(crate) const HEADER_LENGTH: usize = 12;
    pub(crate) const CHECKSUM: usize = 16;
    /// The range of the checksum begins here. The reader knows the value of every byte before it,
    /// except for those of the checksum.
    pub(crate) const LENGTH: usize = 32;
    pub(crate) const ENTRIES: usize = 40;
    pub(crate) const SLOTS: usize = 48;
    pub(crate) const FAMILIES: usize = 56;
    pub(crate) const METADATA: usize = 64;
    pub(crate) const STRINGS: usize = 72;
    pub(crate) const KEYS: usize = 80;
    pub(crate) const POOL: usize = 88;
    pub(crate) const RESERVED: usize = 96;
}

/// The fields of a record, by offset. Texts are numbers of strings.
pub(crate) mod record {
    pub(crate) const KEY: usize = 0;
    pub(crate) const FAMILY: usize = 4;
    pub(crate) const CONFIGURATION: usize = 8;
    pub(crate) const ATTRIBUTES: usize = 12;
    pub(crate) const GENERATOR: usize = 16;
    pub(crate) const PROVENANCE: usize = 20;
    pub(crate) const ORDINAL: usize = 24;
    pub(crate) const STATUS: usize = 28;
    pub(crate) const PRESENT: usize = 29;
    pub(crate) const RESERVED: usize = 30;
    pub(crate) const STUDY: usize = 32;
    pub(crate) const TIME: usize = 40;
    pub(crate) const DEFAULT_TIME: usize = 48;
    pub(crate) const BOUND: usize = 56;
}

/// The bits of [`record::PRESENT`].
pub(crate) mod present {
    pub(crate) const DEFAULT_TIME: u8 = 1;
    pub(crate) const BOUND: u8 = 2;
}

/// The fields of a family, by offset.
pub(crate) mod family_record {
    pub(crate) const TEXT: usize = 0;
    pub(crate) const FIRST: usize = 4;
    pub(crate) const COUNT: usize = 8;
    pub(crate) const SIZES: usize = 12;
}

/// The number of rows in each section, or of its bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SectionCounts {
    pub(crate) entries: u64,
    pub(crate) slots: u64,
    pub(crate) families: u64,
    pub(crate) metadata: u64,
    pub(crate) strings: u64,
    pub(crate) keys: u64,
    pub(crate) pool: u64,
}

/// The ranges of the sections. They follow each other without gaps, records first, so that each
/// record is one cache line.
#[derive(Debug, Clone)]
pub(crate) struct Sections {
    pub(crate) records: Range<usize>,
    pub(crate) slots: Range<usize>,
    pub(crate) sizes: Range<usize>,
    pub(crate) families: Range<usize>,
    pub(crate) metadata: Range<usize>,
    pub(crate) strings: Range<usize>,
    pub(crate) keys: Range<usize>,
    pub(crate) pool: Range<usize>,
}

impl SectionCounts {
    /// Returns the ranges, or `None` if a count exceeds its limit so that a sum could overflow.
    pub(crate) fn sections(&self) -> Option<Sections> {
        let mut end = HEADER;
        let mut next = |count: u64, size: usize| {
            let begin = end;
            end = end.checked_add(usize::try_from(count).ok()?.checked_mul(size)?)?;
            Some(begin..end)
        };
        Some(Sections {
            records: next(self.entries, RECORD)?,
            slots: next(self.slots, SLOT)?,
            sizes: next(self.entries, SIZES)?,
            families: next(self.families, FAMILY)?,
            metadata: next(self.metadata, METADATUM)?,
            strings: next(self.strings + 1, STRING)?,
            keys: next(self.keys, 1)?,
            pool: next(self.pool, 1)?,
        })
    }
}

/// The part of a key's hash in its slot: 96 bits of XXH3-128. The highest bits determine the home
/// slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Tag {
    pub(crate) high: u64,
    /// The lower half of the hash's lower half.
    pub(crate) low: u32,
}

impl Tag {
    #[inline]
    pub(crate) fn of(key: &[u8]) -> Tag {
        let hash = XxHash3_128::oneshot(key);
        Tag {
            high: (hash >> 64) as u64,
            low: hash as u32,
        }
    }

    /// Returns the first slot to search for a key. A larger tag never has an earlier home.
    #[inline]
    pub(crate) fn home(self, homes: u64) -> u64 {
        ((u128::from(self.high) * u128::from(homes)) >> 64) as u64
    }
}

/// A slot: the tag of a key, and the number of its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) tag: Tag,
    pub(crate) record: u32,
}

impl Slot {
    /// An empty slot, all ones. Its tag is the largest, so that a search up the tags ends here.
    pub(crate) const EMPTY: Slot = Slot {
        tag: Tag {
            high: u64::MAX,
            low: u32::MAX,
        },
        record: u32::MAX,
    };

    #[inline]
    pub(crate) fn read(bytes: &[u8; SLOT]) -> Slot {
        let tag = Tag {
            high: u64_at(bytes, 0),
            low: u32_at(bytes, 8),
        };
        let record = u32_at(bytes, 12);
        Slot { tag, record }
    }

    pub(crate) fn bytes(self) -> [u8; SLOT] {
        let number = u128::from(self.tag.high)
            | u128::from(self.tag.low) << 64
            | u128::from(self.record) << 96;
        number.to_le_bytes()
    }
}

/// Returns the number of homes for this many entries. Two thirds of the slots are then occupied.
#[inline]
pub(crate) fn homes(entries: u64) -> u64 {
    entries + entries / 2 + 1
}

pub(crate) fn checksum(bytes: &[u8]) -> u128 {
    XxHash3_128::oneshot(bytes)
}

/// Returns 4 bytes as a number; 0 beyond the end, which never occurs in a valid file.
#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let field = bytes.get(at..).and_then(|rest| rest.first_chunk());
    field.map_or(0, |field| u32::from_le_bytes(*field))
}

/// Returns 8 bytes as a number; 0 beyond the end, as [`u32_at`].
#[inline]
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let field = bytes.get(at..).and_then(|rest| rest.first_chunk());
    field.map_or(0, |field| u64::from_le_bytes(*field))
}
