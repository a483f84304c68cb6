//! What is wished for: what `wavetune wishes` prints, a line for each, and the service's list of the same.

use configgen::{Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use store::Unreadable;

use crate::foreign_schema;

/// What was asked for and not found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Wish {
    /// The problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The target.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// The device that was insisted on; none where any would do.
    pub device: Option<String>,
    /// The generator that was insisted on; none where any would do.
    #[schemars(with = "Option<foreign_schema::Generator>")]
    pub generator: Option<Generator>,
    /// How often it was asked for.
    pub count: u64,
    /// When it was asked for first: RFC 3339, UTC.
    pub first: String,
    /// When it was asked for last: RFC 3339, UTC.
    pub last: String,
}

/// A part of the list of wishes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Wishes {
    /// The wishes: what was asked most goes first, and among equals what was asked last.
    pub wishes: Vec<Wish>,
    /// What `cursor` says to go on; none where this is the end.
    pub next: Option<String>,
    /// What is wished for and cannot be read; left out where there is nothing.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}
