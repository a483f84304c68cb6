//! The `iree` generator: `iree-compile` in a child process makes the kernel, and we read how to launch it.
//!
//! [`Module`] prints a problem as MLIR; [`IreeCompiler`] compiles it. A configuration that
//! [`configgen`]'s legality check for this generator accepts compiles; IREE's own choice (no configuration) may
//! fail, crash, hang or be wrong, and each of these is an [`IreeError`] or somebody else's verdict.
//!
//! This module knows nothing of devices and executes no kernel.

mod compiler;
mod error;
mod executable;
mod import;
mod launch;
mod launch_check;
mod lowering;
mod module;
mod outcome;
mod output_cache;
mod split;
mod stage;
mod version;

pub use compiler::{IreeCompiler, TIME_LIMIT};
pub use error::IreeError;
pub use import::ImportedModule;
pub use module::MlirModule;
pub use stage::IreeStage;
pub use version::generator_version;
