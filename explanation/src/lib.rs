//! Explanations: what a configuration is, and what its kernel does, for people who look at it.
//!
//! [`Question`] is what is asked; [`explain`] says what the stages of code generation decide, and needs no tool;
//! [`explain_kernel`] builds the kernel, reads its code object and runs it in the emulator.
//!
//! This crate knows nothing of what is stored, of studies, or of who asks.

mod kernel;
mod layout;
mod model;
mod question;

pub use kernel::{KernelError, explain_kernel};
pub use question::{ExplanationRefusal, Question, explain};
