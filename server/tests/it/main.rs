//! The integration tests of server: one module per suite.

#[macro_use]
extern crate testing;

mod endpoints;
mod http;

use std::process::ExitCode;

use testing::Suite;

/// Suites with tests that depend on the machine.
const SUITES: &[Suite] = &[("endpoints", endpoints::trials)];

fn main() -> ExitCode {
    testing::run(SUITES)
}
