//! Fixed orders: exhaustive and random search. They do not look at results.

use lookup::Merit;

use super::{Search, SearchSetup};

/// A search in an order that is known from the start.
pub(super) struct FixedOrder {
    ranks: Box<dyn Iterator<Item = u64> + Send>,
    setup: SearchSetup,
}

impl FixedOrder {
    /// Creates a search of `ranks`, except for those that the caller tries.
    pub(super) fn new(
        ranks: Box<dyn Iterator<Item = u64> + Send>,
        setup: SearchSetup,
    ) -> FixedOrder {
        FixedOrder { ranks, setup }
    }
}

impl Search for FixedOrder {
    fn ask(&mut self, count: usize) -> Vec<u64> {
        let setup = self.setup;
        let is_other = |rank: &u64| setup.tried_by_caller().all(|tried| tried != *rank);
        let others = self.ranks.by_ref().filter(is_other);
        others.take(count).collect()
    }

    fn tell(&mut self, _: u64, _: Option<Merit>) {}

    fn generation(&self) -> usize {
        // No proposal waits for a result.
        usize::MAX
    }
}
