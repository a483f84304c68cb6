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
/// Successive rows take the lanes of a subgroup in turn, with 4 elements a lane, then its elements,
/// and the loads of a subgroup one after the other. Some fifty rows then expose a kernel that skips
/// a lane, an element of each load, a subgroup or a step.
pub(crate) fn planted(turn: usize, n: usize, rng: &mut impl Rng) -> usize {
    /// The number of lanes, and of the elements in a lane's load.
    const LANES: usize = 64;
    const LOAD: usize = 4;
    /// The number of successive loads that a period covers.
    const LOADS: usize = 16;
    // Some patterns have a decisive element in every fourth row only. Those rows reach everything,
    // too, because they count by the quotient.
    let (quotient, remainder) = (turn / 4, turn % 4);
    let loads = n.div_ceil(LANES * LOAD);
    let near = rng.random_range(0..loads);
    let load = near / LOADS * LOADS + (quotient + 4 * remainder) * 7 % LOADS;
    let load = if load < loads { load } else { near };
    // Multiples of an odd number reach all lanes, and neighbouring rows lie apart.
    let lane = (quotient + 16 * remainder) * 25 % LANES;
    let element = (quotient / 4 + remainder) % LOAD;
    let place = (load * LANES + lane) * LOAD + element;
    match place < n {
        true => place,
        false => rng.random_range(0..n),
    }
}
