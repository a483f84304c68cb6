//! What the tests of several packages share. It knows no package that is tested.
//!
//! - [`run`] is the `main` of a test executable of several suites, and [`test`] its `#[test]`.
//! - [`Log`] is the log of a test as text.
//! - [`llvm`] finds a tool of LLVM, and [`end_of`] runs a program for a limited time.
//! - [`prompt`] repeats what a busy machine may make slow.
//! - [`hip`] calls the library of HIP that cargo builds.
//! - [`Random`] makes numbers, and [`changed`] JSON with another part in it.

pub mod hip;
pub mod json_mutation;
mod llvm;
mod log;
mod program;
mod random;
mod retry;
mod suite;

#[doc(hidden)]
pub use inventory;
pub use libtest_mimic::Failed;
pub use llvm::llvm;
pub use log::CapturedLog;
pub use program::{ProgramOutput, end_of};
pub use random::Random;
pub use retry::retry_within;
pub use suite::{Suite, TestFunction, TestOutcome, Trial, block_on, block_on_threads, run};
pub use testing_attribute::test;
