//! Rows of runs.

use std::time::Duration;

use store::{Priority, Run, RunState, StudyId, TokenId, UnreadableRow};

use super::RowLocation;

/// A row of `run`.
#[expect(
    missing_docs,
    reason = "the columns of the schema, which its migrations describe"
)]
pub struct RunRow {
    pub study_id: i64,
    pub ordered: String,
    pub state: String,
    pub reason: Option<String>,
    pub director: Option<String>,
    pub silent_ms: Option<i64>,
    pub progress: Option<String>,
    pub asked_ms: i64,
    pub changed_ms: i64,
    pub submitter: Option<i64>,
    pub urgent: bool,
}

impl RunRow {
    /// Returns the run.
    pub fn run(self) -> Result<Run, UnreadableRow> {
        let place = RowLocation {
            table: "run",
            id: self.study_id,
        };
        Ok(Run {
            study: StudyId(self.study_id),
            order: self.ordered,
            state: place.named("state", &self.state, &RunState::ALL, RunState::name)?,
            reason: self.reason,
            director: self.director,
            silent: self.silent_ms.map(silence),
            progress: self.progress,
            asked: place.time("asked", self.asked_ms)?,
            changed: place.time("changed", self.changed_ms)?,
            priority: Priority {
                submitter: self.submitter.map(TokenId),
                is_urgent: self.urgent,
            },
        })
    }
}

/// Returns the time of silence, at least 0: a clock that was set back gives a negative one.
fn silence(millis: i64) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}
