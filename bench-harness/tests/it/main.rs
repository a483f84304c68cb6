//! The integration tests of bench-harness: one module per suite.

#[macro_use]
extern crate testing;

mod bound;
mod calibration;
mod costs;
mod defaults;
mod handwritten;
mod iree;
mod iree_campaign;
mod iree_targets;
mod modelling;
mod native;
mod options;
mod programs;
mod sampling;
mod shapes;
mod timing;
mod tried;

use std::process::ExitCode;

use testing::Suite;

/// The suites that depend on the machine.
const SUITES: &[Suite] = &[
    ("bound", bound::trials),
    ("calibration", calibration::trials),
    ("costs", costs::trials),
    ("defaults", defaults::trials),
    ("handwritten", handwritten::trials),
    ("iree", iree::trials),
    ("iree_campaign", iree_campaign::trials),
    ("iree_targets", iree_targets::trials),
    ("modelling", modelling::trials),
    ("native", native::trials),
    ("programs", programs::trials),
    ("timing", timing::trials),
];

fn main() -> ExitCode {
    testing::run(SUITES)
}
