//! The integration tests of xtask: a module for each suite.

mod calibration;
mod one_pass;
mod release;
mod tidy;
