//! Uniform samples of a space, without replacement.

use std::collections::HashMap;

use rand::Rng;
use rand_pcg::Pcg64;

use super::Space;
use crate::Configuration;

impl Space {
    /// `count` different configurations, or all if there are fewer, in random order: every sequence is equally likely.
    ///
    /// The sample depends on the space, the count and the seed alone, on every platform; a smaller count with the same seed
    /// gives a prefix.
    pub fn sample(&self, count: u64, seed: u64) -> Vec<Configuration> {
        let ranks = self.sample_ranks(seed);
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        ranks
            .take(count)
            .filter_map(|rank| self.nth(rank))
            .collect()
    }

    /// All ranks in random order, drawn one at a time: the order of [`sample`](Space::sample).
    pub fn sample_ranks(&self, seed: u64) -> impl Iterator<Item = u64> + use<> {
        let len = self.len();
        let mut generator = Pcg64::new(u128::from(seed), 0);
        // A Fisher-Yates shuffle of 0..len of which only the entries that moved are kept.
        let mut moved: HashMap<u64, u64> = HashMap::new();
        (0..len).map(move |place| {
            let drawn = place + below(&mut generator, len - place);
            let rank = moved.get(&drawn).copied().unwrap_or(drawn);
            let displaced = moved.remove(&place).unwrap_or(place);
            if drawn != place {
                moved.insert(drawn, displaced);
            }
            rank
        })
    }
}

/// A uniform number below `bound`, which is not 0: the upper half of a product, redrawn while it would be biased (Lemire,
/// "Fast Random Integer Generation in an Interval").
///
/// Written here because rand's own uniform draws may change between its releases.
fn below(generator: &mut impl Rng, bound: u64) -> u64 {
    let biased = bound.wrapping_neg() % bound;
    loop {
        let product = u128::from(generator.next_u64()) * u128::from(bound);
        if product as u64 >= biased {
            return (product >> 64) as u64;
        }
    }
}
