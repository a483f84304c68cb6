//! The `iree` generator: `iree-compile` in a child process makes the kernel, and this module
//! reads its launch.
//!
//! [`MlirModule`] prints a problem as MLIR, and [`IreeCompiler`] compiles it. A configuration
//! compiles if [`configgen`]'s legality check for this generator accepts it. IREE's own choice,
//! without a configuration, may fail, crash, hang or be wrong. The first three are an
//! [`IreeError`]; others check the result.
//!
//! This module knows no devices and executes no kernel.

mod compiler;
mod error;
mod executable;
mod import;
mod launch;
mod launch_check;
mod lowered_module;
mod lowering;
mod module;
mod outcome;
mod output_cache;
mod runtime;
mod split;
mod stage;
mod version;
mod whole_module;

pub use compiler::{IreeCompiler, TIME_LIMIT};
pub use error::IreeError;
pub use import::{ImportedModule, OPSET};
pub use lowered_module::LoweredModule;
pub use module::MlirModule;
pub use runtime::{CallJournal, IreeRuntime};
pub use stage::IreeStage;
pub use version::generator_version;
pub use whole_module::{CompiledModule, SpecPaths};
