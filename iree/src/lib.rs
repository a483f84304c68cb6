//! IREE: its operations of a problem, the tuning specs that configure them, and `iree-compile`.
//!
//! [`MlirModule`] prints a problem as MLIR, and [`IreeCompiler`] compiles it in a child process
//! and reads the launch of its kernel. A configuration compiles if [`configgen`]'s legality check
//! for this generator accepts it. IREE's own choice, without a configuration, may fail, crash,
//! hang or be wrong. The first three are an [`IreeError`]; others check the result.
//!
//! - [`arg_compare_operation`], [`generic`] and [`row_kernel`] print IREE's operations of a
//!   problem. A plain reduction has the form that IREE has when it picks a configuration. Softmax
//!   and RMS norm are several operations in one kernel. [`mlir`] has tensor types.
//! - [`spec`] writes the tuning spec, and the file by which IREE splits rows. IREE makes two
//!   operations of a split one; a configuration is that of the first, and the second's follows
//!   from it. An entry may cover a [`Range`](configgen::Range) of shapes between two tuned ones.
//! - `compiler`, `executable` and `output_cache` make kernels. From the second configuration of a
//!   problem on, they start from the problem's executable. Split rows take two launches of kernels
//!   in one code object, compiled with the spec that users have.
//! - `whole_module` compiles models, `import` reads ONNX files, and [`IreeRuntime`] runs modules.
//!
//! The rules, the space and the default of these kernels are in `configgen/src/generator/iree/`.
//! `iree/export/` selects the contents of specs and replaces operations by native kernels.
//!
//! This crate knows no devices and executes no kernel.

pub mod arg_compare_operation;
mod compiler;
mod error;
mod executable;
pub mod generic;
mod gpu_trace;
mod import;
mod launch;
mod launch_check;
mod lowered_module;
mod lowering;
pub mod mlir;
mod module;
mod outcome;
mod output_cache;
pub mod row_kernel;
mod runtime;
pub mod spec;
mod split;
mod stage;
mod version;
mod whole_module;

pub use compiler::{IreeCompiler, TIME_LIMIT};
pub use error::IreeError;
pub use gpu_trace::{TracedCommand, TracedGpu, TracedKind};
pub use import::{ImportedModule, OPSET};
pub use lowered_module::LoweredModule;
pub use module::MlirModule;
pub use runtime::{CallJournal, IreeRuntime};
pub use stage::IreeStage;
pub use version::generator_version;
pub use whole_module::{CompiledModule, OutlinedModule, SpecPaths};
