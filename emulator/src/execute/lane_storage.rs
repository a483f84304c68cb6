//! What lanes access: allocations, LDS, private memory.
//!
//! Most accesses of a wave are regular: each lane the words after its neighbour's, or all lanes the same words. They
//! move as *rows*, one register at a time; the others go lane by lane.

use crate::concurrent_memory::AtomicBytes;
use crate::operation::Lanes;

/// Bytes that lanes access, each at an offset of its own.
///
/// Every access panics where it is not within the store: who accesses has checked it.
pub(super) trait LaneStorage {
    /// Loads 1, 2, 4 or 8 bytes.
    fn load<const N: usize>(&self, lane: usize, offset: u64) -> u64;

    /// Stores the low 1, 2, 4 or 8 bytes of `value`.
    fn store<const N: usize>(&mut self, lane: usize, offset: u64, value: u64);

    /// Loads `N` words.
    fn load_words<const N: usize>(&self, lane: usize, offset: u64) -> [u32; N];

    /// Stores `N` words.
    fn store_words<const N: usize>(&mut self, lane: usize, offset: u64, words: [u32; N]);

    /// Replaces 4 or 8 bytes by what `function` makes of them; returns what they were. A store that others see too has
    /// to make one step of it.
    #[inline(always)]
    fn update<const N: usize>(
        &mut self,
        lane: usize,
        offset: u64,
        function: impl Fn(u64) -> u64,
    ) -> u64 {
        let old = self.load::<N>(lane, offset);
        self.store::<N>(lane, offset, function(old));
        old
    }

    /// Loads `N` words for each lane of `mask`, if the access is regular. What other lanes receive means nothing.
    fn load_rows<const N: usize>(
        &self,
        offsets: &[u64; 64],
        mask: u64,
        to: &mut [Lanes; N],
    ) -> bool;

    /// Stores `N` words of each lane of `mask`, if the access is regular.
    fn store_rows<const N: usize>(
        &mut self,
        offsets: &[u64; 64],
        mask: u64,
        from: [&Lanes; N],
    ) -> bool;
}

/// How the offsets of a wave lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// Each lane's is this plus the stride times its number.
    Row(u64),
    /// All are this one.
    Same(u64),
    Other,
}

/// The shape of the offsets of the lanes in `mask`, of which there is one at least.
#[inline(always)]
pub(super) fn shape(offsets: &[u64; 64], mask: u64, stride: u64) -> Shape {
    let lane = mask.trailing_zeros() as usize & 63;
    let same = offsets[lane];
    let first = same.wrapping_sub(lane as u64 * stride);
    let (mut in_row, mut alike) = (0, 0);
    if mask == u64::MAX {
        for (lane, offset) in offsets.iter().enumerate() {
            in_row |= offset ^ first.wrapping_add(lane as u64 * stride);
            alike |= offset ^ same;
        }
    } else {
        for (lane, offset) in offsets.iter().enumerate() {
            let active = 0u64.wrapping_sub((mask >> lane) & 1);
            in_row |= active & (offset ^ first.wrapping_add(lane as u64 * stride));
            alike |= active & (offset ^ same);
        }
    }
    if in_row == 0 {
        Shape::Row(first)
    } else if alike == 0 {
        Shape::Same(same)
    } else {
        Shape::Other
    }
}

/// The first lane of `mask` and the number of lanes up to its last one.
#[inline(always)]
fn span(mask: u64) -> (usize, usize) {
    let first = mask.trailing_zeros() as usize & 63;
    (first, 64 - mask.leading_zeros() as usize - first)
}

/// Words of all lanes, each lane's after its neighbour's.
#[repr(align(64))]
struct Block<const N: usize>([[u32; N]; 64]);

/// As [`Store::load_rows`], from memory where a lane's bytes lie at its offset.
#[inline(always)]
fn load_linear<const N: usize>(
    offsets: &[u64; 64],
    mask: u64,
    to: &mut [Lanes; N],
    load: impl Fn(usize, &mut [u32]),
) -> bool {
    match shape(offsets, mask, 4 * N as u64) {
        Shape::Row(start) if N == 1 => {
            let (first, count) = span(mask);
            let start = start.wrapping_add(4 * first as u64) as usize;
            if mask == u64::MAX {
                load(start, &mut to[0].0);
            } else {
                load(start, &mut to[0].0[first..first + count]);
            }
        }
        Shape::Row(start) => {
            let mut block = Block([[0; N]; 64]);
            let (first, count) = span(mask);
            let start = start.wrapping_add((4 * N * first) as u64) as usize;
            if mask == u64::MAX {
                load(start, block.0.as_flattened_mut());
            } else {
                load(start, block.0[first..first + count].as_flattened_mut());
            }
            // One loop over the lanes, so that it becomes shuffles of whole vectors.
            for (lane, words) in block.0.iter().enumerate() {
                for (register, word) in to.iter_mut().zip(words) {
                    register.0[lane] = *word;
                }
            }
        }
        Shape::Same(start) => {
            let mut words = [0; N];
            load(start as usize, &mut words);
            for (register, word) in to.iter_mut().zip(words) {
                register.0 = [word; 64];
            }
        }
        Shape::Other => return false,
    }
    true
}

