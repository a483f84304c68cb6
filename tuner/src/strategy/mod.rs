//! Strategies: in which order the configurations of a space are tried.
//!
//! What a strategy proposes depends on the space, the seed, the default and the results of what it proposed before, and
//! never on the budget, on the number of workers or on who ended first: a study that is continued, with a larger budget or
//! not, goes on where it stood.

mod evolution;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use configgen::{Configuration, Space};
use evolution::Evolution;
use lookup::Merit;
use serde::{Deserialize, Serialize};

/// Where to look next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// The space in its own order.
    Exhaustive,
    /// Uniformly, without repetition.
    Random,
    /// Generations of neighbours of the best so far, and some at random; without repetition. The default.
    #[default]
    Evolution,
}

impl Strategy {
    /// Every strategy. Where the budget allows, each tries the whole space.
    pub const ALL: [Strategy; 3] = [Self::Exhaustive, Self::Random, Self::Evolution];

    /// Its name on the command line and in the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exhaustive => "exhaustive",
            Self::Random => "random",
            Self::Evolution => "evolution",
        }
    }

    /// Whether the order depends on results.
    pub(crate) fn looks_at_results(self) -> bool {
        self == Self::Evolution
    }

    /// A search of `space` in which `default` is tried first, by whoever asks.
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

/// A strategy at work on a space.
pub(crate) trait Search: Send {
    /// Up to `count` configurations to be tried next, which were not proposed before. None while the search waits for
    /// results, and none when it has proposed everything.
    fn ask(&mut self, count: usize) -> Vec<Configuration>;

    /// The score of what was tried, none if it is not to be served. In any order, once for each.
    fn tell(&mut self, configuration: &Configuration, score: Option<Merit>);

    /// Configurations that it proposes before it waits.
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
