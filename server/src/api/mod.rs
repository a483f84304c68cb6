//! The HTTP API, version 1: a file for each resource, with a handler for each address.

pub(crate) mod agents;
pub(crate) mod best;
pub(crate) mod builds;
pub(crate) mod configurations;
pub(crate) mod description;
pub(crate) mod devices;
pub(crate) mod events;
pub(crate) mod explanations;
pub(crate) mod exports;
pub(crate) mod health;
pub(crate) mod imports;
pub(crate) mod kernels;
pub(crate) mod leases;
pub(crate) mod problem_check;
pub(crate) mod problems;
pub(crate) mod records;
pub(crate) mod regressions;
pub(crate) mod report;
pub(crate) mod status;
pub(crate) mod studies;
pub(crate) mod study_upkeep;
pub(crate) mod trial_columns;
pub(crate) mod trials;
pub(crate) mod tuned_configurations;
pub(crate) mod wire;
pub(crate) mod wishes;
