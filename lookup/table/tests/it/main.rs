//! The integration tests of lookup/table, with a module for each suite.

#[macro_use]
extern crate testing;

mod readers;
mod table;

use std::process::ExitCode;

use testing::Suite;

/// The suites with tests that depend on the machine.
const SUITES: &[Suite] = &[("readers", readers::trials)];

fn main() -> ExitCode {
    testing::run(SUITES)
}
