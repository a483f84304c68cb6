//! The authors of the words of global memory in this launch.
//!
//! An *author* is a store instruction of a wave between two barriers. Each written byte has its
//! last author. A page exists only after a write.

use super::lds::AccessMode;
use crate::address::SLOT_BITS;

/// Bytes of a page, and its words.
const PAGE_BYTES: u64 = 4096;
const PAGE_WORDS: usize = (PAGE_BYTES / 4) as usize;

/// A store instruction of a wave, in one epoch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StoreAuthor {
    /// Linear ID of the workgroup.
    pub(super) workgroup: u32,
    /// The epoch: barriers of all workgroups up to the store.
    pub(super) epoch: u32,
    pub(super) wave: u8,
    /// The access mode of the instruction.
    pub(super) by: AccessMode,
    /// Index of the instruction.
    pub(super) step: u32,
    /// The wave's generation of stores: see
    /// [`HappensBefore`](super::happens_before::HappensBefore).
    pub(super) generation: u32,
}

impl StoreAuthor {
    /// Returns true if the two accesses of one byte have no order and their order affects the
    /// result. Reads of other workgroups' atomics do not clash.
    pub(super) fn clashes(&self, before: &StoreAuthor) -> bool {
        let same = self.workgroup == before.workgroup;
        // Barriers order the waves of one workgroup only.
        let ordered = same && (self.wave == before.wave || self.epoch != before.epoch);
        let reads = self.by == AccessMode::Read && before.by != AccessMode::Write;
        !ordered && !self.by.goes_with(before.by) && (same || !reads)
    }

    /// Returns true if it reads a store of another workgroup.
    pub(super) fn reads_of_other(&self, before: &StoreAuthor) -> bool {
        self.workgroup != before.workgroup
            && self.by == AccessMode::Read
            && before.by == AccessMode::Write
    }
}

/// An author's number plus one, then 4 bits for the written bytes of the word. 0 means no author.
type AuthorEntry = u32;

/// A word with different authors of its bytes.
const MIXED: AuthorEntry = AuthorEntry::MAX;
/// The largest number of authors. Writes of further ones are not recorded.
const MOST_AUTHORS: usize = (1 << 28) - 2;

/// The words of a page, and the bytes of the mixed words.
struct Page {
    words: [AuthorEntry; PAGE_WORDS],
    bytes: Option<Box<[AuthorEntry; PAGE_BYTES as usize]>>,
}

/// The last author of each written byte.
#[derive(Default)]
pub(super) struct GlobalWrites {
    authors: Vec<StoreAuthor>,
    /// The last author of each instruction, plus one.
    latest: Vec<u32>,
    /// The pages of each allocation, by slot; empty if nothing was written.
    slots: Vec<Vec<Option<Box<Page>>>>,
}

impl GlobalWrites {
    /// Returns the number of an author.
    pub(super) fn author(&mut self, author: StoreAuthor) -> u32 {
        let step = author.step as usize;
        if self.latest.len() <= step {
            self.latest.resize(step + 1, 0);
        }
        // A wave usually repeats its last store instruction in one epoch, as in a loop.
        let known = self.latest[step].wrapping_sub(1);
        if self.authors.get(known as usize) == Some(&author) {
            return known;
        }
        // Beyond the limit all authors share this number, and `write` ignores it.
        let number = self.authors.len().min(MOST_AUTHORS) as u32;
        if self.authors.len() < MOST_AUTHORS {
            self.authors.push(author);
        }
        self.latest[step] = number + 1;
        number
    }

    /// Returns true if the launch wrote to the allocation that contains `address`.
    pub(super) fn has(&self, address: u64) -> bool {
        let pages = self.slots.get((address >> SLOT_BITS) as usize);
        pages.is_some_and(|pages| !pages.is_empty())
    }

    /// Visits the authors of `bytes` bytes from `address` on. Repeated neighbours count once.
    pub(super) fn authors(&self, address: u64, bytes: u64, mut visit: impl FnMut(&StoreAuthor)) {
        let Some(pages) = self.slots.get((address >> SLOT_BITS) as usize) else {
            return;
        };
        // 0 is no author, so the first entry always differs.
        let mut last = 0;
        let mut meet = |entry: AuthorEntry| {
            let number = (entry >> 4) as usize;
            if number != last && number != 0 {
                last = number;
                if let Some(author) = self.authors.get(number - 1) {
                    visit(author);
                }
            }
        };
        for stretch in stretches(address, bytes) {
            let Some(Some(page)) = pages.get(stretch.page) else {
                continue;
            };
            // The usual range is of one author, or of none.
            let words = &page.words[stretch.words.clone()];
            let entry = words[0];
            let differences = words.iter().fold(0, |all, it| all | (it ^ entry));
            if differences == 0 && stretch.is_aligned() && entry != MIXED {
                if entry != 0 {
                    meet(entry);
                }
                continue;
            }
            for word in stretch.words.clone() {
                let (entry, mask) = (page.words[word], stretch.mask(word));
                match &page.bytes {
                    Some(bytes) if entry == MIXED => {
                        let written = (0..4).filter(|byte| mask >> byte & 1 != 0);
                        written.for_each(|byte| meet(bytes[4 * word + byte]));
                    }
                    _ if entry & mask != 0 => meet(entry),
                    _ => {}
                }
            }
        }
    }

