//! Spaces of parameters: values, conditions, and the enumeration of all valid configurations.
//!
//! A [`ParameterSpace`] comes from a T1 file. Its [`Enumeration`] constructs the valid
//! configurations one parameter at a time, and never generates a configuration that it drops.

mod checksum;
mod enumeration;
mod expression;
mod mask_table;
mod t1;
mod value;

pub use checksum::Checksum;
pub use enumeration::{Configurations, Enumeration};
pub use expression::{Expression, ExpressionError, ExpressionStack};
pub use t1::{ParameterSpace, T1Error};
pub use value::{Parameter, ParameterValue};

/// The maximum number of values of a parameter.
const MAX_VALUES: usize = 1 << 16;

#[cfg(test)]
mod tests;
