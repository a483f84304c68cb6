//! The profile of a whole model has every dispatch that iree-compile makes of a module, with its
//! modelled time. The gate compares profiles and decides which kernels stay.
//!
//! ```text
//! module ──iree-compile──▶ vmfb, sources of executables
//! vmfb ──iree-benchmark-module on libwavetune_hip.so──▶ journal ──▶ FunctionProfile
//! module ──iree-compile up to commands──▶ ModuleOutline
//! two profiles of a module, plain and with kernels ──difference──▶ hunks ──gate──▶ GateVerdict
//! ```
//!
//! A module that is lowered only has an *outline*: its commands without times. The gate predicts
//! times by it, and profiles its choice.
//!
//! A *command* is an operation of the device: a kernel's launch, a copy or a fill. A *call* is one
//! execution of a function of the module. A *candidate* is a change of the module that the gate
//! judges, such as a kernel in place of operations. A *hunk* is a part of a call that differs
//! between two profiles.
//!
//! Commands come from IREE's own runtime, so that control flow, dynamic sizes and copies are those
//! of the compiled module. Nothing is executed but the sample of workgroups that the time model
//! needs.
//!
//! [`ModelKernels`] are the kernels that a catalogue has for a model. `wavetune tune` and the
//! service compare the same ones. [`ModelTools`] are the tools of a service, which compiles
//! modules of its clients in a sandbox only.
//!
//! # Invariants
//!
//! - A profile has every command of the call, copies and fills included.
//! - A command without a time is listed, and is never counted as 0.
//! - A lower bound of a time counts for commands that a candidate replaces, never for those in
//!   their place.
//! - The gate keeps a candidate only if no call becomes slower by the commands that it changes.
//! - The gate keeps nothing that was not compiled and profiled.
//! - The gate compares profiles of one compiler, device and set of options.

mod call_inputs;
mod command;
mod comparison_request;
mod control_flow;
mod difference;
mod error;
mod executable_source;
mod export_judge;
mod function_profile;
mod gate;
mod journal;
mod measured_times;
mod model_comparison;
mod model_tools;
mod module_outline;
mod outlined_dispatches;
mod profile_answer;
mod profile_key;
mod profiler;
mod trace_file;
mod verdict_text;

pub use call_inputs::{CallSizes, FunctionDeclaration, parse_counts};
pub use command::{CommandKind, DeviceCommand, KernelLaunch, UnknownTime};
pub use comparison_request::ComparisonRequest;
pub use error::ProfileError;
pub use export_judge::{ExportJudge, ExportVerdict};
pub use function_profile::FunctionProfile;
pub use gate::{Candidate, CandidateVerdict, Gate, GateVerdict, VerdictReason, VerdictTime};
pub use model_comparison::{
    BuiltKernels, ModelKernels, ReplacedOperations, add_variant, replaced_operations, tuning_spec,
};
pub use model_tools::{ConfinedTools, MissingModelTool, ModelTools};
pub use profile_answer::describe_profile;
pub use profiler::{ProfiledModule, Profiler};
pub use trace_file::trace;
