//! The service's summary of itself.

use schemars::JsonSchema;
use serde::Serialize;

/// The state of the service in a few numbers. None of them takes longer to compute for a larger
/// database.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ServiceStatus {
    /// The version of the program.
    pub version: &'static str,
    /// `true` if the service runs studies; otherwise it only answers lookups.
    pub can_tune: bool,
    /// The known problems in memory.
    pub problems: usize,
    /// The studies that run.
    pub running: u64,
    /// The agents that sent a message within the last minute.
    pub agents: usize,
    /// The devices of these agents that are in quarantine.
    pub quarantined: usize,
}
