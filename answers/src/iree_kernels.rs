//! Kernels that iree-compile puts in place of operations: which, and what was left out.

use configgen::Problem;
use schemars::JsonSchema;
use serde::Serialize;

use crate::foreign_schema;
use crate::kernels::ConfigurationChoice;

/// What was written.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct IreeKernelExport {
    /// What the kernels are built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// The transform spec, in the directory: iree-compile's --iree-preprocessing-transform-spec-filename.
    pub spec: &'static str,
    /// The tuning spec, in the directory, of what IREE's own kernels are better at: iree-compile's --iree-codegen-tuning-spec-path.
    /// None unless the better of both was asked for, or where there is none.
    pub tuning_spec: Option<&'static str>,
    /// A row for each kernel.
    pub kernels: Vec<ReplacementKernel>,
    /// A row for each problem without one.
    pub left_out: Vec<LeftOutProblem>,
}

/// A kernel in place of operations.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ReplacementKernel {
    /// What it computes.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The code object, in the directory.
    pub file: String,
    /// Its name in the code object.
    pub symbol: String,
    /// The forms of operations that it takes the place of, such as `arg_compare`, `max_dim`, `stablehlo`, `tosa`,
    /// `generic`, `reduce`, `product`, `softmax`, and `chain` of several operations.
    pub forms: Vec<&'static str>,
    /// Bytes that are cleared before each launch; 0 where no row is split among workgroups.
    pub workspace_bytes: u64,
    /// Why it has its configuration.
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
    /// Why.
    pub reason: String,
}
