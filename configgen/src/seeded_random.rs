//! Random numbers that stay the same: what was drawn with a seed is drawn again by any later version, on every platform.
//!
//! rand's own uniform draws may change between its releases, and with them the trials of a study that goes on.

use rand::Rng;
use rand_pcg::Pcg64;

/// A source of random numbers.
pub type Random = Pcg64;

/// The generator of a seed. Those of different streams are independent.
pub fn generator(seed: u64, stream: u64) -> Random {
    Pcg64::new(u128::from(seed), u128::from(stream))
}

/// A uniform number below `bound`, which is not 0: the upper half of a product, redrawn while it would be biased (Lemire,
/// "Fast Random Integer Generation in an Interval").
pub fn below(generator: &mut Random, bound: u64) -> u64 {
    let biased = bound.wrapping_neg() % bound;
    loop {
        let product = u128::from(generator.next_u64()) * u128::from(bound);
        if product as u64 >= biased {
            return (product >> 64) as u64;
        }
    }
}
