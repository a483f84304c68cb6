//! The integration tests of lookup, with a module for each suite.

#[macro_use]
extern crate testing;

mod asked;
mod constants;
mod known;
mod ladder;
mod merging;
mod near;
mod pairs;
mod rankings;
mod rungs;
mod schemas;
mod tables;
mod tuned;

use std::process::ExitCode;

fn main() -> ExitCode {
    testing::run(&[])
}
