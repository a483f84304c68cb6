//! Uniform samples of a space, without replacement.

use std::collections::HashMap;

use super::Space;
use crate::{Configuration, seeded_random};

impl Space {
    /// Returns `count` different configurations in random order, or all if there are fewer.
    ///
    /// Every sequence is equally likely. The sample depends on the space, the count and the seed
    /// alone, on every platform. A smaller count with the same seed gives a prefix.
    pub fn sample(&self, count: u64, seed: u64) -> Vec<Configuration> {
        let ranks = self.sample_ranks(seed);
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        ranks
            .take(count)
            .filter_map(|rank| self.nth(rank))
            .collect()
    }

    /// Returns all ranks in random order, drawn one at a time: the order of
    /// [`sample`](Space::sample).
    pub fn sample_ranks(&self, seed: u64) -> impl Iterator<Item = u64> + use<> {
        let len = self.len();
        let mut generator = seeded_random::generator(seed, 0);
        // A Fisher-Yates shuffle of 0..len that stores only the moved entries: `len` may be
        // billions.
        let mut moved: HashMap<u64, u64> = HashMap::new();
        (0..len).map(move |place| {
            let drawn = place + seeded_random::below(&mut generator, len - place);
            let rank = moved.get(&drawn).copied().unwrap_or(drawn);
            let displaced = moved.remove(&place).unwrap_or(place);
            if drawn != place {
                moved.insert(drawn, displaced);
            }
            rank
        })
    }
}
