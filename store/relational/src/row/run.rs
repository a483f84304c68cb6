//! Rows of what a service was asked to do.

use store::{Run, RunState, StudyId, UnreadableRow};

use super::{Place, time_of};

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
    pub asked_ms: i64,
    pub changed_ms: i64,
}

impl RunRow {
    /// The run.
    pub fn run(self) -> Result<Run, UnreadableRow> {
        let place = Place {
            table: "run",
            id: self.study_id,
        };
        Ok(Run {
            study: StudyId(self.study_id),
            order: self.ordered,
            state: place.named("state", &self.state, &RunState::ALL, RunState::name)?,
            reason: self.reason,
            asked: time_of(self.asked_ms),
            changed: time_of(self.changed_ms),
        })
    }
}
