//! Values of parameters: integers, reals, texts and booleans.

use serde::{Deserialize, Serialize};

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
// serde takes the first variant that fits: an integer also fits a real.
#[serde(untagged)]
pub enum ParameterValue {
    /// An integer.
    Integer(i64),
    /// A number with a fraction or an exponent.
    Real(f64),
    /// A text.
    Text(String),
    /// `True` or `False`. Arithmetic reads it as 1 or 0.
    Boolean(bool),
}

impl ParameterValue {
    /// Returns the number, or none for a text.
    pub fn number(&self) -> Option<f64> {
        match *self {
            ParameterValue::Integer(integer) => Some(integer as f64),
            ParameterValue::Real(real) => Some(real),
            ParameterValue::Boolean(is_true) => Some(f64::from(is_true)),
            ParameterValue::Text(_) => None,
        }
    }
}

/// A parameter: a name and the values that it can have, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The name, unique in a space.
    pub name: String,
    /// The values, at least one, each once. They are all numbers or all texts.
    pub values: Vec<ParameterValue>,
}
