//! The output of `wavetune export iree-kernels`: the kernels that iree-compile puts in place of
//! operations, and the problems without one.

use configgen::{Clock, Problem};
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
    /// The comparison with the models as iree-compile compiles them alone; `null` if no model was
    /// given, or if none could be profiled.
    pub judgement: Option<ModelJudgement>,
}

/// The comparison of models with and without the kernels.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ModelJudgement {
    /// The device of all times.
    pub device: String,
    /// The clock of all times.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// The version of iree-compile.
    pub compiler: String,
    /// The number of different modules that were profiled.
    pub profiles: usize,
    /// The calls of the models' functions.
    pub calls: Vec<JudgedCall>,
    /// The verdict on each kernel.
    pub kernels: Vec<JudgedKernel>,
}

/// A call of a function, before and after.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgedCall {
    /// The name of the function.
    pub function: String,
    /// The inputs of the call, in the notation of `iree-run-module --input`.
    pub inputs: Vec<String>,
    /// The time as iree-compile compiles the module alone, in microseconds; `null` if it does not
    /// compile.
    pub plain_us: Option<f64>,
    /// The number of commands that count with a lower bound in `plain_us`. Unless it is 0, the
    /// time is longer.
    pub plain_bounded: usize,
    /// The time with the kernels that stay, in microseconds.
    pub time_us: f64,
    /// The number of commands that count with a lower bound in `time_us`.
    pub bounded: usize,
    /// The number of kernels as iree-compile compiles the module alone; `null` if it does not
    /// compile.
    pub plain_kernels: Option<usize>,
    /// The number of kernels with those that stay.
    pub kernels: usize,
    /// The number of commands without a time and without a lower bound of it, which count in
    /// neither sum.
    pub untimed: usize,
}

/// The verdict on a kernel.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgedKernel {
    /// The problem that the kernel computes; `null` for the tuning spec as a whole.
    #[schemars(with = "Option<foreign_schema::Problem>")]
    pub problem: Option<Problem>,
    /// `true` if the kernel stays.
    pub kept: bool,
    /// The reason.
    pub reason: String,
    /// The time of the commands that it changes, without it, in microseconds.
    pub before_us: f64,
    /// `true` if the time without it is longer than `before_us`.
    pub before_is_bound: bool,
    /// Their time with it, in microseconds.
    pub after_us: f64,
    /// `true` if `after_us` is an estimate, because no module with it was profiled.
    pub after_is_bound: bool,
    /// The number of its launches in all calls.
    pub launches: usize,
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
