//! Answers of the service beside those of [`crate::lookup`]: batches, the best configurations,
//! and problem details.

use configgen::{Clock, Configuration, Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use store::{Status, Unreadable};

use crate::foreign_schema;
use crate::lookup::{LookupAnswer, PrintedAnswer, Provenance};

/// The best known configuration of each problem, device and generator, by clock.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Best {
    /// Configurations with times of real GPUs.
    pub measured: Vec<BestConfiguration>,
    /// Configurations with times of the emulator's time model.
    pub modelled: Vec<BestConfiguration>,
    /// The rows that this build cannot read; absent if there are none.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// The best configuration of one problem on one device, by one generator.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BestConfiguration {
    /// The problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The instruction set that the kernel was built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// The name of the device that ran the kernel.
    pub device: String,
    /// The generator of the kernel.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The clock of the times.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// The fastest configuration that may be served. A `right` one goes before a faster `tie`,
    /// unless the request accepts any index on ties.
    #[schemars(with = "foreign_schema::Configuration")]
    pub configuration: Configuration,
    /// The verdict.
    #[schemars(with = "foreign_schema::Status")]
    pub status: Status,
    /// The time of the kernel in microseconds.
    pub time_us: f64,
    /// The verdict of the untuned configuration; `null` if no trial has it.
    #[schemars(with = "Option<foreign_schema::Status>")]
    pub default_status: Option<Status>,
    /// The time of the untuned configuration in microseconds; `null` if it has none or may not be
    /// served.
    pub default_time_us: Option<f64>,
    /// `default_time_us / time_us`.
    pub speedup: Option<f64>,
    /// The modelled lower bound for any kernel, in microseconds.
    pub bound_us: Option<f64>,
    /// The time in microseconds to move the compulsory bytes at the DRAM peak; `null` if this
    /// build does not know the device.
    pub dram_peak_us: Option<f64>,
    /// The provenance of the numbers.
    pub provenance: Provenance,
}

/// The answers to the questions of a batch.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BatchAnswers {
    /// One answer for each question, in the order of the questions.
    pub answers: Vec<BatchAnswer>,
}

/// The answer to one question of a batch.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
// Untagged: each element is the body that a single request would have.
pub enum BatchAnswer {
    /// The answer of a single request for this question, if this very problem was tuned.
    // The text is printed ahead of the request, so a batch only joins texts.
    Exact(#[schemars(with = "LookupAnswer")] PrintedAnswer),
    /// The answer of a single request for this question, if it was not.
    Other(LookupAnswer),
    /// The reason why the question is invalid.
    Problem(ProblemDetails),
}

/// The reason why a request failed: problem details (RFC 9457).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ProblemDetails {
    /// The kind of problem, such as `/problems/invalid-problem`: the address of the page that
    /// explains it.
    #[serde(rename = "type")]
    // `type` is a keyword of Rust.
    pub kind: String,
    /// The kind, for people.
    pub title: &'static str,
    /// The status of the answer. For a question of a batch, the status that a single request
    /// would have.
    #[schemars(range(min = 400, max = 599))]
    // Problem details describe only errors.
    pub status: u16,
    /// The fault of this request, and its remedy.
    pub detail: String,
    /// The query parameter or the field of the body that is at fault; absent if none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// The character of the parameter's value at which the fault lies, counted from 0; absent if
    /// it has no such position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<usize>,
    /// The rule of the generator that the problem breaks, such as `N3`; absent if none is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static str>,
    /// The amount given, if it exceeds a limit; absent if none is exceeded, or if the service did
    /// not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<u64>,
    /// The limit that the request exceeded: a number, bytes of a body, or seconds; absent if none
    /// is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}
