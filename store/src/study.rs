//! Studies: what identifies a search, and with it every number that the search makes.

use configgen::{Clock, Generator, Problem, Target};

/// What made a number, beside problem, device and generator. None of the texts may be empty.
///
/// Numbers with different provenance are different numbers, however alike the rest is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Provenance {
    /// How samples are taken, such as the state of the caches: `cold`, `warm`.
    pub timing: String,
    /// The driver that ran the kernels, or the emulator, with its version.
    pub driver: String,
    /// The compiler that made the code objects.
    pub compiler: String,
    /// Its version.
    pub compiler_version: String,
    /// Version of the generator that made what the compiler was given.
    pub generator_version: String,
}

/// The identity of a study. Opening a study with an equal key resumes it.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyKey {
    /// What is computed.
    pub problem: Problem,
    /// The ISA.
    pub target: &'static Target,
    /// The device's name, such as `emulated:mi300x`.
    pub device: String,
    /// Who makes the kernels.
    pub generator: Generator,
    /// Whose time is told.
    pub clock: Clock,
    /// What else made the numbers.
    pub provenance: Provenance,
    /// What decides, with the seed and the results, which trial is which: the strategy's name, and what tells one version of the
    /// space that it searches from another.
    pub strategy: String,
    /// The strategy's seed.
    pub seed: u64,
}

/// An open study: a handle for recording and reading its trials.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// Its row in the database.
    pub(crate) id: i64,
    /// Its identity.
    pub key: StudyKey,
    /// Least time in microseconds that any kernel needs on the device; none where no figures are published.
    pub bound_us: Option<f64>,
    /// Trials that were recorded before it was opened; 0 for a new one.
    pub recorded: u64,
}
