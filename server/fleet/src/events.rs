//! Events of a study, for clients that watch it.

use store::{FailureKind, Role, RunState, Status, Trial};
use tuner::TuneProgress;

/// A summary of a trial.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrialSummary {
    /// Its place in the study's sequence.
    pub ordinal: u32,
    /// Its role in the study.
    pub role: Role,
    /// Its verdict.
    pub status: Status,
    /// The kind of failure, if it failed.
    pub failure: Option<FailureKind>,
    /// Its time in microseconds.
    pub time_us: Option<f64>,
}

impl From<&Trial> for TrialSummary {
    fn from(trial: &Trial) -> TrialSummary {
        TrialSummary {
            ordinal: trial.ordinal,
            role: trial.role,
            status: trial.outcome.status(),
            failure: trial.outcome.failure(),
            time_us: trial.outcome.timing().map(|timing| timing.time_us),
        }
    }
}

/// The state of a study at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyMoment {
    /// The state of its run.
    pub state: RunState,
    /// The reason of a failed state, or of an end without finals.
    pub reason: Option<String>,
    /// Its progress; none before the first report of its director.
    pub progress: Option<TuneProgress>,
}

/// The events of a study since the last update.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyUpdate {
    /// The ID from which a client continues after this update.
    pub id: String,
    /// The trials that have ended.
    pub trials: Vec<TrialSummary>,
    /// The state of the study now.
    pub now: StudyMoment,
}
