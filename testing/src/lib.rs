//! Support of the tests of several packages. It knows no package under test.
//!
//! - [`run`] is the `main` of a test executable of several suites, and [`test`] its `#[test]`.
//! - [`CapturedLog`] is the log of a test as text.
//! - [`llvm`] finds a tool of LLVM, and [`end_of`] runs a program for a limited time.
//! - [`retry_within`] repeats a step that a busy machine may make slow, and [`until_some`] a
//!   question that it may leave unanswered.
//! - [`fixed_work`] is a measure of a machine's speed.
//! - [`hip`] calls the library of HIP that cargo builds.
//! - [`Random`] generates numbers, and [`json_mutation`] JSON with a part replaced.
//!
//! The packages beside it have random problems (`testing/problems/`), tables (`testing/tables/`),
//! damaged databases (`testing/sqlite/`) and a fake agent (`testing/agent/`).
//!
//! A crate has one executable of integration tests, `tests/it/main.rs`, and each suite is a
//! module of it. Since nextest starts a process for each test, [`run`] creates only the trials of
//! that test's suite. A suite may mix functions with `#[test]` and trials that depend on the
//! machine.
//!
//! # Invariants
//!
//! - A package has at most two test executables: its unit tests and its suites.

mod fixed_work;
pub mod hip;
pub mod json_mutation;
mod llvm;
mod log;
mod program;
mod random;
mod retry;
mod suite;

pub use fixed_work::fixed_work;
#[doc(hidden)]
pub use inventory;
pub use libtest_mimic::Failed;
pub use llvm::llvm;
pub use log::CapturedLog;
pub use program::{ProgramOutput, end_of};
pub use random::Random;
pub use retry::{retry_within, until_some};
pub use suite::{
    Suite, TestFunction, TestOutcome, Trial, block_on, block_on_threads, may_run, run,
};
pub use testing_attribute::test;
