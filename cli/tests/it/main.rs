//! The integration tests of cli: a module for each suite.

#[macro_use]
extern crate testing;

mod book;
mod comparators;
mod crowd;
mod dashboard;
mod emulate;
mod emulated;
mod export;
mod fleet;
mod help;
mod hip;
mod iree;
mod iree_kernels;
mod iree_rows;
mod iree_table;
mod known;
mod llvm_process;
mod load;
mod log;
mod merge;
mod models;
mod neighbours;
mod offline;
mod operations;
mod poisoned;
mod postgres;
mod profile;
mod records;
mod replays;
mod rules;
mod sandbox;
mod support;
mod systemd;
mod tables;
mod tls;
mod token;
#[cfg(feature = "opentelemetry")]
mod traces;
mod tuning;
mod tutorials;
mod types;
mod unread;
mod wishes;

use std::process::ExitCode;

use testing::Suite;

/// Suites with tests that depend on the machine.
const SUITES: &[Suite] = &[
    ("dashboard", dashboard::trials),
    ("emulated", emulated::trials),
    ("export", export::trials),
    ("fleet", fleet::trials),
    ("hip", hip::trials),
    ("iree", iree::trials),
    ("iree_kernels", iree_kernels::trials),
    ("iree_rows", iree_rows::trials),
    ("llvm_process", llvm_process::trials),
    ("load", load::trials),
    ("models", models::trials),
    ("neighbours", neighbours::trials),
    ("postgres", postgres::trials),
    ("profile", profile::trials),
    ("sandbox", sandbox::trials),
    ("systemd", systemd::trials),
    ("tuning", tuning::trials),
    ("tutorials", tutorials::trials),
    ("types", types::trials),
];

fn main() -> ExitCode {
    testing::run(SUITES)
}
