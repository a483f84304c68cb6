//! Kernels that iree-compile puts in place of operations: which, and what was left out.

use configgen::Problem;
use schemars::JsonSchema;
use serde::Serialize;

use crate::kernels::Chosen;
use crate::words;

/// What was written.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Exported {
    /// What the kernels are built for.
    #[schemars(with = "words::Target")]
    pub target: &'static str,
    /// The transform spec, in the directory: iree-compile's --iree-preprocessing-transform-spec-filename.
    pub spec: &'static str,
    /// The tuning spec, in the directory, of what IREE's own kernels are better at: iree-compile's --iree-codegen-tuning-spec-path.
    /// None unless the better of both was asked for, or where there is none.
    pub tuning_spec: Option<&'static str>,
    /// A row for each kernel.
    pub kernels: Vec<Replaced>,
    /// A row for each problem without one.
    pub left_out: Vec<LeftOut>,
}

/// A kernel in place of operations.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Replaced {
    /// What it computes.
    #[schemars(with = "words::Problem")]
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
    pub chosen: Chosen,
}

/// A problem without a kernel.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LeftOut {
    /// The problem.
    #[schemars(with = "words::Problem")]
    pub problem: Problem,
    /// Why.
    pub reason: String,
}
