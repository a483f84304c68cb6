//! Regressions: what was faster before something was replaced, as `wavetune regressions` and the service tell it.

use configgen::{Clock, Configuration, Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use store::Unreadable;

use crate::foreign_schema;

/// A problem whose best became slower when a compiler, a driver or a generator was replaced.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Regression {
    /// What is computed.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// What it was built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// Name of the device that it was tried on.
    pub device: String,
    /// Who makes the kernel.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// Whose times these are: those of one clock are compared, and where it is modelled those of one model.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// `after.time_us / before.time_us`.
    pub factor: f64,
    /// The lower end of the factor's interval, which is above 1; where times repeat exactly it is the factor.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Whether both have the same configuration. Where they have not, the newer study may have tried too little.
    pub same_configuration: bool,
    /// The last versions with which it was faster.
    pub before: Version,
    /// Those that follow.
    pub after: Version,
}

/// The versions that made a number, and the number.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Version {
    /// The device's driver, or the emulator, with its version.
    pub driver: String,
    /// The compiler.
    pub compiler: String,
    /// Its version.
    pub compiler_version: String,
    /// Version of the generator.
    pub generator_version: String,
    /// Time of the best configuration in microseconds.
    pub time_us: f64,
    /// Number of samples that it was taken from.
    pub samples: usize,
    /// The best configuration.
    #[schemars(with = "foreign_schema::Configuration")]
    pub configuration: Configuration,
    /// When its trial ended: RFC 3339, UTC.
    pub when: String,
}

/// All that became slower.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Regressions {
    /// The worst first.
    pub regressions: Vec<Regression>,
    /// What is known and cannot be read; left out where there is nothing.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}
