//! The integration tests of xtask: a module for each suite.

mod calibration;
mod release;
mod tidy;
