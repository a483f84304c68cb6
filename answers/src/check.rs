//! What `wavetune check` prints.

use schemars::JsonSchema;
use serde::Serialize;

/// Whether a configuration is legal.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Legality {
    /// Whether it is.
    pub legal: bool,
    /// The rule that is broken; left out where none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why, with the numbers; left out where none is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}
