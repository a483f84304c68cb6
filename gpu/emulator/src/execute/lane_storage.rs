//! The storage that lanes access: allocations, LDS, private memory.
//!
//! Most accesses of a wave are regular: each lane accesses the words after its neighbour's, or
//! all lanes access the same words. Regular accesses move as *rows*, one register at a time; all
//! others move lane by lane.

use crate::concurrent_memory::AtomicBytes;
use crate::operation::Lanes;

/// Bytes that lanes access, each at its own offset.
///
/// Every access outside the storage panics; callers check the offsets first.
pub(super) trait LaneStorage {
    /// Loads 1, 2, 4 or 8 bytes.
    fn load<const N: usize>(&self, lane: usize, offset: u64) -> u64;

    /// Stores the low 1, 2, 4 or 8 bytes of `value`.
    fn store<const N: usize>(&mut self, lane: usize, offset: u64, value: u64);

    /// Loads `N` words.
    fn load_words<const N: usize>(&self, lane: usize, offset: u64) -> [u32; N];

    /// Stores `N` words.
    fn store_words<const N: usize>(&mut self, lane: usize, offset: u64, words: [u32; N]);

    /// Replaces 4 or 8 bytes with `function` of their value and returns the old value. A storage
    /// with concurrent users must do this atomically.
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

    /// Loads `N` words for each lane of `mask` if the access is regular, else returns false.
    /// Other lanes receive arbitrary values.
    fn load_rows<const N: usize>(
        &self,
        offsets: &[u64; 64],
        mask: u64,
        to: &mut [Lanes; N],
    ) -> bool;

    /// Stores `N` words of each lane of `mask` if the access is regular, else returns false.
    fn store_rows<const N: usize>(
        &mut self,
        offsets: &[u64; 64],
        mask: u64,
        from: [&Lanes; N],
    ) -> bool;
}

/// The pattern of a wave's offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// Each lane's offset is this plus the stride times the lane's number.
    Row(u64),
    /// All offsets are equal to this.
    Same(u64),
    Other,
}

/// Returns the pattern of the offsets of the lanes in `mask`, which must not be empty.
#[inline(always)]
pub(super) fn shape(offsets: &[u64; 64], mask: u64, stride: u64) -> Shape {
    let lane = mask.trailing_zeros() as usize & 63;
    let same = offsets[lane];
    let first = same.wrapping_sub(lane as u64 * stride);
    let (mut in_row, mut alike) = (0, 0);
    // A full mask is the usual case and needs no selection, so it has its own vector loop.
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

/// Returns the first lane of `mask` and the number of lanes up to its last one.
#[inline(always)]
fn span(mask: u64) -> (usize, usize) {
    let first = mask.trailing_zeros() as usize & 63;
    (first, 64 - mask.leading_zeros() as usize - first)
}

/// The words of all lanes, in lane order.
#[repr(align(64))]
struct Block<const N: usize>([[u32; N]; 64]);

/// Implements [`LaneStorage::load_rows`] for storage with lane-independent offsets.
#[inline(always)]
fn load_linear<const N: usize>(
    offsets: &[u64; 64],
    mask: u64,
    to: &mut [Lanes; N],
    load: impl Fn(usize, &mut [u32]),
) -> bool {
    match shape(offsets, mask, 4 * N as u64) {
        Shape::Row(start) if N == 1 => {
            // A load of the lanes between the first and the last stays within the bounds that the
            // caller checked.
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
            // A single loop over the lanes compiles to shuffles of whole vectors.
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

/// Implements [`LaneStorage::store_rows`] for storage with lane-independent offsets. Refuses a
/// mask with holes, because the storage belongs to other lanes there.
#[inline(always)]
fn store_linear<const N: usize>(
    offsets: &[u64; 64],
    mask: u64,
    from: [&Lanes; N],
    store: impl FnOnce(usize, &[u32]),
) -> bool {
    let (first, count) = span(mask);
    let whole = count as u32 == mask.count_ones();
    // Equal offsets need the order of the lanes, so only a row is fast.
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

/// The storage of an allocation. Its updates are atomic.
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

/// The storage of LDS, which only one thread accesses.
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
