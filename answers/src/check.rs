//! The output of `wavetune check`.

use schemars::JsonSchema;
use serde::Serialize;

/// The legality of a configuration.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Legality {
    /// `true` if the configuration is legal.
    pub legal: bool,
    /// The broken rule; absent if none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The reason, with the numbers; absent if no rule is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}
