//! What the service says of itself in a few numbers.

use schemars::JsonSchema;
use serde::Serialize;

/// The service in a few numbers, which are soon had however large the database is.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ServiceStatus {
    /// The version of the program.
    pub version: &'static str,
    /// Whether it carries on studies; otherwise it only answers.
    pub can_tune: bool,
    /// Problems of which something is known, in memory.
    pub problems: usize,
    /// Studies that it carries on and that are running.
    pub running: u64,
    /// Agents that were heard of within the last minute.
    pub agents: usize,
    /// Devices of theirs that are left alone for a while.
    pub quarantined: usize,
}
