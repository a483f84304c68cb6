//! The output of `wavetune problems`: the reductions of a model, and the tuning status of each.

use configgen::{Clock, Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;

use crate::foreign_schema;

/// The reductions of a model.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Model {
    /// The instruction set that the model is compiled for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// The problems, one row each.
    pub problems: Vec<ModelProblem>,
    /// The operations that are not a known problem, one row for each kind.
    pub others: Vec<UnknownOperations>,
    /// The comparison with untuned kernels, one row for each device and clock.
    pub gains: Vec<Gain>,
}

/// A problem of a model.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ModelProblem {
    /// The problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The number of operations of the model with this problem.
    pub count: usize,
    /// The first of these operations, in the order of the model.
    pub places: Vec<OperationPlace>,
    /// The forms of its operations, as in the answer of `wavetune export iree-kernels`; `null`
    /// for a form that no kernel replaces.
    pub forms: Vec<Option<&'static str>>,
    /// The tuning status with each generator whose kernels the compiler can take for the problem.
    pub generators: Vec<Standing>,
    /// The problems with which it shares operations of the model. A kernel can replace only one of
    /// the two there.
    #[schemars(with = "Vec<foreign_schema::Problem>")]
    pub shares_with: Vec<Problem>,
    /// The alternative of several kernels in sequence: one row for each form in which the model
    /// writes the operation. Empty if the operation does not divide into parts.
    pub several: Vec<KernelSequence>,
}

/// An operation as a sequence of several kernels of the generator `native`, instead of one
/// kernel.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct KernelSequence {
    /// The number of operations of the model.
    pub count: usize,
    /// The kernels.
    pub parts: Vec<SequenceKernel>,
    /// The lower bound in microseconds of the remaining work, as one kernel that moves its bytes;
    /// `null` if the device is unknown.
    pub others_us: Option<f64>,
    /// The total time in microseconds. `null` if one part has no time, or a time of another
    /// device or toolchain than the single kernel's.
    pub time_us: Option<f64>,
    /// `true` if an export uses the sequence, because it is known to be faster than one kernel.
    pub is_taken: bool,
}

/// One kernel of a sequence.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SequenceKernel {
    /// The problem that the kernel computes.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The best time in microseconds; `null` if there is none, or only of another device or
    /// toolchain.
    pub time_us: Option<f64>,
}

/// The comparison of a model's kernels with untuned kernels on one device, over the operations
/// for which both times are known. It takes `native` kernels if the compiler can take them, as
/// one or as several, and otherwise those of `iree`.
///
/// The sums are of kernels that were timed alone, not of the whole model. The compiler fuses
/// operations that these kernels keep apart, so a model may be faster without them.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Gain {
    /// The name of the device.
    pub device: String,
    /// The clock of the times.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// The number of operations.
    pub count: usize,
    /// The sum of the untuned times of the same generators in microseconds, one for each
    /// operation.
    pub default_time_us: f64,
    /// The sum of the times of the tuned kernels in microseconds.
    pub time_us: f64,
}

/// The tuning status of a problem with a generator.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Standing {
    /// The generator of the kernel.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The tuning state.
    pub state: TuningState,
    /// The best time in microseconds; `null` if there is none.
    pub time_us: Option<f64>,
    /// The time of the generator's default in microseconds; `null` if it failed, is not correct,
    /// or was not tried.
    pub default_time_us: Option<f64>,
    /// The clock of the times; `null` if there are none.
    #[schemars(with = "Option<foreign_schema::Clock>")]
    pub clock: Option<Clock>,
    /// The reason why the generator refuses the problem; `null` if it does not.
    pub reason: Option<String>,
}

/// The tuning state of a problem with a generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TuningState {
    /// A configuration is known.
    Tuned,
    /// No configuration is known yet.
    Untuned,
    /// The generator does not support the problem.
    Refused,
}

/// Operations that are not a known problem.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct UnknownOperations {
    /// The number of operations.
    pub count: usize,
    /// The reason.
    pub reason: String,
    /// The first of these operations, in the order of the model.
    pub places: Vec<OperationPlace>,
}

/// The place of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct OperationPlace {
    /// The function of the model. Empty outside of functions.
    pub function: String,
    /// The operation as the compiler lowers it, such as `linalg.generic`.
    pub operation: String,
    /// The line and column in the model, such as `model.mlir:12:5`; `null` if the compiler knows
    /// none.
    pub location: Option<String>,
}
