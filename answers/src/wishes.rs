//! What `wavetune wishes` prints: a line for each wish.

use configgen::{Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;

use crate::words;

/// What was asked for and not found.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Wish {
    /// The problem.
    #[schemars(with = "words::Problem")]
    pub problem: Problem,
    /// The target.
    #[schemars(with = "words::Target")]
    pub target: &'static str,
    /// The device that was insisted on; none where any would do.
    pub device: Option<String>,
    /// The generator that was insisted on; none where any would do.
    #[schemars(with = "Option<words::Generator>")]
    pub generator: Option<Generator>,
    /// How often it was asked for.
    pub count: u64,
    /// When it was asked for first: RFC 3339, UTC.
    pub first: String,
    /// When it was asked for last: RFC 3339, UTC.
    pub last: String,
}
