//! The integration tests of store/sqlite, with a module for each suite.

#[macro_use]
extern crate testing;

mod contract;
mod processes;
mod store;

use std::process::ExitCode;

use testing::Suite;

/// The suites with tests that depend on the machine.
const SUITES: &[Suite] = &[
    ("contract", contract::trials),
    ("processes", processes::trials),
];

fn main() -> ExitCode {
    if let Some(code) = processes::part() {
        return code;
    }
    testing::run(SUITES)
}
