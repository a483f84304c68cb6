//! What the service says, beside what `lookup` says too: many answers at once, the best of everything, and problems.

use configgen::{Clock, Configuration, Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use store::{Status, Unreadable};

use crate::foreign_schema;
use crate::lookup::{LookupAnswer, PrintedAnswer, Provenance};

/// Everything that is known, the clocks apart.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Best {
    /// Times of real GPUs.
    pub measured: Vec<BestConfiguration>,
    /// Times of the emulator's model.
    pub modelled: Vec<BestConfiguration>,
    /// What is known and cannot be read; left out where there is nothing.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// The best configuration of a problem on a device by a generator.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BestConfiguration {
    /// What is computed.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// What it was built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// Name of the device that it was tried on.
    pub device: String,
    /// Who makes the kernel.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// Whose time these are.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// The fastest configuration that may be served: of those that are right, where there are such, unless any index on ties
    /// was asked for.
    #[schemars(with = "foreign_schema::Configuration")]
    pub configuration: Configuration,
    /// Its verdict.
    #[schemars(with = "foreign_schema::Status")]
    pub status: Status,
    /// Its time in microseconds.
    pub time_us: f64,
    /// Verdict of the untuned configuration; none where it was not tried.
    #[schemars(with = "Option<foreign_schema::Status>")]
    pub default_status: Option<Status>,
    /// Its time in microseconds; none where it has none or may not be served.
    pub default_time_us: Option<f64>,
    /// `default_time_us / time_us`.
    pub speedup: Option<f64>,
    /// Least time in microseconds that the model gives any kernel.
    pub bound_us: Option<f64>,
    /// Time in microseconds of the compulsory bytes at the DRAM peak; none of a device that this build does not know.
    pub dram_peak_us: Option<f64>,
    /// What made the numbers.
    pub provenance: Provenance,
}

/// The answers to many questions, in their order.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BatchAnswers {
    /// One for each question.
    pub answers: Vec<BatchAnswer>,
}

/// What is said to one of many questions.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum BatchAnswer {
    /// What is answered where it is asked alone and this very problem was tuned.
    Exact(#[schemars(with = "LookupAnswer")] PrintedAnswer),
    /// The same where it was not.
    Other(LookupAnswer),
    /// Why it is no question.
    Problem(ProblemDetails),
}

/// Why a request is not answered as it wanted: problem details (RFC 9457).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ProblemDetails {
    /// The kind of problem, such as `/problems/invalid-problem`: the address of the page that says what it means.
    #[serde(rename = "type")]
    pub kind: String,
    /// The kind, for people.
    pub title: &'static str,
    /// The status of the answer; of one question among many, that which it would have alone.
    #[schemars(range(min = 400, max = 599))]
    pub status: u16,
    /// What is wrong with this request, and what to do.
    pub detail: String,
    /// The parameter of the address, or the field of the body, that is at fault; left out where none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// Character of the parameter's value, counted from 0, at which it is wrong; left out where it has no such place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<usize>,
    /// The rule of the generator that the problem breaks, such as `N3`; left out where none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static str>,
    /// How much was given, where that is over a limit; left out where none is passed, or where nobody counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<u64>,
    /// The limit that was passed: a number, bytes of a body, or seconds; left out where none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}
