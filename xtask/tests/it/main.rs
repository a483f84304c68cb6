//! The integration tests of xtask: a module each suite.

mod calibration;
mod release;
mod tidy;
