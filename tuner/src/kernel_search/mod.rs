//! Searches of a generator's space: strategies number configurations, and a study names them.

use std::sync::Arc;

use configgen::scalars::{Value, scalars};
use configgen::{Configuration, Space};
use lookup::Merit;
use search::space::SearchSpace;
use search::strategy::{STUDY_BATCH, Search, SearchSetup, Strategy};

/// A running search of a generator's space.
pub(crate) struct KernelSearch {
    space: Arc<Space>,
    search: Box<dyn Search>,
}

impl KernelSearch {
    /// Starts a search of `space`. The caller tries `default` first.
    pub(crate) fn new(
        strategy: Strategy,
        space: &Arc<Space>,
        seed: u64,
        default: Option<&Configuration>,
    ) -> KernelSearch {
        let setup = SearchSetup {
            seed,
            default: default.and_then(|default| space.rank_of(default)),
            batch: STUDY_BATCH,
        };
        let ranked: Arc<dyn SearchSpace> = Arc::new(KernelSpace(Arc::clone(space)));
        KernelSearch::of(space, strategy.search(&ranked, setup))
    }

    /// Creates the search of configurations that `search` does by rank.
    pub(crate) fn of(space: &Arc<Space>, search: Box<dyn Search>) -> KernelSearch {
        KernelSearch {
            space: Arc::clone(space),
            search,
        }
    }

    /// Returns up to `count` configurations to try next; see [`Search::ask`].
    pub(crate) fn ask(&mut self, count: usize) -> Vec<Configuration> {
        let ranks = self.search.ask(count).into_iter();
        ranks.filter_map(|rank| self.space.nth(rank)).collect()
    }

    /// Records the score of a trial; see [`Search::tell`].
    pub(crate) fn tell(&mut self, configuration: &Configuration, score: Option<Merit>) {
        // The default may lie outside of the space.
        if let Some(rank) = self.space.rank_of(configuration) {
            self.search.tell(rank, score);
        }
    }

    /// Returns the number of configurations that it proposes before it waits.
    pub(crate) fn generation(&self) -> usize {
        self.search.generation()
    }
}

/// A generator's space, as strategies see it.
struct KernelSpace(Arc<Space>);

impl SearchSpace for KernelSpace {
    fn len(&self) -> u64 {
        self.0.len()
    }

    fn starts(&self) -> Vec<u64> {
        self.0.start_ranks()
    }

    fn neighbours(&self, rank: u64) -> Vec<u64> {
        let Some(configuration) = self.0.nth(rank) else {
            return Vec::new();
        };
        let neighbours = self.0.neighbours(&configuration);
        neighbours
            .iter()
            .filter_map(|one| self.0.rank_of(one))
            .collect()
    }

    fn sample_ranks(&self, seed: u64) -> Box<dyn Iterator<Item = u64> + Send> {
        Box::new(self.0.sample_ranks(seed))
    }

    fn features(&self, rank: u64) -> Vec<f32> {
        let configuration = self.0.nth(rank);
        let scalars = configuration.as_ref().map(scalars).unwrap_or_default();
        scalars.iter().map(|(_, value)| feature(value)).collect()
    }
}

/// Returns the coordinate of a scalar.
fn feature(value: &Value) -> f32 {
    match value {
        // Sizes matter by their ratios.
        Value::Number(number) => (1.0f32 + *number as f32).log2(),
        Value::Switch(is_on) => f32::from(u8::from(*is_on)),
        // A tree separates the few words of a knob by any number that differs between them.
        Value::Word(word) => word.bytes().map(f32::from).sum(),
        Value::Order(mapping) => mapping
            .iter()
            .fold(0.0, |sum, &one| 8.0 * sum + f32::from(one)),
    }
}

#[cfg(test)]
mod tests;
