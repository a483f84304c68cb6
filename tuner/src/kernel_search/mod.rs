//! Searches of a generator's space: strategies number configurations, and a study names them.

use std::sync::Arc;

use configgen::scalars::{Value, scalars};
use configgen::{Configuration, Device, Generator, Problem, Space};
use lookup::Merit;
use prediction::{FEATURES, TimeModel, kernel_features, shortest};
use search::space::SearchSpace;
use search::strategy::{STUDY_BATCH, Search, SearchSetup, Strategy};

/// A running search of a generator's space.
pub(crate) struct KernelSearch {
    space: Arc<Space>,
    search: Box<dyn Search>,
    /// The configuration of the first proposal, until it has a result.
    known: Option<Configuration>,
    /// True once the known configuration was proposed.
    is_known_proposed: bool,
    /// The configuration that the caller tries first.
    default: Option<Configuration>,
}

impl KernelSearch {
    /// Starts a search of `space`. The caller tries `default` first. The first proposal is
    /// `known`, a configuration that lookups served before; it differs from the default.
    pub(crate) fn new(
        strategy: Strategy,
        space: &Arc<Space>,
        context: &KernelContext,
        seed: u64,
        default: Option<&Configuration>,
        known: Option<&Configuration>,
    ) -> KernelSearch {
        let rank = |one: &Configuration| space.rank_of(one);
        let setup = SearchSetup {
            seed,
            default: default.and_then(rank),
            known: known.and_then(rank),
            batch: STUDY_BATCH,
        };
        let ranked: Arc<dyn SearchSpace> = Arc::new(KernelSpace {
            space: Arc::clone(space),
            context: context.clone(),
        });
        KernelSearch {
            known: known.cloned(),
            default: default.cloned(),
            ..KernelSearch::of(space, strategy.search(&ranked, setup))
        }
    }

    /// Creates the search of configurations that `search` does by rank.
    pub(crate) fn of(space: &Arc<Space>, search: Box<dyn Search>) -> KernelSearch {
        KernelSearch {
            space: Arc::clone(space),
            search,
            known: None,
            is_known_proposed: false,
            default: None,
        }
    }

    /// Returns up to `count` configurations to try next; see [`Search::ask`].
    ///
    /// The known configuration is alone: other proposals wait for its result. A study with a
    /// third trial therefore has the second one, and a resumed study finds the known
    /// configuration there.
    pub(crate) fn ask(&mut self, count: usize) -> Vec<Configuration> {
        if let Some(known) = &self.known {
            let is_new = !std::mem::replace(&mut self.is_known_proposed, true);
            return is_new.then(|| known.clone()).into_iter().collect();
        }
        let ranks = self.search.ask(count).into_iter();
        ranks.filter_map(|rank| self.space.nth(rank)).collect()
    }

    /// Records the score of a trial; see [`Search::tell`].
    pub(crate) fn tell(&mut self, configuration: &Configuration, score: Option<Merit>) {
        // Another process may have tried another configuration in place of the known one.
        if self.default.as_ref() != Some(configuration) {
            self.known = None;
        }
        // The default and the known configuration may lie outside of the space.
        if let Some(rank) = self.space.rank_of(configuration) {
            self.search.tell(rank, score);
        }
    }

    /// Returns whether the next proposals depend on all results.
    pub(crate) fn begins_generation(&self) -> bool {
        self.known.is_none() && self.search.begins_generation()
    }

    /// Returns the gain that a model expects of the latest proposals; see
    /// [`Search::expected_gain`].
    pub(crate) fn expected_gain(&self) -> Option<f32> {
        self.search.expected_gain()
    }

    /// Returns the number of configurations that it proposes before it waits.
    pub(crate) fn generation(&self) -> usize {
        self.search.generation()
    }
}

/// The meaning of a space's configurations.
#[derive(Debug, Clone)]
pub(crate) struct KernelContext {
    pub(crate) problem: Problem,
    pub(crate) device: &'static Device,
    pub(crate) generator: Generator,
}

/// A generator's space, as strategies see it.
struct KernelSpace {
    space: Arc<Space>,
    context: KernelContext,
}

impl KernelSpace {
    fn kernel_features(&self, rank: u64) -> [f32; FEATURES] {
        let KernelContext {
            problem, device, ..
        } = &self.context;
        let configuration = self.space.nth(rank);
        configuration.map_or([0.0; FEATURES], |it| kernel_features(problem, device, &it))
    }

    /// Returns whether the time model knows the kernels.
    fn is_modelled(&self) -> bool {
        self.context.generator == Generator::NATIVE
    }
}

impl SearchSpace for KernelSpace {
    fn len(&self) -> u64 {
        self.space.len()
    }

    fn starts(&self) -> Vec<u64> {
        let mut starts = self.space.start_ranks();
        // Without a model, the estimates are equal.
        starts.sort_by(|one, other| self.estimate(*one).total_cmp(&self.estimate(*other)));
        starts
    }

    fn neighbours(&self, rank: u64) -> Vec<u64> {
        let Some(configuration) = self.space.nth(rank) else {
            return Vec::new();
        };
        let neighbours = self.space.neighbours(&configuration);
        neighbours
            .iter()
            .filter_map(|one| self.space.rank_of(one))
            .collect()
    }

    fn sample_ranks(&self, seed: u64) -> Box<dyn Iterator<Item = u64> + Send> {
        Box::new(self.space.sample_ranks(seed))
    }

    fn features(&self, rank: u64) -> Vec<f32> {
        let configuration = self.space.nth(rank);
        let scalars = configuration.as_ref().map(scalars).unwrap_or_default();
        let scalars = scalars.iter().map(|(_, value)| feature(value));
        scalars.chain(self.kernel_features(rank)).collect()
    }

    fn estimate(&self, rank: u64) -> f32 {
        match self.is_modelled() {
            true => TimeModel::stored().log_time(&self.kernel_features(rank)),
            false => 0.0,
        }
    }

    fn shortest_estimates(&self) -> Vec<u64> {
        match self.is_modelled() {
            true => shortest(&self.space, &self.context.problem, self.context.device),
            false => Vec::new(),
        }
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
mod modelled_trials;
#[cfg(test)]
mod predictions;
#[cfg(test)]
mod quality;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod training;
