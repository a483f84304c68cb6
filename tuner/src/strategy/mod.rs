//! Strategies: the order in which a search tries the configurations of a space.
//!
//! A strategy's proposals depend on the space, the seed, the default and the results of earlier
//! proposals. They do not depend on the budget, the number of workers or the order in which
//! workers finish. A resumed study therefore continues from the same state, with any budget.

mod evolution;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use configgen::{Configuration, Space};
use evolution::Evolution;
use lookup::Merit;
use serde::{Deserialize, Serialize};

/// The strategy of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// The space in its own order.
    Exhaustive,
    /// Uniform random order, without repetition.
    Random,
    /// Generations of neighbours of the best so far, with some at random, without repetition. The
    /// default.
    #[default]
    Evolution,
}

impl Strategy {
    /// All strategies. With a sufficient budget, each tries the whole space.
    pub const ALL: [Strategy; 3] = [Self::Exhaustive, Self::Random, Self::Evolution];

    /// Returns the name on the command line and in the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exhaustive => "exhaustive",
            Self::Random => "random",
            Self::Evolution => "evolution",
        }
    }

    /// Returns true if the order depends on results.
    pub(crate) fn looks_at_results(self) -> bool {
        self == Self::Evolution
    }

    /// Starts a search of `space`. The caller tries `default` first.
    pub(crate) fn search(
        self,
        space: &Arc<Space>,
        seed: u64,
        default: Option<&Configuration>,
    ) -> Box<dyn Search> {
        let known = default.and_then(|default| space.rank_of(default));
        let ranks: Box<dyn Iterator<Item = u64> + Send> = match self {
            Self::Exhaustive => Box::new(0..space.len()),
            Self::Random => Box::new(space.sample_ranks(seed)),
            Self::Evolution => return Box::new(Evolution::new(Arc::clone(space), seed, known)),
        };
        let space = Arc::clone(space);
        let others = ranks.filter(move |&rank| Some(rank) != known);
        Box::new(FixedSearch(others.filter_map(move |rank| space.nth(rank))))
    }
}

/// A running search of a space.
pub(crate) trait Search: Send {
    /// Returns up to `count` configurations to try next, each proposed only once. Empty while the
    /// search waits for results, or after it has proposed all.
    fn ask(&mut self, count: usize) -> Vec<Configuration>;

    /// Records the score of a trial, `None` if it cannot be served. The order of the calls does
    /// not matter; there is one per trial.
    fn tell(&mut self, configuration: &Configuration, score: Option<Merit>);

    /// Returns the number of configurations that it proposes before it waits.
    fn generation(&self) -> usize;
}

/// A search that does not look at results.
struct FixedSearch<I>(I);

impl<I: Iterator<Item = Configuration> + Send> Search for FixedSearch<I> {
    fn ask(&mut self, count: usize) -> Vec<Configuration> {
        self.0.by_ref().take(count).collect()
    }

    fn tell(&mut self, _: &Configuration, _: Option<Merit>) {}

    fn generation(&self) -> usize {
        usize::MAX
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