    /// Records the author of `bytes` bytes from `address` on, in an allocation of `size` bytes.
    pub(super) fn write(&mut self, address: u64, bytes: u64, size: u64, author: u32) {
        if author as usize >= MOST_AUTHORS {
            return;
        }
        let own = (author + 1) << 4;
        let slot = (address >> SLOT_BITS) as usize;
        if self.slots.len() <= slot {
            self.slots.resize_with(slot + 1, Vec::new);
        }
        let pages = &mut self.slots[slot];
        // The pages of an allocation are allocated with its first write.
        if pages.is_empty() {
            pages.resize_with(size.div_ceil(PAGE_BYTES) as usize, || None);
        }
        for stretch in stretches(address, bytes) {
            let Some(page) = pages.get_mut(stretch.page) else {
                return;
            };
            let page = page.get_or_insert_with(|| {
                Box::new(Page {
                    words: [0; PAGE_WORDS],
                    bytes: None,
                })
            });
            if stretch.is_aligned() {
                page.words[stretch.words].fill(own | 0xf);
                continue;
            }
            for word in stretch.words.clone() {
                page.write(word, stretch.mask(word), own);
            }
        }
    }
}

impl Page {
    #[inline(always)]
    fn write(&mut self, word: usize, mask: AuthorEntry, own: AuthorEntry) {
        let old = self.words[word];
        // The write replaces all bytes of the other author, or the word has only this author.
        let alone = old == 0 || old & !0xf == own || (old != MIXED && old & 0xf & !mask == 0);
        if mask == 0xf || alone {
            let kept = if old & !0xf == own { old & 0xf } else { 0 };
            self.words[word] = own | mask | kept;
            return;
        }
        let bytes = (self.bytes).get_or_insert_with(|| Box::new([0; PAGE_BYTES as usize]));
        for (byte, entry) in bytes[4 * word..4 * word + 4].iter_mut().enumerate() {
            if old != MIXED {
                *entry = if old >> byte & 1 != 0 { old } else { 0 };
            }
            if mask >> byte & 1 != 0 {
                *entry = own | 0xf;
            }
        }
        self.words[word] = MIXED;
    }
}

/// Neighbouring words of a page.
struct PageRange {
    page: usize,
    words: std::ops::Range<usize>,
    /// The bytes, as offsets in the page.
    bytes: std::ops::Range<usize>,
}

impl PageRange {
    /// Returns true if it has all bytes of its words.
    fn is_aligned(&self) -> bool {
        self.bytes.start.is_multiple_of(4) && self.bytes.end.is_multiple_of(4)
    }

    /// Returns the bytes of the word that belong to the range.
    #[inline(always)]
    fn mask(&self, word: usize) -> AuthorEntry {
        let low = self.bytes.start.saturating_sub(4 * word).min(4);
        let high = self.bytes.end.saturating_sub(4 * word).min(4);
        ((1 << high) - 1) & !((1 << low) - 1)
    }
}

/// Splits bytes of an allocation into ranges within pages.
fn stretches(address: u64, bytes: u64) -> impl Iterator<Item = PageRange> {
    let mut at = address & ((1 << SLOT_BITS) - 1);
    let end = at + bytes;
    std::iter::from_fn(move || {
        (at < end).then(|| {
            let next = ((at / PAGE_BYTES + 1) * PAGE_BYTES).min(end);
            let start = (at % PAGE_BYTES) as usize;
            let bytes = start..start + (next - at) as usize;
            let stretch = PageRange {
                page: (at / PAGE_BYTES) as usize,
                words: bytes.start / 4..bytes.end.div_ceil(4),
                bytes,
            };
            at = next;
            stretch
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: u64 = 16 << SLOT_BITS;

    fn author(workgroup: u32) -> StoreAuthor {
        StoreAuthor {
            workgroup,
            epoch: 1,
            wave: 0,
            by: AccessMode::Write,
            step: 7,
            generation: 0,
        }
    }

    /// Returns the workgroups that wrote the bytes from `read.0` on, after the writes (workgroup,
    /// offset, bytes).
    #[track_caller]
    fn check(writes: &[(u32, u64, u64)], read: (u64, u64), expected: &[u32]) {
        let mut all = GlobalWrites::default();
        for &(workgroup, offset, bytes) in writes {
            let number = all.author(author(workgroup));
            all.write(BASE + offset, bytes, 10_000, number);
        }
        let mut found = Vec::new();
        all.authors(BASE + read.0, read.1, |one| found.push(one.workgroup));
        assert_eq!(found, expected);
    }

    #[test]
    fn each_byte_knows_its_last_author() {
        check(&[(1, 0, 4)], (0, 4), &[1]);
        check(&[(1, 0, 4)], (4, 4), &[]);
        check(&[(1, 0, 4), (2, 0, 4)], (0, 4), &[2]);
        check(&[(1, 0, 16), (2, 4, 4)], (0, 16), &[1, 2, 1]);
        check(&[(1, 0, 1), (2, 1, 1)], (0, 1), &[1]);
        check(&[(1, 0, 1), (2, 1, 1)], (1, 1), &[2]);
        check(&[(1, 0, 1), (2, 1, 1)], (2, 2), &[]);
        check(&[(1, 0, 1), (2, 1, 1), (1, 2, 2)], (0, 4), &[1, 2, 1]);
        check(&[(1, 0, 1), (2, 1, 1), (3, 0, 4)], (0, 4), &[3]);
        check(&[(1, 4094, 4)], (4096, 2), &[1]);
        check(&[(1, 4094, 4)], (4098, 2), &[]);
        check(&[(1, 0, 2), (2, 0, 3)], (0, 4), &[2]);
        check(&[(1, 0, 8192), (2, 4000, 200)], (3996, 208), &[1, 2, 1]);
        check(&[(1, 0, 1), (2, 1, 1), (2, 0, 1)], (0, 2), &[2]);
    }
}
