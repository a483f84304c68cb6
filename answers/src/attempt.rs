//! What `wavetune try` prints.

use configgen::{Clock, Configuration, Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use store::{FailureKind, Status};

use crate::check::Legality;
use crate::foreign_schema;

/// What came of one configuration.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Attempt {
    /// What is computed.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// What the kernel was built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// Name of the device that it was tried on.
    pub device: String,
    /// Who made the kernel.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The configuration.
    #[schemars(with = "foreign_schema::Configuration")]
    pub configuration: Configuration,
    /// Whether a study would try it.
    pub legality: Legality,
    /// The verdict.
    #[schemars(with = "foreign_schema::Status")]
    pub status: Status,
    /// Why there is none; none where there is one.
    #[schemars(with = "Option<foreign_schema::FailureKind>")]
    pub failure: Option<FailureKind>,
    /// The first difference, or the failure's own words; none where there is nothing to say.
    pub message: Option<String>,
    /// How far the farthest of its results was from the exact one, as a share of what is right: 0 where all of them are right to
    /// the bit, 1 where one is only just right. Only sums and products of floats have other errors than 0. None unless it is
    /// right, and of what is right but for the sign of a zero.
    pub error: Option<f64>,
    /// Whose time it is.
    #[schemars(with = "foreign_schema::Clock")]
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
