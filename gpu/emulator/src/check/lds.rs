//! The LDS of a workgroup: its written bytes, and the waves that accessed them since the last
//! barrier.
//!
//! A *cell* describes a word, or a byte after an access to a part of the word. An *epoch* is the
//! time between two barriers. Two waves race if they access a byte in one epoch, one of them
//! writes it, and not both are atomic. A write of the present value is no race, because every
//! order has the same result.

/// The number that stands for no wave.
const NONE: u8 = 255;
/// The number that stands for several waves.
const MANY: u8 = 254;

/// The accesses to a word or a byte in its epoch.
#[derive(Clone, Copy)]
struct LdsCell {
    epoch: u32,
    writer: u8,
    reader: u8,
    /// The mode of the last write.
    by: AccessMode,
    /// The undefined bytes of a word in any epoch, and [`SPLIT`].
    state: u8,
}

/// The flag of a word with separate cells for its bytes.
const SPLIT: u8 = 0x80;
/// The mask of all bytes of a word.
const WORD: u8 = 0xf;

const FRESH: LdsCell = LdsCell {
    epoch: 0,
    writer: NONE,
    reader: NONE,
    by: AccessMode::Read,
    state: WORD,
};

/// The mode of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AccessMode {
    Read,
    Write,
    Atomic,
    /// An atomic that compares first. Other waves may read meanwhile, to learn the comparison
    /// value.
    Compare,
}

impl AccessMode {
    pub(super) fn is_atomic(self) -> bool {
        matches!(self, AccessMode::Atomic | AccessMode::Compare)
    }

    /// Returns true if two waves may do both to a byte in any order.
    pub(super) fn goes_with(self, other: AccessMode) -> bool {
        match (self, other) {
            (AccessMode::Read, AccessMode::Read | AccessMode::Compare)
            | (AccessMode::Compare, AccessMode::Read) => true,
            _ => self.is_atomic() && other.is_atomic(),
        }
    }
}

/// An access of another wave that conflicts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Conflict {
    /// The other wave; None if there are several.
    pub(super) wave: Option<u8>,
    /// True if it wrote, false if it read.
    pub(super) wrote: bool,
}

/// The hazards of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct LdsHazard {
    pub(super) conflict: Option<Conflict>,
    /// True if some byte of its words is undefined.
    pub(super) undefined: bool,
}

/// The state of a workgroup's LDS.
pub(super) struct Lds {
    words: Vec<LdsCell>,
    /// The cells of bytes; empty until an access to a part of a word.
    bytes: Vec<LdsCell>,
    epoch: u32,
}

impl Lds {
    pub(super) fn new() -> Lds {
        Lds {
            words: Vec::new(),
            bytes: Vec::new(),
            epoch: 1,
        }
    }

    /// Starts a workgroup with this many bytes, all undefined. (For the first one, no check has
    /// limited the number yet.)
    pub(super) fn begin(&mut self, bytes: u32) {
        self.words.clear();
        self.words.resize(bytes.div_ceil(4) as usize, FRESH);
        // A new epoch invalidates the cells without writing them.
        self.barrier();
    }

    /// Starts a new epoch at a barrier.
    pub(super) fn barrier(&mut self) {
        self.epoch += 1;
    }

    /// Returns the undefined ones of up to 16 bytes from `start` on, one bit each.
    pub(super) fn undefined(&self, start: u64, bytes: u32) -> u64 {
        let first = (start / 4) as usize;
        let last = ((start + u64::from(bytes) - 1) / 4) as usize;
        let words = self.words.get(first..=last).unwrap_or(&[]);
        let bits = words
            .iter()
            .rev()
            .fold(0, |bits, word| (bits << 4) | u64::from(word.state & WORD));
        (bits >> (start % 4)) & ((1 << bytes) - 1)
    }

