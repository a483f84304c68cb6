//! The integration tests of lookup, with a module for each suite.

#[macro_use]
extern crate testing;

mod asked;
mod constants;
mod iree_spec;
mod known;
mod ladder;
mod merging;
mod near;
mod pairs;
mod ranges;
mod rankings;
mod rungs;
mod schemas;
mod tables;
mod tuned;

use std::process::ExitCode;

use testing::Suite;

/// The suites with tests that depend on the machine.
const SUITES: &[Suite] = &[("iree_spec", iree_spec::trials)];

fn main() -> ExitCode {
    testing::run(SUITES)
}
