//! Reproducible random numbers: a seed gives the same numbers in every version, on every
//! platform.
//!
//! rand's own uniform draws may change between its releases. That would change the trials of a
//! study that resumes.

use rand::Rng;
use rand_pcg::Pcg64;

/// A source of random numbers.
pub type Random = Pcg64;

/// Returns the generator of a seed. Generators of different streams are independent.
pub fn generator(seed: u64, stream: u64) -> Random {
    Pcg64::new(u128::from(seed), u128::from(stream))
}

/// Returns a uniform number below `bound`, which must not be 0.
///
/// The method multiplies by `bound`, takes the upper half, and redraws biased products (Lemire,
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