    /// Sets the value that [`Lds::undefined`] returns.
    pub(super) fn set_undefined(&mut self, start: u64, bytes: u32, undefined: u64) {
        let shift = start % 4;
        let (mask, bits) = (((1 << bytes) - 1) << shift, undefined << shift);
        let first = (start / 4) as usize;
        for index in 0..(shift + u64::from(bytes)).div_ceil(4) {
            let part = |all: u64| (all >> (4 * index)) as u8 & WORD;
            if let Some(word) = self.words.get_mut(first + index as usize) {
                word.state = (word.state & !part(mask)) | part(bits);
            }
        }
    }

    /// Records an access to up to 16 bytes from `start` on, and marks written bytes as defined.
    #[inline]
    pub(super) fn access(
        &mut self,
        start: u64,
        bytes: u32,
        wave: u8,
        how: AccessMode,
    ) -> LdsHazard {
        let mut met = LdsHazard::default();
        let (mut at, end) = (start, start + u64::from(bytes));
        while at < end {
            let word = (at / 4) as usize;
            let next = (at / 4 * 4 + 4).min(end);
            let Some(cell) = self.words.get_mut(word) else {
                return met;
            };
            // Cells of an earlier epoch are stale; resetting them on access makes barriers cheap.
            if cell.epoch != self.epoch {
                *cell = LdsCell {
                    epoch: self.epoch,
                    state: cell.state & WORD,
                    ..FRESH
                };
            }
            met.undefined |= cell.state & WORD != 0;
            if how == AccessMode::Write {
                let mask = (WORD >> (4 - (next - at))) << (at % 4);
                cell.state &= !mask;
            }
            let own = |who: u8| who == NONE || who == wave;
            // This fast path has no other wave in the epoch, so nothing can conflict.
            let whole = next - at == 4 && cell.state & SPLIT == 0;
            if whole && how == AccessMode::Read && own(cell.writer) && own(cell.reader) {
                cell.reader = wave;
            } else if whole && how == AccessMode::Write && own(cell.writer) && own(cell.reader) {
                (cell.writer, cell.by) = (wave, how);
            } else {
                let conflict = self.share(word, at as usize..next as usize, wave, how);
                met.conflict = met.conflict.or(conflict);
            }
            at = next;
        }
        met
    }

    /// Records an access to bytes of a word that another wave may have accessed.
    #[inline(never)]
    fn share(
        &mut self,
        word: usize,
        bytes: std::ops::Range<usize>,
        wave: u8,
        how: AccessMode,
    ) -> Option<Conflict> {
        let cell = &mut self.words[word];
        if bytes.len() == 4 && cell.state & SPLIT == 0 {
            return touch(cell, wave, how);
        }
        if cell.state & SPLIT == 0 {
            cell.state |= SPLIT;
            let whole = *cell;
            self.bytes.resize(4 * self.words.len(), FRESH);
            // The bytes inherit the history of the word.
            self.bytes[4 * word..4 * word + 4].fill(whole);
        }
        self.bytes[bytes]
            .iter_mut()
            .fold(None, |conflict, byte| conflict.or(touch(byte, wave, how)))
    }
}

