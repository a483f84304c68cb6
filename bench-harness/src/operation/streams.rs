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

/// Returns the position of the one element that decides row `turn` of `n` elements.
///
/// In long rows, successive rows take the lanes of a subgroup in turn, with 4 elements a lane.
/// Then they take its elements, and the loads of a subgroup. Some fifty rows expose a kernel that
/// skips a lane, an element of each load, a subgroup or a step. Short rows are many, and their
/// positions only spread evenly.
pub(crate) fn planted(turn: usize, n: usize, rng: &mut impl Rng) -> usize {
    /// The number of lanes, and of the elements in a lane's load.
    const LANES: usize = 64;
    const LOAD: usize = 4;
    const PERIOD: usize = LANES * LOAD;
    /// The number of successive loads that rows take in turn.
    const LOADS: usize = 16;
    /// An odd number near the period's golden section: its multiples spread evenly.
    const STRIDE: usize = 159;
    let place = match n {
        ..=1024 => rng.random_range(0..n) / PERIOD * PERIOD + turn * STRIDE % PERIOD,
        _ => {
            let loads = n.div_ceil(PERIOD);
            let near = rng.random_range(0..loads);
            let load = near / LOADS * LOADS + turn * 7 % LOADS;
            let load = if load < loads { load } else { near };
            // Multiples of an odd number reach all lanes, and neighbouring rows lie apart.
            let lane = turn * 25 % LANES;
            (load * LANES + lane) * LOAD + turn / LOAD % LOAD
        }
    };
    match place < n {
        true => place,
        false => rng.random_range(0..n),
    }
}
