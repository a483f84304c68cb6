//! Search: spaces of parameters, recorded spaces, strategies and replays.
//!
//! - [`strategy`] decides which configuration is next. A strategy sees a
//!   [`SearchSpace`](space::SearchSpace): ranks with neighbours and features.
//! - [`surrogate`] is the model of some strategies.
//! - [`parameters`] reads T1 files and enumerates their spaces.
//! - [`recorded_space`] reads the trials of other tuners; [`replay`] searches them.
//!
//! This crate knows no problem, no generator and no device.

pub mod listed_space;
pub mod parameters;
pub mod recorded_space;
pub mod replay;
pub mod space;
pub mod strategy;
pub mod surrogate;
