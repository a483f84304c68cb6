//! What `wavetune space --count` prints. `--sample` and `--list` print configurations.

use schemars::JsonSchema;
use serde::Serialize;

/// The size of a space.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Count {
    /// Legal configurations of the problem.
    pub configurations: u64,
    /// Seconds that counting them took on this machine.
    pub seconds: f64,
}
