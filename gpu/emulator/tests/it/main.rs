//! The integration tests of the emulator, one module per suite.

#[macro_use]
extern crate testing;

mod checker;
mod damaged;
mod decoder_oracle;
mod fixture;
mod iree;
mod kernels;
mod semantics;
mod support;
mod threads;
mod triton;
mod waiting;

use std::process::ExitCode;

use testing::Suite;

/// Suites with tests that depend on the machine.
const SUITES: &[Suite] = &[
    ("checker", checker::trials),
    ("decoder_oracle", decoder_oracle::trials),
    ("kernels", kernels::trials),
    ("semantics", semantics::trials),
    ("threads", threads::trials),
    ("triton", triton::trials),
    ("waiting", waiting::trials),
];

fn main() -> ExitCode {
    // LLVM's disassembler may end its process, so it runs in a child, which is this program.
    if decoder_oracle::oracle::serve() {
        return ExitCode::SUCCESS;
    }
    testing::run(SUITES)
}
