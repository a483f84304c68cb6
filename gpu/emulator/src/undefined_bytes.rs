//! The never-written bytes of an allocation, for the checker.
//!
//! Each byte has one bit. The bits form pages, and a page exists only if it differs from the
//! default. Several threads may record their writes at once: they set and clear bits atomically.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Log2 of the bytes of an allocation that one page describes.
const PAGE_BITS: u32 = 12;
const PAGE_BYTES: u64 = 1 << PAGE_BITS;
const WORDS: usize = (PAGE_BYTES / 64) as usize;

/// The undefined bytes of one allocation.
pub(crate) struct UndefinedBytes {
    /// The state of the bytes without a page.
    rest: bool,
    pages: Box<[OnceLock<Box<[AtomicU64; WORDS]>>]>,
}

impl UndefinedBytes {
    /// Creates the record of an allocation of `bytes` bytes, all of them undefined or all
    /// defined.
    pub(crate) fn new(bytes: u64, undefined: bool) -> UndefinedBytes {
        let count = bytes.div_ceil(PAGE_BYTES) as usize;
        UndefinedBytes {
            rest: undefined,
            pages: (0..count).map(|_| OnceLock::new()).collect(),
        }
    }

    /// Returns the undefined ones of up to 64 bytes from `start` on, one bit each.
    #[inline]
    pub(crate) fn get(&self, start: u64, bytes: u32) -> u64 {
        let (word, shift) = (start / 64, start % 64);
        let low = self.word(word) >> shift;
        let high = if shift + u64::from(bytes) > 64 {
            self.word(word + 1) << (64 - shift)
        } else {
            0
        };
        (low | high) & ones(bytes)
    }

    /// Sets the state of up to 64 bytes from `start` on: a set bit in `undefined` makes a byte
    /// undefined.
    #[inline]
    pub(crate) fn set(&self, start: u64, bytes: u32, undefined: u64) {
        let (word, shift) = (start / 64, start % 64);
        let mask = ones(bytes);
        self.set_word(word, mask << shift, undefined << shift);
        if shift + u64::from(bytes) > 64 {
            self.set_word(word + 1, mask >> (64 - shift), undefined >> (64 - shift));
        }
    }

    /// Makes any number of bytes undefined or defined.
    pub(crate) fn set_all(&self, bytes: Range<u64>, undefined: bool) {
        let bits = if undefined { u64::MAX } else { 0 };
        let mut at = bytes.start;
        while at < bytes.end {
            let count = (bytes.end - at).min(64 - at % 64);
            self.set(at, count as u32, bits);
            at += count;
        }
    }

    fn word(&self, word: u64) -> u64 {
        let page = self.pages.get((word as usize) / WORDS);
        match page.map(OnceLock::get) {
            Some(Some(page)) => page[word as usize % WORDS].load(Ordering::Relaxed),
            Some(None) if self.rest => u64::MAX,
            _ => 0,
        }
    }

    fn set_word(&self, word: u64, mask: u64, undefined: u64) {
        let undefined = undefined & mask;
        // Most stores hit defined bytes; this avoids the page and a contended atomic write.
        if self.word(word) & mask == undefined {
            return;
        }
        let Some(page) = self.pages.get((word as usize) / WORDS) else {
            return;
        };
        let rest = if self.rest { u64::MAX } else { 0 };
        let page = page.get_or_init(|| Box::new(std::array::from_fn(|_| AtomicU64::new(rest))));
        let place = &page[word as usize % WORDS];
        // Two atomics suffice: only bits in `mask` change, and a kernel that races on a byte has
        // no order.
        place.fetch_and(!mask | undefined, Ordering::Relaxed);
        if undefined != 0 {
            place.fetch_or(undefined, Ordering::Relaxed);
        }
    }
}

fn ones(bytes: u32) -> u64 {
    if bytes >= 64 {
        u64::MAX
    } else {
        (1 << bytes) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rest: bool, set: &[(u64, u32, u64)], get: (u64, u32), expected: u64) {
        let undefined = UndefinedBytes::new(3 * PAGE_BYTES / 2, rest);
        for &(start, bytes, bits) in set {
            undefined.set(start, bytes, bits);
        }
        assert_eq!(undefined.get(get.0, get.1), expected);
    }

    #[test]
    fn bytes_are_set_across_words_and_pages() {
        check(true, &[], (5, 4), 0xf);
        check(false, &[], (5, 4), 0);
        check(true, &[(62, 4, 0)], (60, 8), 0b1100_0011);
        check(false, &[(62, 4, 0b0101)], (60, 8), 0b0001_0100);
        check(
            true,
            &[(PAGE_BYTES - 2, 4, 0)],
            (PAGE_BYTES - 4, 8),
            0b1100_0011,
        );
        check(true, &[(0, 64, 0)], (0, 64), 0);
        check(true, &[(0, 64, 0), (8, 2, 3)], (0, 64), 0x300);
        check(true, &[(3, 16, 0), (3, 16, 0xffff)], (0, 32), 0xffff_ffff);
    }

    #[test]
    fn any_number_of_bytes_at_once() {
        let undefined = UndefinedBytes::new(10_000, true);
        undefined.set_all(100..9_100, false);
        assert_eq!((undefined.get(96, 8), undefined.get(9_096, 8)), (0xf, 0xf0));
        assert_eq!(undefined.get(5_000, 64), 0);
        undefined.set_all(4_000..4_200, true);
        assert_eq!(
            (undefined.get(3_996, 8), undefined.get(4_196, 8)),
            (0xf0, 0xf)
        );
        assert_eq!(undefined.get(4_100, 64), u64::MAX);
    }
}
