//! Events: what happens in a study, for those who watch.

use store::{FailureKind, Role, RunState, Status, Trial};
use tuner::TuneProgress;

/// A trial in short.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrialSummary {
    /// Its place in the study's sequence.
    pub ordinal: u32,
    /// What it is for.
    pub role: Role,
    /// Its verdict.
    pub status: Status,
    /// Why there is none.
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

/// How a study stands.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyMoment {
    /// Whether it goes on.
    pub state: RunState,
    /// Why it cannot, or why it is done without finals.
    pub reason: Option<String>,
    /// How far it is; none before its director has said so.
    pub progress: Option<TuneProgress>,
}

/// What happened since the last news.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyUpdate {
    /// Where who has heard it goes on.
    pub id: String,
    /// The trials that have ended.
    pub trials: Vec<TrialSummary>,
    /// How the study stands now.
    pub now: StudyMoment,
}
