//! The operations of a model that reduce something, and where each stands.

use configgen::{Clock, Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;

use crate::words;

/// What a model asks for.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Model {
    /// What it is compiled for.
    #[schemars(with = "words::Target")]
    pub target: &'static str,
    /// A row for each problem.
    pub problems: Vec<Asked>,
    /// A row for each kind of operation that is no problem that we know.
    pub others: Vec<Other>,
}

/// A problem of a model.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Asked {
    /// The problem.
    #[schemars(with = "words::Problem")]
    pub problem: Problem,
    /// How many operations of the model it is.
    pub count: usize,
    /// The forms that its operations have, as in the answer of `wavetune export iree-kernels`; a form that no kernel takes the
    /// place of is none.
    pub forms: Vec<Option<&'static str>>,
    /// Where it stands with each generator whose kernels the compiler can be given for it.
    pub generators: Vec<Standing>,
}

/// Where a problem stands with a generator.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Standing {
    /// Who makes the kernel.
    #[schemars(with = "words::Generator")]
    pub generator: Generator,
    /// Whether a configuration is known.
    pub state: State,
    /// Time of the best in microseconds; none where none is known.
    pub time_us: Option<f64>,
    /// Time of the generator's default in microseconds; none where it failed, was not right, or was not tried.
    pub default_time_us: Option<f64>,
    /// Whose times these are; none where there are none.
    #[schemars(with = "Option<words::Clock>")]
    pub clock: Option<Clock>,
    /// Why the generator takes it not; none where it does.
    pub reason: Option<String>,
}

/// Whether a configuration is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
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
pub struct Other {
    /// How many they are.
    pub count: usize,
    /// Why.
    pub reason: String,
}
