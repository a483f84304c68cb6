//! The integration tests of fleet: one module per suite.

#[macro_use]
extern crate testing;

mod fleet;
mod lost_queue;

use std::process::ExitCode;

use testing::Suite;

/// Suites with tests that depend on the machine.
const SUITES: &[Suite] = &[("lost_queue", lost_queue::trials)];

fn main() -> ExitCode {
    testing::run(SUITES)
}
