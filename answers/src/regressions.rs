//! Regressions: problems that became slower after an update of a compiler, driver or generator.
//! `wavetune regressions` and the service print them.

use configgen::{Clock, Configuration, Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use store::Unreadable;

use crate::foreign_schema;

/// A problem whose best time became longer with another version of a compiler, a driver or a
/// generator.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Regression {
    /// The problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The instruction set that the kernels were built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// The name of the device that ran the kernels.
    pub device: String,
    /// The generator of the kernels.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The clock of both times. Modelled times are compared only within one version of the model.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// `after.time_us / before.time_us`.
    pub factor: f64,
    /// The lower end of the factor's confidence interval, above 1. Equals the factor if times
    /// repeat exactly.
    pub low: f64,
    /// The upper end of the factor's confidence interval.
    pub high: f64,
    /// `true` if both versions have the same best configuration. If not, the newer study may have
    /// tried too few.
    pub same_configuration: bool,
    /// The last versions with the shorter time.
    pub before: Version,
    /// The versions that follow.
    pub after: Version,
}

/// A set of versions, and the best time with them.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Version {
    /// The device's driver, or the emulator, with its version.
    pub driver: String,
    /// The compiler.
    pub compiler: String,
    /// The version of the compiler.
    pub compiler_version: String,
    /// The version of the generator.
    pub generator_version: String,
    /// The time of the best configuration in microseconds.
    pub time_us: f64,
    /// The number of samples that the time is computed from.
    pub samples: usize,
    /// The best configuration.
    #[schemars(with = "foreign_schema::Configuration")]
    pub configuration: Configuration,
    /// The end of its trial: RFC 3339, UTC.
    pub when: String,
}

/// All regressions.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Regressions {
    /// The regressions, the largest factor first.
    pub regressions: Vec<Regression>,
    /// The rows that this build cannot read; absent if there are none.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}
