//! Trials: the results of single configurations.

use std::time::SystemTime;

use configgen::Configuration;
use serde::{Deserialize, Serialize};

/// A kind of failure: the reason that a trial has no verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailureKind {
    /// The compiler reported an error.
    Compile,
    /// Compiling or running took longer than the limit.
    Timeout,
    /// The process that compiled or ran it died.
    Crash,
    /// The device or the emulator refused the code object.
    Rejected,
    /// The kernel accessed memory that is not its own, or trapped.
    Fault,
    /// The kernel asks for more memory than the device has.
    Memory,
    /// Two launches on the same input gave different results.
    Nondeterministic,
    /// Agents took the trial several times, and never completed it.
    Abandoned,
}

impl FailureKind {
    /// Every kind.
    pub const ALL: [FailureKind; 8] = [
        Self::Compile,
        Self::Timeout,
        Self::Crash,
        Self::Rejected,
        Self::Fault,
        Self::Memory,
        Self::Nondeterministic,
        Self::Abandoned,
    ];

    /// Returns the name in JSON and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compile => "compile",
            Self::Timeout => "timeout",
            Self::Crash => "crash",
            Self::Rejected => "rejected",
            Self::Fault => "fault",
            Self::Memory => "memory",
            Self::Nondeterministic => "nondeterministic",
            Self::Abandoned => "abandoned",
        }
    }
}

/// The verdict of a trial, without timing and message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Correct: value and index are those of the reference on every input.
    Right,
    /// Correct value with another tie-break: if elements tie, the kernel returned another of
    /// their indices.
    Tie,
    /// Some value differs, or an index that is no tie.
    Wrong,
    /// There is no result to judge.
    Failed,
    /// Timed on a device with exact times, and too slow to be verified. Nothing serves it.
    Timed,
}

impl Status {
    /// Every status.
    pub const ALL: [Status; 5] = [
        Self::Right,
        Self::Tie,
        Self::Wrong,
        Self::Failed,
        Self::Timed,
    ];

    /// Returns the name in JSON and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Tie => "tie",
            Self::Wrong => "wrong",
            Self::Failed => "failed",
            Self::Timed => "timed",
        }
    }
}

/// The timing of a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The time that the samples stand for, in microseconds; positive and finite.
    pub time_us: f64,
    /// All samples in the order of measurement, in microseconds; at least one.
    pub samples_us: Vec<f64>,
    /// The sampling protocol, as JSON of the benchmark harness; none of samples by an early
    /// version of wavetune.
    pub protocol: Option<String>,
}

/// The verdict of a trial with its timing or message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum TrialOutcome {
    /// [`Status::Right`].
    Right(Timing),
    /// [`Status::Tie`]; the message is the first tie whose index differs.
    Tie(Timing, String),
    /// [`Status::Wrong`]; the message is the first difference.
    Wrong(String),
    /// [`Status::Failed`]; the message is the failure's own text.
    Failed(FailureKind, String),
    /// [`Status::Timed`].
    Timed(Timing),
}

impl TrialOutcome {
    /// Returns the verdict alone.
    pub fn status(&self) -> Status {
        match self {
            Self::Right(_) => Status::Right,
            Self::Tie(..) => Status::Tie,
            Self::Wrong(_) => Status::Wrong,
            Self::Failed(..) => Status::Failed,
            Self::Timed(_) => Status::Timed,
        }
    }

    /// Returns the timing, if the value is correct or was not verified.
    pub fn timing(&self) -> Option<&Timing> {
        match self {
            Self::Right(timing) | Self::Tie(timing, _) | Self::Timed(timing) => Some(timing),
            Self::Wrong(_) | Self::Failed(..) => None,
        }
    }

    /// Returns the first difference, or the failure's own text.
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::Right(_) | Self::Timed(_) => None,
            Self::Tie(_, message) | Self::Wrong(message) | Self::Failed(_, message) => {
                Some(message)
            }
        }
    }

    /// Returns the kind of failure, if there is no verdict.
    pub fn failure(&self) -> Option<FailureKind> {
        match self {
            Self::Failed(kind, _) => Some(*kind),
            _ => None,
        }
    }
}

/// The role of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The configuration that the generator uses untuned. Speedups are relative to it.
    Default,
    /// A configuration that a strategy chose.
    Candidate,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 2] = [Self::Default, Self::Candidate];

    /// Returns the name in JSON and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Candidate => "candidate",
        }
    }
}

/// A trial: one configuration of a study, compiled, timed and mostly verified, or the failure that
/// ended it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The trial's position in the study, from 0. A killed study has gaps, which a resumed one
    /// fills.
    pub ordinal: u32,
    /// The role of the trial.
    pub role: Role,
    /// The configuration. `None` only for [`Role::Default`], if no configuration describes the
    /// generator's own choice: IREE's fallback pipeline, `TileAndFuse`. Such a trial has a status
    /// and a time, but no lookup returns it.
    pub configuration: Option<Configuration>,
    /// The verdict with its timing or message.
    pub outcome: TrialOutcome,
    /// The largest error of its results, as a fraction of the allowed bound: 0 if all are exact
    /// to the bit, 1 at the bound.
    ///
    /// `None` unless the status is [`Status::Right`]. Also `None` if only the sign of a zero
    /// differs, and for trials of an early version of wavetune.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// The seed of the inputs of verification and timing.
    pub input_seed: u64,
    /// The time of the compilation in milliseconds, divided over the kernels of a batch; none if
    /// there is no kernel. For a kernel from a cache, the time of reading it.
    pub compile_ms: Option<f64>,
    /// The start of the trial; stored to the millisecond.
    pub started: SystemTime,
    /// The end of the trial; stored to the millisecond.
    pub ended: SystemTime,
}
