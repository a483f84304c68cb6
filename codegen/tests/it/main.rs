//! The integration tests of codegen, with a module for each suite.

#[macro_use]
extern crate testing;

mod comparators;
mod native;
mod stages;

use std::process::ExitCode;

use testing::Suite;

/// Suites with tests that depend on the machine.
const SUITES: &[Suite] = &[
    ("comparators", comparators::trials),
    ("native", native::trials),
];

fn main() -> ExitCode {
    testing::run(SUITES)
}
