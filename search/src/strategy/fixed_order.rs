//! Fixed orders: exhaustive and random search. They do not look at results.

use lookup::Merit;

use super::Search;

/// A search in an order that is known from the start.
pub(super) struct FixedOrder {
    ranks: Box<dyn Iterator<Item = u64> + Send>,
    default: Option<u64>,
}

impl FixedOrder {
    /// Creates a search of `ranks`, except for the default. The caller tries that one.
    pub(super) fn new(
        ranks: Box<dyn Iterator<Item = u64> + Send>,
        default: Option<u64>,
    ) -> FixedOrder {
        FixedOrder { ranks, default }
    }
}

impl Search for FixedOrder {
    fn ask(&mut self, count: usize) -> Vec<u64> {
        let default = self.default;
        let others = self.ranks.by_ref().filter(|&rank| Some(rank) != default);
        others.take(count).collect()
    }

    fn tell(&mut self, _: u64, _: Option<Merit>) {}

    fn generation(&self) -> usize {
        // No proposal waits for a result.
        usize::MAX
    }
}
