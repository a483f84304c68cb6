//! The output of `wavetune export iree-kernels`: the kernels that iree-compile puts in place of
//! operations, and the problems without one.

use configgen::Problem;
use schemars::JsonSchema;
use serde::Serialize;

use crate::foreign_schema;
use crate::kernels::ConfigurationChoice;

/// The files that the command wrote.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct IreeKernelExport {
    /// The instruction set that the kernels are built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// The transform spec's file name in the directory, for iree-compile's
    /// --iree-preprocessing-transform-spec-filename.
    pub spec: &'static str,
    /// The tuning spec's file name in the directory, for iree-compile's
    /// --iree-codegen-tuning-spec-path. It pins the problems that IREE's own kernels solve
    /// faster. `null` unless the command was asked for the faster generator of each problem, and
    /// if there is no such problem.
    pub tuning_spec: Option<&'static str>,
    /// The kernels, one row each.
    pub kernels: Vec<ReplacementKernel>,
    /// The problems without a kernel, one row each.
    pub left_out: Vec<LeftOutProblem>,
}

/// A kernel in place of operations.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ReplacementKernel {
    /// The problem that the kernel computes.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The file name of the code object in the directory.
    pub file: String,
    /// The name of the kernel in the code object.
    pub symbol: String,
    /// The forms of operations that the kernel replaces, such as `arg_compare`, `max_dim`,
    /// `stablehlo`, `tosa`, `generic`, `reduce`, `product`, `softmax`, and `chain` for several
    /// operations.
    pub forms: Vec<&'static str>,
    /// The workspace in bytes, cleared before each launch; 0 if no row is split among workgroups.
    pub workspace_bytes: u64,
    /// The origin of the configuration.
    #[serde(flatten)]
    pub chosen: ConfigurationChoice,
}

/// A problem without a kernel.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LeftOutProblem {
    /// The problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The reason.
    pub reason: String,
}
