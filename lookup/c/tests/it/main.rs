//! The integration tests of lookup/c, with a module for each suite.

#[macro_use]
extern crate testing;

mod header;
mod programs;
mod python;
mod support;

use std::process::ExitCode;

use testing::Suite;

/// The suites with tests that depend on the machine.
const SUITES: &[Suite] = &[("programs", programs::trials), ("python", python::trials)];

fn main() -> ExitCode {
    testing::run(SUITES)
}
