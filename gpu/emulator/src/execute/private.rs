//! Private memory of the lanes.

use super::lane_mask::write;
use super::lane_storage::{LaneStorage, Shape, shape};
use crate::operation::Lanes;

/// Private memory in rows: one row holds the words of all lanes at one offset, as the hardware
/// interleaves them.
pub(crate) struct Private(pub(crate) Vec<Lanes>);

impl Private {
    /// Returns a byte of a lane; 0 beyond the end.
    pub(crate) fn byte(&self, lane: usize, offset: u64) -> u8 {
        let row = self.0.get(offset as usize / 4);
        row.map_or(0, |row| row.0[lane].to_le_bytes()[offset as usize % 4])
    }
}

impl LaneStorage for Private {
    #[inline(always)]
    fn load<const N: usize>(&self, lane: usize, offset: u64) -> u64 {
        let (row, shift) = (offset as usize / 4, 8 * (offset % 4));
        // The fast case is a value within one word. Unaligned values may cross rows.
        if N <= 4 && shift as usize + 8 * N <= 32 {
            let mask = u64::MAX >> (64 - 8 * N);
            return (u64::from(self.0[row].0[lane]) >> shift) & mask;
        }
        // The bytes of a lane are one row apart, so a crossing value needs one access per byte.
        (0..N as u64).fold(0, |value, index| {
            value | (u64::from(self.byte(lane, offset + index)) << (8 * index))
        })
    }

    #[inline(always)]
    fn store<const N: usize>(&mut self, lane: usize, offset: u64, value: u64) {
        let (row, shift) = (offset as usize / 4, 8 * (offset % 4));
        if N <= 4 && shift as usize + 8 * N <= 32 {
            let field = ((u64::MAX >> (64 - 8 * N)) << shift) as u32;
            let word = &mut self.0[row].0[lane];
            *word = (*word & !field) | ((value << shift) as u32 & field);
            return;
        }
        for (index, byte) in value.to_le_bytes().into_iter().enumerate().take(N) {
            let place = offset as usize + index;
            let (row, shift) = (place / 4, 8 * (place % 4));
            let word = &mut self.0[row].0[lane];
            *word = (*word & !(0xff << shift)) | (u32::from(byte) << shift);
        }
    }

    #[inline(always)]
    fn load_words<const N: usize>(&self, lane: usize, offset: u64) -> [u32; N] {
        let mut words = [0; N];
        for (index, word) in words.iter_mut().enumerate() {
            *word = self.load::<4>(lane, offset + 4 * index as u64) as u32;
        }
        words
    }

    #[inline(always)]
    fn store_words<const N: usize>(&mut self, lane: usize, offset: u64, words: [u32; N]) {
        for (index, word) in words.into_iter().enumerate() {
            self.store::<4>(lane, offset + 4 * index as u64, word.into());
        }
    }

    #[inline(always)]
    fn load_rows<const N: usize>(
        &self,
        offsets: &[u64; 64],
        mask: u64,
        to: &mut [Lanes; N],
    ) -> bool {
        // A stride of 0 means equal offsets of all lanes, which is a whole row here.
        match shape(offsets, mask, 0) {
            Shape::Row(start) if start % 4 == 0 => {
                let row = start as usize / 4;
                to.copy_from_slice(&self.0[row..row + N]);
                true
            }
            _ => false,
        }
    }

    #[inline(always)]
    fn store_rows<const N: usize>(
        &mut self,
        offsets: &[u64; 64],
        mask: u64,
        from: [&Lanes; N],
    ) -> bool {
        match shape(offsets, mask, 0) {
            Shape::Row(start) if start % 4 == 0 => {
                let row = start as usize / 4;
                for (row, register) in self.0[row..row + N].iter_mut().zip(from) {
                    write(row, register, mask);
                }
                true
            }
            _ => false,
        }
    }
}