fn touch(cell: &mut LdsCell, wave: u8, how: AccessMode) -> Option<Conflict> {
    let other = |who: u8| who != NONE && who != wave;
    let conflict = |who: u8, wrote: bool| {
        Some(Conflict {
            wave: (who != MANY).then_some(who),
            wrote,
        })
    };
    let found = if other(cell.writer) && !how.goes_with(cell.by) {
        conflict(cell.writer, true)
    } else if other(cell.reader) && !how.goes_with(AccessMode::Read) {
        conflict(cell.reader, false)
    } else {
        None
    };
    let both = |who: u8| if other(who) { MANY } else { wave };
    match how {
        AccessMode::Read => cell.reader = both(cell.reader),
        AccessMode::Write => {
            // Findings name the last writer from now on.
            cell.writer = wave;
            cell.by = how;
        }
        AccessMode::Atomic | AccessMode::Compare => {
            // The mode that conflicts with more accesses prevails.
            if matches!(cell.by, AccessMode::Read | AccessMode::Compare) {
                cell.by = how;
            }
            cell.writer = both(cell.writer);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::AccessMode::*;
    use super::*;

    /// Returns the conflict of the last of several accesses: wave, mode, start, bytes. Wave 99
    /// stands for a barrier.
    #[track_caller]
    fn check(accesses: &[(u8, AccessMode, u64, u32)], expected: Option<(u8, bool)>) {
        let mut lds = Lds::new();
        lds.begin(64);
        let mut last = None;
        for &(wave, how, start, bytes) in accesses {
            if wave == 99 {
                lds.barrier();
                continue;
            }
            assert_eq!(last, None, "only the last access conflicts");
            last = lds.access(start, bytes, wave, how).conflict;
        }
        let found = last.map(|one| (one.wave.unwrap_or(MANY), one.wrote));
        assert_eq!(found, expected, "{accesses:?}");
    }

    #[test]
    fn waves_that_share_a_byte_race_unless_both_read_or_are_atomic() {
        check(&[(0, Write, 0, 4), (1, Read, 0, 4)], Some((0, true)));
        check(&[(0, Read, 0, 4), (1, Write, 0, 4)], Some((0, false)));
        check(&[(0, Write, 0, 4), (1, Write, 0, 4)], Some((0, true)));
        check(&[(0, Write, 0, 4), (1, Atomic, 0, 4)], Some((0, true)));
        check(&[(0, Atomic, 0, 4), (1, Read, 0, 4)], Some((0, true)));
        check(&[(0, Read, 0, 4), (1, Read, 0, 4)], None);
        check(
            &[
                (0, Read, 0, 4),
                (1, Compare, 0, 4),
                (0, Read, 0, 4),
                (0, Compare, 0, 4),
            ],
            None,
        );
        check(&[(0, Compare, 0, 4), (1, Write, 0, 4)], Some((0, true)));
        check(&[(0, Atomic, 0, 4), (1, Atomic, 0, 4)], None);
        check(&[(0, Write, 0, 4), (0, Read, 0, 4), (0, Write, 0, 4)], None);
        check(
            &[(0, Atomic, 0, 4), (1, Atomic, 0, 4), (1, Read, 0, 4)],
            Some((MANY, true)),
        );
        check(
            &[(0, Read, 0, 4), (1, Read, 0, 4), (0, Write, 0, 4)],
            Some((MANY, false)),
        );
    }

    #[test]
    fn a_barrier_ends_the_epoch() {
        check(&[(0, Write, 0, 4), (99, Read, 0, 0), (1, Read, 0, 4)], None);
        check(&[(0, Read, 0, 2), (99, Read, 0, 0), (1, Write, 0, 4)], None);
    }

    #[test]
    fn bytes_of_a_word_are_told_apart() {
        check(
            &[(0, Write, 0, 1), (1, Write, 1, 1), (2, Write, 2, 2)],
            None,
        );
        check(
            &[(0, Write, 0, 1), (1, Write, 1, 1), (0, Read, 0, 4)],
            Some((1, true)),
        );
        check(&[(0, Write, 0, 4), (1, Read, 3, 1)], Some((0, true)));
        check(&[(0, Write, 3, 2), (1, Read, 0, 3)], None);
        check(&[(0, Write, 3, 2), (1, Read, 4, 4)], Some((0, true)));
        check(&[(0, Write, 0, 16), (1, Read, 12, 4)], Some((0, true)));
    }

    #[test]
    fn bytes_are_undefined_until_they_are_set() {
        let mut lds = Lds::new();
        lds.begin(32);
        assert_eq!(lds.undefined(3, 5), 0x1f);
        lds.set_undefined(2, 7, 0b100_0000);
        assert_eq!(lds.undefined(0, 12), 0b1111_0000_0011);
        lds.begin(32);
        assert_eq!(lds.undefined(0, 16), 0xffff);
    }
}
