//! The integration tests of c: a module each suite.

#[macro_use]
extern crate testing;

mod header;
mod programs;
mod python;
mod support;

use std::process::ExitCode;

use testing::Suite;

/// Suites whose tests depend on the machine.
const SUITES: &[Suite] = &[("programs", programs::trials), ("python", python::trials)];

fn main() -> ExitCode {
    testing::run(SUITES)
}
