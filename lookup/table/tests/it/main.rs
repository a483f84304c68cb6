//! The integration tests of table: a module each suite.

#[macro_use]
extern crate testing;

mod readers;
mod table;

use std::process::ExitCode;

use testing::Suite;

/// Suites whose tests depend on the machine.
const SUITES: &[Suite] = &[("readers", readers::trials)];

fn main() -> ExitCode {
    testing::run(SUITES)
}
