//! The integration tests of store/postgres, with a module for each suite.

mod store;

use std::process::ExitCode;

use testing::Suite;

/// The suites with tests that depend on the machine.
const SUITES: &[Suite] = &[("store", store::trials)];

fn main() -> ExitCode {
    testing::run(SUITES)
}
