//! Random numbers for the rows of one problem and seed, places in rows, and how elements lie in bytes.

use configgen::ElementType;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// What random numbers are for. Each has streams of its own, so that none changes when there is more of another.
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

/// Folds a seed and a position into one word, so that neighbouring rows get unrelated streams.
fn mix(stream: u128) -> u64 {
    let (high, low) = ((stream >> 64) as u64, stream as u64);
    (high ^ 0x9e37_79b9_7f4a_7c15)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9)
        .rotate_left(31)
        ^ low.wrapping_mul(0x94d0_49bb_1331_11eb)
}

/// Appends the bytes of a row's elements.
pub(crate) fn append(bytes: &mut Vec<u8>, element: ElementType, row: &[u64], rng: &mut impl Rng) {
    let size = element.bytes() as usize;
    for bits in row {
        // Of the byte of a truth value bit 0 counts, and the others are there to mislead.
        let bits = match element {
            ElementType::I1 => bits | rng.random::<u64>() << 1,
            _ => *bits,
        };
        bytes.extend_from_slice(&bits.to_le_bytes()[..size]);
    }
}

/// Where the one element of row `turn` is planted that matters: anywhere, but so that the places of successive turns spread evenly over
/// the lanes of a subgroup, whatever vector each lane loads.
pub(crate) fn planted(turn: usize, n: usize, rng: &mut impl Rng) -> usize {
    /// Elements of a subgroup's load of 4 a lane.
    const PERIOD: usize = 256;
    /// Odd, and near the golden section of the period: multiples of it spread evenly.
    const STRIDE: usize = 159;
    let place = rng.random_range(0..n) / PERIOD * PERIOD + turn * STRIDE % PERIOD;
    if place < n {
        place
    } else {
        rng.random_range(0..n)
    }
}
