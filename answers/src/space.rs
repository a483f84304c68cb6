//! The output of `wavetune space --count`. `--sample` and `--list` print configurations.

use schemars::JsonSchema;
use serde::Serialize;

/// The size of a space.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Count {
    /// The number of legal configurations of the problem.
    pub configurations: u64,
    /// The duration of the count on this machine in seconds.
    pub seconds: f64,
}
