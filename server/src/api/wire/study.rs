//! Schemas of studies of other databases.

use schemars::JsonSchema;

use super::batch::WantedTies;
use super::trial::{Moment, ToldTrial};

/// The full provenance of a time: everything that it depends on besides the problem and the
/// configuration. An empty text means none.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct FullProvenance {
    /// The instruction set.
    target: String,
    /// The device's name.
    device: String,
    /// A GPU's description of itself.
    part: Option<DevicePart>,
    /// The driver, or the emulator.
    driver: String,
    /// Its version.
    driver_version: String,
    /// Version of the runtime library above it.
    runtime_version: String,
    /// Version of the operating system's module below it.
    kernel_driver_version: String,
    /// Hash of the time model, if times are modelled.
    model: String,
    /// The compiler that made the code objects.
    compiler: String,
    /// Its version.
    compiler_version: String,
    /// The linker with its version, if it is a separate program.
    linker: String,
    /// The generator of the kernels.
    generator: String,
    /// Its version.
    generator_version: String,
    /// Seconds after which a compilation counts as hung.
    compile_limit_s: u32,
    /// The clock of the times.
    clock: TimeClock,
    /// The state of the caches before a launch: `cold` or `warm`.
    mode: String,
    /// Version of the sampling protocol; 0 if times repeat exactly.
    protocol: u32,
    /// Version of the inputs.
    inputs: u32,
}

/// The clock of times.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub(super) enum TimeClock {
    /// A GPU's events.
    Measured,
    /// The emulator's time model.
    Modelled,
}

/// A GPU as its runtime describes it.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct DevicePart {
    /// Its name.
    name: String,
    /// Its instruction set, with features.
    isa: String,
    /// Compute units, or workgroup processors.
    multiprocessors: u32,
    /// Peak clock in MHz.
    clock_mhz: u32,
    /// Memory in MiB.
    memory_mib: u64,
    /// Peak clock of the memory in MHz.
    memory_clock_mhz: u32,
    /// Width of the memory bus in bits.
    memory_bits: u32,
}

/// A study of another database, with some of its trials and finals.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct ImportedPortion {
    /// The study.
    key: ImportedKey,
    /// Least time that any kernel needs, in microseconds.
    bound_us: Option<f64>,
    /// The time at which it was first opened.
    first_opened: Moment,
    /// The time at which it was last opened.
    last_opened: Moment,
    /// Some of its trials.
    trials: Vec<ToldTrial>,
    /// Some of its finals.
    finals: Vec<ImportedFinals>,
}

/// The identity of a study.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct ImportedKey {
    /// The problem.
    problem: String,
    /// The provenance of its times.
    provenance: FullProvenance,
    /// Name of the strategy.
    strategy: String,
    /// Fingerprint of the searched space.
    space: String,
    /// The tie-break, if it decides the identity of trials.
    ties: Option<WantedTies>,
    /// The strategy's seed.
    seed: u64,
}

/// The decision of finals.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct ImportedFinals {
    /// Trials that the study had.
    trials: u32,
    /// Ordinal of the winner's trial.
    winner: u32,
    /// The tie-break.
    ties: WantedTies,
    /// Speedup of the best of the search over the default.
    speedup: f64,
    /// Confidence interval of the speedup.
    interval: (f64, f64),
    /// Every sample, as JSON.
    samples: String,
    /// The time of their end.
    ended: Moment,
}
