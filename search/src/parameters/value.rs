//! Values of parameters: integers, reals, texts and booleans.

use serde::{Deserialize, Serialize};

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// An integer.
    Integer(i64),
    /// A number with a fraction or an exponent.
    Real(f64),
    /// A text.
    Text(String),
    /// `True` or `False`. Arithmetic reads it as 1 or 0.
    Boolean(bool),
}

impl Value {
    /// Returns the number, or none for a text.
    pub fn number(&self) -> Option<f64> {
        match *self {
            Value::Integer(integer) => Some(integer as f64),
            Value::Real(real) => Some(real),
            Value::Boolean(is_true) => Some(f64::from(is_true)),
            Value::Text(_) => None,
        }
    }
}

/// A parameter: a name and the values that it can have, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The name, unique in a space.
    pub name: String,
    /// The values, at least one, each once. They are all numbers or all texts.
    pub values: Vec<Value>,
}
