//! Search spaces, as strategies see them: numbered configurations with neighbours and features.

/// A finite set of configurations. The *rank* of a configuration is its number, from 0.
pub trait SearchSpace: Send + Sync {
    /// Returns the number of configurations.
    fn len(&self) -> u64;

    /// Returns whether there is no configuration.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns ranks that a search should try early, the most promising first.
    fn starts(&self) -> Vec<u64>;

    /// Returns the ranks of the configurations one step away from `rank`.
    fn neighbours(&self, rank: u64) -> Vec<u64>;

    /// Returns all ranks in the random order of a seed.
    fn sample_ranks(&self, seed: u64) -> Box<dyn Iterator<Item = u64> + Send>;

    /// Returns the coordinates of a configuration for a surrogate model. All configurations of a
    /// space have as many.
    fn features(&self, rank: u64) -> Vec<f32>;

    /// Returns a logarithm of time that was estimated before any trial of the space, or 0. A
    /// surrogate model learns the difference from it.
    fn estimate(&self, _rank: u64) -> f32 {
        0.0
    }

    /// Returns ranks with the shortest estimated times, the shortest first. There are none
    /// without an estimate.
    fn shortest_estimates(&self) -> Vec<u64> {
        Vec::new()
    }
}
