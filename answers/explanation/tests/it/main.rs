//! The integration tests of explanation: one module per suite.

#[macro_use]
extern crate testing;

mod explains;
mod kernels;

use std::process::ExitCode;

use testing::Suite;

/// The suites whose tests depend on the machine.
const SUITES: &[Suite] = &[("kernels", kernels::trials)];

fn main() -> ExitCode {
    testing::run(SUITES)
}
