//! Streams of random numbers for one problem and seed, positions of planted elements, and the
//! bytes of elements.

use configgen::ElementType;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The purpose of random numbers. Each purpose has its own streams, so that no other one changes
/// them.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stream {
    Elements,
    Initial,
    IndexBase,
    ExplicitIndices,
    Operands,
    /// Elements of a tensor that no row sees.
    Tensor,
}

/// The streams of one seed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Streams {
    pub(crate) seed: u64,
}

impl Streams {
    pub(crate) fn rng(self, stream: Stream, row: u64, launch: usize) -> Pcg64Mcg {
        let stream = (stream as u128) << 56 | u128::from(row) << 8 | launch as u128;
        Pcg64Mcg::seed_from_u64(mix(u128::from(self.seed) << 64 | stream))
    }
}

/// Hashes a seed and a position to one word, so that neighbouring rows have unrelated streams.
fn mix(stream: u128) -> u64 {
    let (high, low) = ((stream >> 64) as u64, stream as u64);
    // The multipliers are those of SplitMix64, and the offset is its increment.
    (high ^ 0x9e37_79b9_7f4a_7c15)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9)
        .rotate_left(31)
        ^ low.wrapping_mul(0x94d0_49bb_1331_11eb)
}

/// Appends the bytes of a row's elements.
pub(crate) fn append(bytes: &mut Vec<u8>, element: ElementType, row: &[u64], rng: &mut impl Rng) {
    let size = element.bytes() as usize;
    for bits in row {
        // Only bit 0 of an i1 byte counts. The other bits are random, to expose a kernel that
        // reads them.
        let bits = match element {
            ElementType::I1 => bits | rng.random::<u64>() << 1,
            _ => *bits,
        };
        bytes.extend_from_slice(&bits.to_le_bytes()[..size]);
    }
}

/// Returns the position of the one element that decides row `turn` of `n` elements. Positions of
/// successive rows spread evenly over the lanes of a subgroup, for any vector width.
pub(crate) fn planted(turn: usize, n: usize, rng: &mut impl Rng) -> usize {
    /// The number of elements in a subgroup's load of 4 per lane.
    const PERIOD: usize = 256;
    /// An odd number near the period's golden section: its multiples spread evenly.
    const STRIDE: usize = 159;
    let place = rng.random_range(0..n) / PERIOD * PERIOD + turn * STRIDE % PERIOD;
    if place < n {
        place
    } else {
        rng.random_range(0..n)
    }
}
