//! What the service says of everything that something is known about.

use configgen::Generator;
use schemars::JsonSchema;
use serde::Serialize;
use store::Unreadable;

use crate::words;

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
    #[schemars(with = "words::Unreadable")]
    pub unreadable: Unreadable,
}

/// A problem of which something is known.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct KnownProblem {
    /// The problem.
    #[schemars(with = "words::Problem")]
    pub problem: String,
    /// The kind of operation that it is.
    pub operation: &'static str,
    /// The type of its elements.
    pub element: &'static str,
    /// Where it was tried.
    pub tried: Vec<Place>,
}

/// Where a problem was tried.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Place {
    /// What it was built for.
    #[schemars(with = "words::Target")]
    pub target: &'static str,
    /// Name of the device.
    pub device: String,
    /// Who made the kernels.
    #[schemars(with = "words::Generator")]
    pub generator: Generator,
}
