//! Who wrote the words of global memory in this launch.
//!
//! An *author* is a store instruction of a wave between two barriers; every word that was written knows its last
//! author, the lane and which of its bytes were written. Pages come into being where something is written.

use std::collections::HashMap;

use super::lds::Use;
use crate::memory::SLOT_BITS;

/// Bytes of a page, and its words.
const PAGE_BYTES: u64 = 4096;
const PAGE_WORDS: usize = (PAGE_BYTES / 4) as usize;

/// A store instruction of a wave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Author {
    /// Linear id of the workgroup.
    pub(super) workgroup: u32,
    /// Barriers that its waves had passed, counted through all workgroups.
    pub(super) epoch: u32,
    pub(super) wave: u8,
    /// What the instruction does.
    pub(super) by: Use,
    /// Index of the instruction.
    pub(super) step: u32,
}

/// The last write of some bytes of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Written {
    pub(super) author: Author,
    pub(super) lane: u8,
}

/// An author's number plus one in the upper half, then the lane, then the bytes of the word. 0: nobody.
type Entry = u64;

/// What was written where.
#[derive(Default)]
pub(super) struct Writes {
    authors: Vec<Author>,
    /// The last author of each instruction, by index.
    latest: HashMap<u32, u32>,
    /// By the slot of an allocation, its pages.
    slots: HashMap<u64, Vec<Option<Box<[Entry; PAGE_WORDS]>>>>,
    /// Words whose bytes have different authors: an entry for each byte.
    mixed: HashMap<u64, [Entry; 4]>,
}

impl Writes {
    /// The number of an author.
    pub(super) fn author(&mut self, author: Author) -> u32 {
        if let Some(&number) = self.latest.get(&author.step)
            && self.authors[number as usize] == author
        {
            return number;
        }
        let number = self.authors.len() as u32;
        self.authors.push(author);
        self.latest.insert(author.step, number);
        number
    }

    /// Whether anything was written to the allocation that `address` lies in.
    pub(super) fn has(&self, address: u64) -> bool {
        self.slots.contains_key(&(address >> SLOT_BITS))
    }

    /// The other authors of up to 16 bytes from `address` on, without repetition of neighbours.
    pub(super) fn written(&self, address: u64, bytes: u32, mut visit: impl FnMut(Written)) {
        let Some(pages) = self.slots.get(&(address >> SLOT_BITS)) else {
            return;
        };
        for (word, mask) in words(address, bytes) {
            let offset = word & ((1 << SLOT_BITS) - 1);
            let page = pages
                .get((offset / PAGE_BYTES) as usize)
                .and_then(Option::as_ref);
            let entry = page.map_or(0, |page| page[(offset % PAGE_BYTES / 4) as usize]);
            if entry == MIXED {
                let bytes = self.mixed.get(&word).copied().unwrap_or_default();
                for entry in (0..4)
                    .filter(|byte| mask >> byte & 1 != 0)
                    .map(|byte| bytes[byte])
                {
                    self.resolve(entry, &mut visit);
                }
            } else if entry & mask != 0 {
                self.resolve(entry, &mut visit);
            }
        }
    }

    fn resolve(&self, entry: Entry, visit: &mut impl FnMut(Written)) {
        let Some(number) = (entry >> 32).checked_sub(1) else {
            return;
        };
        if let Some(&author) = self.authors.get(number as usize) {
            visit(Written {
                author,
                lane: (entry >> 8) as u8,
            });
        }
    }

    /// The lane of the author writes up to 16 bytes from `address` on, in an allocation of `size` bytes.
    pub(super) fn write(&mut self, address: u64, bytes: u32, size: u64, author: u32, lane: usize) {
        let entry = ((u64::from(author) + 1) << 32) | ((lane as u64) << 8);
        let pages = self.slots.entry(address >> SLOT_BITS).or_insert_with(|| {
            let count = size.div_ceil(PAGE_BYTES) as usize;
            (0..count).map(|_| None).collect()
        });
        for (word, mask) in words(address, bytes) {
            let offset = word & ((1 << SLOT_BITS) - 1);
            let Some(page) = pages.get_mut((offset / PAGE_BYTES) as usize) else {
                return;
            };
            let page = page.get_or_insert_with(|| Box::new([0; PAGE_WORDS]));
            let place = &mut page[(offset % PAGE_BYTES / 4) as usize];
            let same = *place & !0xf == entry;
            if *place == 0 || mask == 0xf || same {
                *place = entry | mask | if same { *place & 0xf } else { 0 };
                continue;
            }
            let old = *place;
            let each = self.mixed.entry(word).or_insert([0; 4]);
            for (byte, one) in each.iter_mut().enumerate() {
                if old != MIXED {
                    *one = if old >> byte & 1 != 0 { old } else { 0 };
                }
                if mask >> byte & 1 != 0 {
                    *one = entry | 0xf;
                }
            }
            *place = MIXED;
        }
    }
}

/// A word whose bytes have different authors.
const MIXED: Entry = u64::MAX;

/// The words that bytes from `address` on lie in: their addresses, and which of their bytes.
fn words(address: u64, bytes: u32) -> impl Iterator<Item = (u64, u64)> {
    let (first, end) = (address & !3, address + u64::from(bytes));
    (first..end).step_by(4).map(move |word| {
        let low = address.saturating_sub(word);
        let high = (end - word).min(4);
        (word, ((1 << high) - 1) & !((1 << low) - 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: u64 = 16 << SLOT_BITS;

    fn author(workgroup: u32) -> Author {
        Author {
            workgroup,
            epoch: 1,
            wave: 0,
            by: Use::Write,
            step: 7,
        }
    }

    /// Workgroups that wrote the bytes from `read.0` on, after the writes: workgroup, offset, bytes.
    #[track_caller]
    fn check(writes: &[(u32, u64, u32)], read: (u64, u32), expected: &[u32]) {
        let mut all = Writes::default();
        for &(workgroup, offset, bytes) in writes {
            let number = all.author(author(workgroup));
            all.write(BASE + offset, bytes, 10_000, number, 5);
        }
        let mut found = Vec::new();
        all.written(BASE + read.0, read.1, |one| {
            assert_eq!(one.lane, 5);
            found.push(one.author.workgroup);
        });
        found.dedup();
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
    }
}
