//! Explanations of a configuration and its kernel, for people.
//!
//! [`Question`] is the input. [`explain`] returns the decisions of the stages and needs no tool.
//! [`explain_kernel`] builds the kernel and shows its stages side by side, with launch,
//! instructions and occupancy. It runs the kernel in the emulator for its time by cause.
//!
//! A link marks a line of a stage with the statements of the IR that it belongs to. Lines of two
//! stages that share a statement belong together. Debug locations of a second, hidden text link the
//! assembly.
//!
//! # Invariants
//!
//! - An explanation knows neither the store nor studies nor the caller.
//! - A stage with links has the same text as without.
//! - An explanation has no time of a wrong kernel.

mod kernel;
mod layout;
mod model;
mod question;

pub use kernel::{KernelError, explain_kernel};
pub use question::{ExplanationRefusal, Question, explain};
