//! The integration tests of hip-library, with a module for each suite.

#[macro_use]
extern crate testing;

mod calls;
mod iree;
mod names;
mod programs;
mod random;

use std::process::ExitCode;

use testing::Suite;

/// Suites with tests that depend on the machine.
const SUITES: &[Suite] = &[("iree", iree::trials), ("programs", programs::trials)];

fn main() -> ExitCode {
    testing::run(SUITES)
}
