//! The integration tests of iree, with a module for each suite.

mod compiler;
mod spec;

use std::process::ExitCode;

use testing::Suite;

/// Suites with tests that depend on the machine.
const SUITES: &[Suite] = &[("compiler", compiler::trials), ("spec", spec::trials)];

fn main() -> ExitCode {
    testing::run(SUITES)
}
