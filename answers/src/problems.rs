//! The service's list of known problems, and its check of a problem that a user types.

use configgen::{Configuration, Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use store::Unreadable;

use crate::foreign_schema;
use crate::http::ProblemDetails;

/// A page of the known problems.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Problems {
    /// The problems, ordered by their text.
    pub problems: Vec<KnownProblem>,
    /// The `cursor` of the next page; `null` on the last page.
    pub next: Option<String>,
    /// The rows that this build cannot read and that may belong to these problems; absent if
    /// there are none.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// A problem with trials in the database.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct KnownProblem {
    /// The problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: String,
    /// The kind of operation, such as `arg_compare`.
    pub operation: &'static str,
    /// The type of the elements.
    pub element: &'static str,
    /// The targets, devices and generators with trials of this problem.
    pub tried: Vec<StudyContext>,
}

/// A target, device and generator with which a problem was tried.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StudyContext {
    /// The instruction set that the kernels were built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// The name of the device.
    pub device: String,
    /// The generator of the kernels.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
}

/// The result of the check of a problem that a user types.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
// Untagged: a fault has the form of any other error of the service.
pub enum ProblemCheck {
    /// The text is a problem.
    Problem(Box<CheckedProblem>),
    /// The text is not a problem, or not yet: the reason, with the position of the character.
    Fault(ProblemDetails),
}

/// A problem that a user types, and the result of the legality check.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CheckedProblem {
    /// The problem in its canonical text, with its comparator.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The kind of operation, such as `arg_compare`.
    pub operation: &'static str,
    /// The type of the elements.
    pub element: &'static str,
    /// The type of the indices; `null` if the operation returns no index.
    pub index: Option<&'static str>,
    /// The number of reductions.
    pub rows: u64,
    /// The number of elements of each reduction.
    pub columns: u64,
    /// The bytes that any kernel must read and write.
    pub bytes: u64,
    /// The modelled lower bound for any kernel, in microseconds. `null` without a device, for an
    /// unknown device, and for a device of another target.
    pub bound_us: Option<f64>,
    /// The instruction set that kernels would be built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// The generator of the kernels.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The reason why a kernel must process the elements of a row in order; `null` if any order
    /// is correct. The text continues a sentence.
    pub why_serial: Option<String>,
    /// `true` if the generator supports the problem.
    pub is_legal: bool,
    /// The rule that the problem breaks; `null` if the generator supports the problem.
    pub rule: Option<&'static str>,
    /// The reason of the refusal, with the numbers; `null` if the generator supports the problem.
    pub message: Option<String>,
    /// The number of legal configurations, in decimal. `null` if the generator refuses the
    /// problem, or if the count takes longer than two seconds.
    // A string, because JavaScript reads JSON numbers above 2^53 inexactly.
    pub configurations: Option<String>,
    /// The configuration that the generator uses untuned; `null` if it has none.
    #[schemars(with = "Option<foreign_schema::Configuration>")]
    pub default: Option<Configuration>,
}
