//! Random numbers of simulations.

use configgen::seeded_random::{Random, below};

/// Draws uniformly from [0, 1).
pub(crate) fn uniform(random: &mut Random) -> f64 {
    below(random, 1 << 53) as f64 / (1u64 << 53) as f64
}

/// Draws a normal number with mean 0 and standard deviation 1 (Box and Muller).
pub(crate) fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(random)).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(random)).cos()
}

/// Returns true with this probability.
pub(crate) fn chance(random: &mut Random, probability: f64) -> bool {
    uniform(random) < probability
}
