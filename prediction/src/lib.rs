//! Predictions: estimated times of native kernels, and the best configuration of a problem that
//! nobody tuned.
//!
//! - [`TimeModel`] estimates the logarithm of a kernel's time from its [features](kernel_features).
//! - [`shortest`] ranks the configurations of a space by their estimates.
//! - [`ReductionRule`] is a decision list for all shapes of an operation.
//! - [`predict`] returns the first choice for a problem, with its expected time and an interval.
//!
//! The model knows no problem by name, so it also ranks the space of a new one. It may fail outside
//! of the families of its training. [`TimeModel::knows`] tells them apart, and a search keeps other
//! starts.
//!
//! # Invariants
//!
//! - A prediction is legal for its problem.
//! - There is no prediction for a problem outside of the families of the training.

mod boosted_trees;
mod kernel_features;
mod pick;
mod ranking;
mod rule;
mod time_model;

pub use boosted_trees::BoostedTrees;
pub use kernel_features::{FEATURES, kernel_features};
pub use pick::{FirstChoice, Prediction, predict};
pub use ranking::{shortest, shortest_by};
pub use rule::{Recipe, ReductionRule, RuleCondition, RuleRow, RuleShape, UnknownOperation};
pub use time_model::{STORED_MODEL, TRAINING_PROBLEMS, TimeModel};

#[cfg(test)]
mod tests;