/// As [`Store::store_rows`], to memory where a lane's bytes lie at its offset. Lanes that do not store leave a hole
/// that is nobody's to write.
#[inline(always)]
fn store_linear<const N: usize>(
    offsets: &[u64; 64],
    mask: u64,
    from: [&Lanes; N],
    store: impl FnOnce(usize, &[u32]),
) -> bool {
    let (first, count) = span(mask);
    let whole = count as u32 == mask.count_ones();
    let Shape::Row(start) = shape(offsets, mask, 4 * N as u64) else {
        return false;
    };
    if !whole {
        return false;
    }
    let start = start.wrapping_add((4 * N * first) as u64) as usize;
    if N == 1 {
        store(start, &from[0].0[first..first + count]);
        return true;
    }
    let mut block = Block([[0; N]; 64]);
    for (lane, words) in block.0.iter_mut().enumerate() {
        for (register, word) in from.iter().zip(words) {
            *word = register.0[lane];
        }
    }
    store(start, block.0[first..first + count].as_flattened());
    true
}

/// Allocations.
impl LaneStorage for AtomicBytes<'_> {
    #[inline(always)]
    fn load<const N: usize>(&self, _: usize, offset: u64) -> u64 {
        AtomicBytes::load::<N>(*self, offset as usize)
    }

    #[inline(always)]
    fn store<const N: usize>(&mut self, _: usize, offset: u64, value: u64) {
        AtomicBytes::store::<N>(*self, offset as usize, value);
    }

    #[inline(always)]
    fn load_words<const N: usize>(&self, _: usize, offset: u64) -> [u32; N] {
        AtomicBytes::load_words(*self, offset as usize)
    }

    #[inline(always)]
    fn store_words<const N: usize>(&mut self, _: usize, offset: u64, words: [u32; N]) {
        AtomicBytes::store_words(*self, offset as usize, words);
    }

    #[inline(always)]
    fn update<const N: usize>(
        &mut self,
        _: usize,
        offset: u64,
        function: impl Fn(u64) -> u64,
    ) -> u64 {
        AtomicBytes::update::<N>(*self, offset as usize, function)
    }

    #[inline(always)]
    fn load_rows<const N: usize>(
        &self,
        offsets: &[u64; 64],
        mask: u64,
        to: &mut [Lanes; N],
    ) -> bool {
        load_linear(offsets, mask, to, |start, words| {
            self.load_block(start, words);
        })
    }

    #[inline(always)]
    fn store_rows<const N: usize>(
        &mut self,
        offsets: &[u64; 64],
        mask: u64,
        from: [&Lanes; N],
    ) -> bool {
        store_linear(offsets, mask, from, |start, words| {
            self.store_block(start, words);
        })
    }
}

/// LDS: memory of one thread.
impl LaneStorage for Vec<u8> {
    #[inline(always)]
    fn load<const N: usize>(&self, _: usize, offset: u64) -> u64 {
        let mut value = [0; 8];
        let start = offset as usize;
        value[..N].copy_from_slice(&self[start..start + N]);
        u64::from_le_bytes(value)
    }

    #[inline(always)]
    fn store<const N: usize>(&mut self, _: usize, offset: u64, value: u64) {
        let start = offset as usize;
        self[start..start + N].copy_from_slice(&value.to_le_bytes()[..N]);
    }

    #[inline(always)]
    fn load_words<const N: usize>(&self, _: usize, offset: u64) -> [u32; N] {
        let bytes = self[offset as usize..][..4 * N].as_chunks::<4>().0;
        let mut words = [0; N];
        for (word, bytes) in words.iter_mut().zip(bytes) {
            *word = u32::from_le_bytes(*bytes);
        }
        words
    }

    #[inline(always)]
    fn store_words<const N: usize>(&mut self, _: usize, offset: u64, words: [u32; N]) {
        let bytes = self[offset as usize..][..4 * N].as_chunks_mut::<4>().0;
        for (bytes, word) in bytes.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
    }

    #[inline(always)]
    fn load_rows<const N: usize>(
        &self,
        offsets: &[u64; 64],
        mask: u64,
        to: &mut [Lanes; N],
    ) -> bool {
        load_linear(offsets, mask, to, |start, words| {
            let bytes = &self[start..start + 4 * words.len()];
            for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
                *word = u32::from_le_bytes(*bytes);
            }
        })
    }

    #[inline(always)]
    fn store_rows<const N: usize>(
        &mut self,
        offsets: &[u64; 64],
        mask: u64,
        from: [&Lanes; N],
    ) -> bool {
        store_linear(offsets, mask, from, |start, words| {
            let bytes = &mut self[start..start + 4 * words.len()];
            for (bytes, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(words) {
                *bytes = word.to_le_bytes();
            }
        })
    }
}
