//! What the service says of everything that something is known about, and of a problem that somebody is writing.

use configgen::{Configuration, Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use store::Unreadable;

use crate::foreign_schema;
use crate::http::ProblemDetails;

/// A part of the list of problems.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Problems {
    /// The problems, in the order of their text.
    pub problems: Vec<KnownProblem>,
    /// What `cursor` says to go on; none where this is the end.
    pub next: Option<String>,
    /// What cannot be read and may belong to them; left out where there is nothing.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// A problem of which something is known.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct KnownProblem {
    /// The problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: String,
    /// The kind of operation that it is.
    pub operation: &'static str,
    /// The type of its elements.
    pub element: &'static str,
    /// Where it was tried.
    pub tried: Vec<StudyContext>,
}

/// Where a problem was tried.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StudyContext {
    /// What it was built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// Name of the device.
    pub device: String,
    /// Who made the kernels.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
}

/// What is said to who writes a problem.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ProblemCheck {
    /// It is one.
    Problem(Box<CheckedProblem>),
    /// Why it is none, or none yet, and at which character.
    Fault(ProblemDetails),
}

/// A problem that somebody is writing: what it is, and whether it can be tuned.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CheckedProblem {
    /// Its canonical text, with its comparator.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The kind of operation.
    pub operation: &'static str,
    /// Type of the elements.
    pub element: &'static str,
    /// Type of the indices; none of a reduction that has none.
    pub index: Option<&'static str>,
    /// Number of reductions.
    pub rows: u64,
    /// Elements of each.
    pub columns: u64,
    /// Bytes that any kernel has to read and write.
    pub bytes: u64,
    /// Least time in microseconds that the model gives any kernel; none where no device is named, and of one that this build
    /// does not know or that is of another target.
    pub bound_us: Option<f64>,
    /// What it is to be built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// Who is to make the kernels.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// Why the elements of a row are taken one by one: a sentence that goes on; none where they need not be.
    pub why_serial: Option<String>,
    /// Whether the generator takes it.
    pub is_legal: bool,
    /// The rule that it breaks; none where it is taken.
    pub rule: Option<&'static str>,
    /// Why it is not taken, with the numbers; none where it is.
    pub message: Option<String>,
    /// How many legal configurations there are, as a decimal number; none where it is not taken, and where counting takes
    /// longer than two seconds.
    pub configurations: Option<String>,
    /// The configuration that the generator would take untuned; none where it has none.
    #[schemars(with = "Option<foreign_schema::Configuration>")]
    pub default: Option<Configuration>,
}
