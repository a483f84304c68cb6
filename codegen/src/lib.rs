//! How a configuration becomes a kernel: the `native` and the `iree` generator.
//!
//! This crate knows problems and configurations; it knows nothing of devices, of inputs and results, or of time.
//!
//! [`native::Native`] generates LLVM IR in stages and compiles it with a libLLVM in this process;
//! [`iree::IreeCompiler`] asks iree-compile. Both give [`CompiledKernel`]s. [`tools`] finds what they need.

mod child_process;
pub mod iree;
mod kernel;
pub mod link;
pub mod llvm;
pub mod native;
mod tiling;
pub mod tools;

pub use object_cache as cache;

pub use kernel::{CompiledKernel, Compiler, Kernarg, Merge, Slot, Workspace};
pub use tiling::Tiling;
