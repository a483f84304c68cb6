//! The operations of a model that reduce something, and where each stands.

use configgen::{Clock, Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;

use crate::foreign_schema;

/// What a model asks for.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Model {
    /// What it is compiled for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// A row for each problem.
    pub problems: Vec<ModelProblem>,
    /// A row for each kind of operation that is no problem that we know.
    pub others: Vec<UnknownOperations>,
    /// How kernels compare with untuned ones; a row for each device and clock.
    pub gains: Vec<Gain>,
}

/// A problem of a model.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ModelProblem {
    /// The problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// How many operations of the model it is.
    pub count: usize,
    /// The forms that its operations have, as in the answer of `wavetune export iree-kernels`; a form that no kernel takes the
    /// place of is none.
    pub forms: Vec<Option<&'static str>>,
    /// Where it stands with each generator whose kernels the compiler can be given for it.
    pub generators: Vec<Standing>,
    /// What its operations are as several kernels; a row for each way in which they are written, if it has parts.
    pub several: Vec<KernelSequence>,
}

/// An operation as several kernels of the generator `native`, instead of one.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct KernelSequence {
    /// How many operations of the model it is.
    pub count: usize,
    /// The kernels.
    pub parts: Vec<SequenceKernel>,
    /// Least time in microseconds of what none of them does, as one kernel that moves its bytes; none where the device is not
    /// known.
    pub others_us: Option<f64>,
    /// Time of all in microseconds; none where one is not known, or is of another device or toolchain than that of one kernel.
    pub time_us: Option<f64>,
    /// Whether several kernels are put in place: these are known to be faster than one.
    pub is_taken: bool,
}

/// One of several kernels.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SequenceKernel {
    /// What it computes.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// Time of the best in microseconds; none where none is known, or it is of another device or toolchain.
    pub time_us: Option<f64>,
}

/// How the kernels of a model compare with untuned ones on a device, for the operations of which both are known: `native` kernels
/// if they can be put in place, as one or as several, else those of `iree`. Each kernel is timed alone, and the module is not timed:
/// iree-compile fuses operations that these kernels keep apart, so a module may be faster without them.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Gain {
    /// Name of the device.
    pub device: String,
    /// Whose times these are.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// How many operations.
    pub count: usize,
    /// Sum of the times in microseconds of the same generators' untuned kernels, one for each operation.
    pub default_time_us: f64,
    /// Sum of the times in microseconds of the kernels that are put in place.
    pub time_us: f64,
}

/// Where a problem stands with a generator.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Standing {
    /// Who makes the kernel.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// Whether a configuration is known.
    pub state: TuningState,
    /// Time of the best in microseconds; none where none is known.
    pub time_us: Option<f64>,
    /// Time of the generator's default in microseconds; none where it failed, was not right, or was not tried.
    pub default_time_us: Option<f64>,
    /// Whose times these are; none where there are none.
    #[schemars(with = "Option<foreign_schema::Clock>")]
    pub clock: Option<Clock>,
    /// Why the generator takes it not; none where it does.
    pub reason: Option<String>,
}

/// Whether a configuration is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TuningState {
    /// One is known.
    Tuned,
    /// None is known yet.
    Untuned,
    /// The generator does not take the problem.
    Refused,
}

/// Operations that are no problem that we know.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct UnknownOperations {
    /// How many they are.
    pub count: usize,
    /// Why.
    pub reason: String,
}
