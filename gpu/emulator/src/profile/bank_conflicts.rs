//! Bank conflicts of LDS.

use crate::execute::MemoryAccess;

/// The number of banks, of 4 bytes each.
const BANKS: u64 = 32;

/// Returns the passes of an LDS access. A bank serves one word per pass, and a word serves all
/// its readers.
///
/// Neighbouring lanes form groups with one word per bank: 32 lanes with a word each, or 8 lanes
/// with four words.
pub(super) fn passes(access: &MemoryAccess, lanes: u32) -> u16 {
    let words = u64::from(access.bytes.div_ceil(4).clamp(1, 4));
    let together = (BANKS / words.next_power_of_two()) as usize;
    let mut passes = 0;
    // A wave takes at least one pass per group, even without active lanes.
    for first in (0..lanes.clamp(32, 64) as usize).step_by(together) {
        let mut indices = [0; BANKS as usize];
        let mut count = 0;
        for lane in (first..first + together).filter(|lane| (access.mask >> lane) & 1 != 0) {
            for word in 0..words {
                indices[count] = access.addresses[lane] / 4 + word;
                count += 1;
            }
        }
        let indices = &mut indices[..count];
        // Sorting puts equal words side by side; a repeated word needs no further pass.
        indices.sort_unstable();
        let mut banks = [0u16; BANKS as usize];
        let mut previous = None;
        for &index in &*indices {
            banks[(index % BANKS) as usize] += u16::from(previous != Some(index));
            previous = Some(index);
        }
        passes += banks.into_iter().max().unwrap_or(0).max(1);
    }
    passes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: u32, mask: u64, address: impl Fn(u64) -> u64, expected: u16) {
        let mut access = MemoryAccess::new();
        access.bytes = bytes;
        access.mask = mask;
        access.addresses = std::array::from_fn(|lane| address(lane as u64));
        assert_eq!(passes(&access, 64), expected);
    }

    #[test]
    fn a_bank_serves_one_word_per_pass() {
        let all = u64::MAX;
        check(4, all, |lane| 4 * lane, 2);
        check(4, all, |_| 64, 2);
        check(4, all, |lane| 4 * (lane ^ 5), 2);
        check(4, all, |lane| 8 * lane, 4);
        check(4, all, |lane| 128 * lane, 64);
        check(4, 1 << 40, |lane| 128 * lane, 2);
        check(4, 0, |_| 0, 2);
        check(2, all, |lane| 2 * lane, 2);
        check(8, all, |lane| 8 * lane, 4);
        check(16, all, |lane| 16 * lane, 8);
        check(16, all, |lane| 128 * lane, 64);
        check(8, all, |_| 64, 4);
    }

    #[test]
    fn a_wave_of_32_lanes_is_half_as_much() {
        let mut access = MemoryAccess::new();
        access.bytes = 4;
        access.mask = u32::MAX.into();
        access.addresses = std::array::from_fn(|lane| 4 * lane as u64);
        assert_eq!(passes(&access, 32), 1);
        access.addresses = std::array::from_fn(|lane| 128 * lane as u64);
        assert_eq!(passes(&access, 32), 32);
    }

    #[test]
    fn words_that_alternate_are_served_once_each() {
        let all = u64::MAX;
        check(4, all, |lane| 128 * (lane % 2), 4);
        check(4, all, |lane| 128 * (lane % 3), 6);
    }
}
