//! How a configuration becomes a kernel: the `native` and the `iree` generator.
//!
//! This crate knows problems and configurations; it knows nothing of devices, of inputs and results, or of time.

pub mod iree;
mod kernel;

pub use kernel::{Argument, CompiledKernel, Compiler, Slot};
