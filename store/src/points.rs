//! Points: what charts have of the trials of a study.

use std::time::Duration;

use configgen::Configuration;

use crate::{FailureKind, Role, Status, Unreadable};

/// What charts have of a trial: no samples and no messages, so that very many are read at once.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialPoint {
    /// Its place in the study's sequence.
    pub ordinal: u32,
    /// What it is for.
    pub role: Role,
    /// The verdict.
    pub status: Status,
    /// Why there is none.
    pub failure: Option<FailureKind>,
    /// Its time in microseconds; none unless its value is right.
    pub time_us: Option<f64>,
    /// Time of the compilation in milliseconds; none where there is no kernel.
    pub compile_ms: Option<f64>,
    /// From when it began to when it ended.
    pub took: Duration,
    /// Its configuration; none of a default that is none.
    pub configuration: Option<Configuration>,
}

/// Some of the trials of a study, in its order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TrialPoints {
    /// All trials that the study has now.
    pub trials: u64,
    /// Those that could be read.
    pub rows: Vec<TrialPoint>,
    /// Those that could not.
    pub unreadable: Unreadable,
    /// From which ordinal on there are more; none where there are none now.
    pub next: Option<u32>,
}
