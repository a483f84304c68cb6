//! Strategies: the order in which a search tries the configurations of a space.
//!
//! A strategy's proposals depend on the space, the seed, the default and the results of earlier
//! proposals. They do not depend on the budget, the number of workers or the order in which
//! workers finish. A resumed study therefore continues from the same state, with any budget.
//!
//! A strategy that looks at results works in generations. It proposes the next generation after
//! the results of all earlier ones.

mod annealing;
mod auto_search;
mod evolution;
mod fixed_order;
mod forest_search;
mod generation;
mod grey_wolf;
mod model_guide;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use annealing::AnnealingSearch;
use auto_search::AutoSearch;
use evolution::Evolution;
use fixed_order::FixedOrder;
use forest_search::ForestSearch;
use generation::GenerationSearch;
use grey_wolf::GreyWolf;
use lookup::Merit;
use serde::{Deserialize, Serialize};

use crate::space::SearchSpace;

/// The strategy of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// The space in its own order.
    Exhaustive,
    /// Uniform random order, without repetition.
    Random,
    /// Generations of neighbours of the best so far, with some at random, without repetition.
    Evolution,
    /// Simulated annealing: walks to neighbours that accept a worse one less and less often.
    Annealing,
    /// Grey wolves with a tabu list: recombines the three best, with more randomness as the search
    /// stagnates.
    GreyWolf,
    /// The largest expected improvement by a forest, over the whole space.
    Forest,
    /// The shortest estimates first; then a forest's expected improvement, the predicted best
    /// neighbours and grey wolves by turns.
    #[default]
    Auto,
}

/// The setup of a search.
#[derive(Debug, Clone, Copy)]
pub struct SearchSetup {
    /// The seed of all random choices.
    pub seed: u64,
    /// The rank that the caller tries first.
    pub default: Option<u64>,
    /// A known good rank that the caller tries next. It differs from the default.
    pub known: Option<u64>,
    /// The number of proposals between two waits for results. Evolution has its own.
    pub batch: usize,
}

/// The batch of a study: enough for several agents, and for a compiler that builds many at once.
pub const STUDY_BATCH: usize = 8;

impl SearchSetup {
    /// Iterates over the ranks that the caller tries itself.
    fn tried_by_caller(&self) -> impl Iterator<Item = u64> + use<> {
        self.default.into_iter().chain(self.known)
    }
}

impl Strategy {
    /// All strategies. With a sufficient budget, each tries the whole space.
    pub const ALL: [Strategy; 7] = [
        Self::Exhaustive,
        Self::Random,
        Self::Evolution,
        Self::Annealing,
        Self::GreyWolf,
        Self::Forest,
        Self::Auto,
    ];

    /// Returns the name on the command line and in the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exhaustive => "exhaustive",
            Self::Random => "random",
            Self::Evolution => "evolution",
            Self::Annealing => "annealing",
            Self::GreyWolf => "grey-wolf",
            Self::Forest => "forest",
            Self::Auto => "auto",
        }
    }

    /// Returns true if the order depends on results.
    pub fn looks_at_results(self) -> bool {
        !matches!(self, Self::Exhaustive | Self::Random)
    }

    /// Starts a search of `space`.
    pub fn search(self, space: &Arc<dyn SearchSpace>, setup: SearchSetup) -> Box<dyn Search> {
        let seed = setup.seed;
        let all = 0..space.len();
        match self {
            Self::Exhaustive => Box::new(FixedOrder::new(Box::new(all), setup)),
            Self::Random => Box::new(FixedOrder::new(space.sample_ranks(seed), setup)),
            Self::Evolution => Box::new(GenerationSearch::new(Evolution::new(seed), space, setup)),
            Self::Annealing => Box::new(GenerationSearch::new(
                AnnealingSearch::new(setup),
                space,
                setup,
            )),
            Self::GreyWolf => Box::new(GenerationSearch::new(GreyWolf::new(setup), space, setup)),
            Self::Forest => Box::new(GenerationSearch::new(
                ForestSearch::new(setup),
                space,
                setup,
            )),
            Self::Auto => Box::new(GenerationSearch::new(AutoSearch::new(setup), space, setup)),
        }
    }
}

/// A running search of a space.
pub trait Search: Send {
    /// Returns up to `count` ranks to try next, each proposed only once. Empty while the search
    /// waits for results, or after it has proposed all.
    fn ask(&mut self, count: usize) -> Vec<u64>;

    /// Records the score of a trial, `None` if it cannot be served. The order of the calls does
    /// not matter; there is one per trial.
    fn tell(&mut self, rank: u64, score: Option<Merit>);

    /// Returns the number of configurations that it proposes before it waits.
    fn generation(&self) -> usize;

    /// Returns whether the next proposals begin a generation, so that they depend on all results.
    fn begins_generation(&self) -> bool {
        true
    }

    /// Returns the gain over the best that a model expects of the latest generation, as a share of
    /// the best time. `None` without a model.
    fn expected_gain(&self) -> Option<f32> {
        None
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
