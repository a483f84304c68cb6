//! The output of `wavetune try`.

use configgen::{Clock, Configuration, Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use store::{FailureKind, Status};

use crate::check::Legality;
use crate::foreign_schema;

/// The result of a trial of one configuration.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Attempt {
    /// The problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The instruction set that the kernel was built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// The name of the device that ran the kernel.
    pub device: String,
    /// The generator of the kernel.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The configuration.
    #[schemars(with = "foreign_schema::Configuration")]
    pub configuration: Configuration,
    /// The legality of the configuration. A study tries only legal ones.
    pub legality: Legality,
    /// The verdict.
    #[schemars(with = "foreign_schema::Status")]
    pub status: Status,
    /// The reason why there is no verdict; `null` if there is one.
    #[schemars(with = "Option<foreign_schema::FailureKind>")]
    pub failure: Option<FailureKind>,
    /// The first difference, or the text of the failure; `null` if there is neither.
    pub message: Option<String>,
    /// The largest error of the results, as a fraction of the allowed error: 0 if every result is
    /// exact, 1 at the limit. Only sums and products of floats have errors above 0. `null` if the
    /// verdict is not `right`, or if a result differs in the sign of a zero.
    pub error: Option<f64>,
    /// The clock of the times.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// The time of the kernel in microseconds; `null` if it has none.
    pub time_us: Option<f64>,
    /// The samples that the time is computed from, in microseconds.
    pub samples_us: Vec<f64>,
    /// The time of the build in milliseconds; `null` if nothing was built.
    pub compile_ms: Option<f64>,
    /// The modelled lower bound for any kernel of the problem on the device, in microseconds.
    pub bound_us: f64,
}
