//! The output of `wavetune space --count`. `--sample` and `--list` print configurations.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// The size of a space.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Count {
    /// The number of legal configurations of the problem.
    pub configurations: u64,
    /// The duration of the count on this machine in seconds.
    pub seconds: f64,
}

/// The size of a space of parameters, from a T1 file.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ParameterSpaceCount {
    /// The number of valid configurations.
    pub configurations: u64,
    /// The checksum in decimal digits, or null if a value is no integer. It is the sum, modulo
    /// 2^64, of the FNV-1a hash of each configuration, over whole values in the order of the file.
    pub checksum: Option<String>,
    /// The duration of the count and of the checksum on this machine in seconds.
    pub seconds: f64,
}

/// A value of a parameter. It serializes as a number, a text or a boolean.
#[derive(Clone, Serialize)]
#[serde(untagged)]
pub enum ConfigurationValue {
    /// An integer.
    Integer(i64),
    /// A number with a fraction or an exponent.
    Real(f64),
    /// A text.
    Text(String),
    /// A boolean.
    Boolean(bool),
}

/// A configuration of a space of parameters. It serializes as an object with a value for each
/// parameter's name.
pub struct ParameterConfiguration(pub Vec<(String, ConfigurationValue)>);

impl Serialize for ParameterConfiguration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A list keeps the order of the file, unlike a map.
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl JsonSchema for ParameterConfiguration {
    fn schema_name() -> Cow<'static, str> {
        "ParameterConfiguration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The value of each parameter by its name.",
            "type": "object",
            "additionalProperties": { "type": ["number", "string", "boolean"] },
        })
    }
}
