//! Trials: what one configuration did.

use std::time::SystemTime;

use configgen::Configuration;
use serde::{Deserialize, Serialize};

/// Why a trial has no verdict.
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
    /// Whoever was given it, several times, did not bring it to an end.
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

    /// Its name in JSON and in the database.
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

/// The verdict of a trial, without what comes with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Value and index are those of the reference on every input.
    Right,
    /// "Right value, tie index differs": the value is right, and where values tie another of their indices came out.
    Tie,
    /// Some value, or an index that is no tie, differs.
    Wrong,
    /// There is no result to judge.
    Failed,
}

impl Status {
    /// Every status.
    pub const ALL: [Status; 4] = [Self::Right, Self::Tie, Self::Wrong, Self::Failed];

    /// Its name in JSON and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Tie => "tie",
            Self::Wrong => "wrong",
            Self::Failed => "failed",
        }
    }
}

/// The time of a right kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The time that the samples stand for, in microseconds; positive and finite.
    pub time_us: f64,
    /// Every sample in the order of measurement, in microseconds; at least one.
    pub samples_us: Vec<f64>,
    /// How they were taken, as JSON in the harness's words; none where an earlier version of us took them.
    pub protocol: Option<String>,
}

/// The verdict of a trial and what comes with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum TrialOutcome {
    /// [`Status::Right`].
    Right(Timing),
    /// [`Status::Tie`]; the message is the first tie whose index differs.
    Tie(Timing, String),
    /// [`Status::Wrong`]; the message is the first difference.
    Wrong(String),
    /// [`Status::Failed`]; the message is the failure's own words.
    Failed(FailureKind, String),
}

impl TrialOutcome {
    /// The verdict alone.
    pub fn status(&self) -> Status {
        match self {
            Self::Right(_) => Status::Right,
            Self::Tie(..) => Status::Tie,
            Self::Wrong(_) => Status::Wrong,
            Self::Failed(..) => Status::Failed,
        }
    }

    /// The timing, which only right kernels have.
    pub fn timing(&self) -> Option<&Timing> {
        match self {
            Self::Right(timing) | Self::Tie(timing, _) => Some(timing),
            Self::Wrong(_) | Self::Failed(..) => None,
        }
    }

    /// The first difference, or the failure's own words.
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::Right(_) => None,
            Self::Tie(_, message) | Self::Wrong(message) | Self::Failed(_, message) => {
                Some(message)
            }
        }
    }

    /// Why there is no verdict.
    pub fn failure(&self) -> Option<FailureKind> {
        match self {
            Self::Failed(kind, _) => Some(*kind),
            _ => None,
        }
    }
}

/// What a trial is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The configuration that the generator would take untuned; what speedups are relative to.
    Default,
    /// A configuration that a strategy chose.
    Candidate,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 2] = [Self::Default, Self::Candidate];

    /// Its name in JSON and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Candidate => "candidate",
        }
    }
}

/// One configuration of a study: compiled, verified and timed, or what came in between.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Its place in the study's sequence, counted from 0. A killed study has gaps, which a resumed one fills.
    pub ordinal: u32,
    /// What it is for.
    pub role: Role,
    /// The configuration. None only for [`Role::Default`], where the generator's own choice is no configuration that
    /// could be written down (IREE's fallback pipeline, `TileAndFuse`); such a trial has a status and a time, but is
    /// never served as a best one.
    pub configuration: Option<Configuration>,
    /// What it did.
    pub outcome: TrialOutcome,
    /// How far the farthest of its results was from the exact one, as a share of what is right: 0 where all of them are
    /// right to the bit, 1 where one is only just right. None of what is not [`Status::Right`], of what is right but for
    /// the sign of a zero, and where an earlier version of us tried it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// Seed of the inputs that it was verified and timed on.
    pub input_seed: u64,
    /// Time of the compilation in milliseconds, shared out over a batch; none where there is no kernel. Where the kernel
    /// came from a cache, the time of reading it.
    pub compile_ms: Option<f64>,
    /// When it began; kept to the millisecond.
    pub started: SystemTime,
    /// When it ended; kept to the millisecond.
    pub ended: SystemTime,
}
