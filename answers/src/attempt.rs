//! What `wavetune try` prints.

use configgen::{Clock, Configuration, Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use store::{FailureKind, Status};

use crate::check::Legality;
use crate::words;

/// What came of one configuration.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Attempt {
    /// What is computed.
    #[schemars(with = "words::Problem")]
    pub problem: Problem,
    /// What the kernel was built for.
    #[schemars(with = "words::Target")]
    pub target: &'static str,
    /// Name of the device that it was tried on.
    pub device: String,
    /// Who made the kernel.
    #[schemars(with = "words::Generator")]
    pub generator: Generator,
    /// The configuration.
    #[schemars(with = "words::Configuration")]
    pub configuration: Configuration,
    /// Whether a study would try it.
    pub legality: Legality,
    /// The verdict.
    #[schemars(with = "words::Status")]
    pub status: Status,
    /// Why there is none; none where there is one.
    #[schemars(with = "Option<words::FailureKind>")]
    pub failure: Option<FailureKind>,
    /// The first difference, or the failure's own words; none where there is nothing to say.
    pub message: Option<String>,
    /// Whose time it is.
    #[schemars(with = "words::Clock")]
    pub clock: Clock,
    /// Its time in microseconds; none where it has none.
    pub time_us: Option<f64>,
    /// The times that it was taken from.
    pub samples_us: Vec<f64>,
    /// What building took, in milliseconds; none where nothing was built.
    pub compile_ms: Option<f64>,
    /// The least time in microseconds that the model gives any kernel of the problem on the device.
    pub bound_us: f64,
}
