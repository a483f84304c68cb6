//! The integration tests of postgres: a module each suite.

mod store;

use std::process::ExitCode;

use testing::Suite;

/// Suites whose tests depend on the machine.
const SUITES: &[Suite] = &[("store", store::trials)];

fn main() -> ExitCode {
    testing::run(SUITES)
}
