//! Points: the fields of a study's trials that charts show.

use std::time::Duration;

use configgen::Configuration;

use crate::{FailureKind, Role, Status, Unreadable};

/// A trial as charts show it: without samples and messages, so that one read returns very many.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialPoint {
    /// The trial's position in the study, from 0.
    pub ordinal: u32,
    /// The role of the trial.
    pub role: Role,
    /// The verdict.
    pub status: Status,
    /// The kind of failure, of a failed trial.
    pub failure: Option<FailureKind>,
    /// The time in microseconds; none unless the value is correct.
    pub time_us: Option<f64>,
    /// The time of the compilation in milliseconds; none if there is no kernel.
    pub compile_ms: Option<f64>,
    /// The duration from the trial's start to its end.
    pub took: Duration,
    /// The configuration; none for a default that no configuration describes.
    pub configuration: Option<Configuration>,
}

/// A run of a study's trials by ordinal.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TrialPoints {
    /// The number of trials in the study now.
    pub trials: u64,
    /// The readable trials.
    pub rows: Vec<TrialPoint>,
    /// The unreadable rows.
    pub unreadable: Unreadable,
    /// The ordinal at which more trials start; none if there are no more now.
    pub next: Option<u32>,
}
