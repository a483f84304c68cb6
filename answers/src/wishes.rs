//! Wishes: lookups without an exact answer. `wavetune wishes` prints a line for each; the service
//! lists them.

use configgen::{Generator, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use store::Unreadable;

use crate::foreign_schema;

/// A problem that a lookup asked for and that has no exact answer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Wish {
    /// The problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: Problem,
    /// The instruction set.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// The device that the lookup required; `null` if it accepted any.
    pub device: Option<String>,
    /// The generator that the lookup required; `null` if it accepted any.
    #[schemars(with = "Option<foreign_schema::Generator>")]
    pub generator: Option<Generator>,
    /// The number of such lookups.
    pub count: u64,
    /// The time of the first lookup: RFC 3339, UTC.
    pub first: String,
    /// The time of the last lookup: RFC 3339, UTC.
    pub last: String,
}

/// A page of the wishes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Wishes {
    /// The wishes: the most frequent first, and among equals the most recent first.
    pub wishes: Vec<Wish>,
    /// The `cursor` of the next page; `null` on the last page.
    pub next: Option<String>,
    /// The wishes that this build cannot read; absent if there are none.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}
