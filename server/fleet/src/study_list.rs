//! Study list: the studies of a service, and their progress.

use std::time::{Duration, SystemTime};

use store::{Readable, Run, RunState, StudyId, Unreadable, UnreadableRow};
use tuner::TuneProgress;

use crate::Fleet;
use crate::agent_registry::AgentCapabilities;
use crate::error::FleetError;
use crate::lease_registry::LeaseSummary;
use crate::study_request::StoredRequest;

/// A study that the service was asked to carry on.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyStatus {
    /// Its number.
    pub study: StudyId,
    /// The stored request.
    pub order: StoredRequest,
    /// The state of its run.
    pub state: RunState,
    /// The reason of a failed state, or of an end without finals.
    pub reason: Option<String>,
    /// Its progress, if it is running and its director has reported some.
    pub progress: Option<TuneProgress>,
    /// The time of its first request.
    pub asked: SystemTime,
    /// The time of its last change of state.
    pub changed: SystemTime,
}

/// An agent that is present.
#[derive(Debug, Clone, PartialEq)]
pub struct PresentAgent {
    /// Its capabilities.
    pub name: String,
    /// Time since its last contact.
    pub offered: AgentCapabilities,
    /// Time since it was last heard of.
    pub silent: Duration,
    /// Its leases, the oldest first.
    pub leases: Vec<LeaseSummary>,
}

impl Fleet {
    /// Returns up to `limit` studies in this state, or in any, by number, after the study
    /// `after`.
    ///
    /// # Errors
    ///
    /// `Store`.
    pub async fn list(
        &self,
        state: Option<RunState>,
        after: Option<StudyId>,
        limit: u32,
    ) -> Result<Readable<StudyStatus>, FleetError> {
        let runs = self.store.runs(state, after, limit).await?;
        let mut unreadable: Unreadable = runs.unreadable;
        let listed = runs.rows.into_iter().map(StudyStatus::try_from);
        let rows = listed.filter_map(|row| unreadable.note(row)).collect();
        Ok(Readable { rows, unreadable })
    }

    /// Returns the number of running studies.
    ///
    /// # Errors
    ///
    /// `Store`.
    pub async fn running(&self) -> Result<u64, FleetError> {
        Ok(self.store.running().await?)
    }

    /// Returns one study.
    ///
    /// # Errors
    ///
    /// `Unknown`; `Unable`; `Store`.
    pub async fn study(&self, study: StudyId) -> Result<StudyStatus, FleetError> {
        let run = self.store.run(study).await?;
        let run = run.ok_or(FleetError::Unknown(study.0))?;
        StudyStatus::try_from(run).map_err(|row| FleetError::Unable(row.to_string()))
    }

    /// Returns the agents that contacted any replica lately.
    pub fn agents(&self) -> Vec<PresentAgent> {
        let mut leases = self.leases.by_agent();
        let present = self.agents.present().into_iter();
        let present = present.map(|(name, offered, silent)| PresentAgent {
            // Leases of agents that are gone stay out: each lease belongs to a present agent.
            leases: leases.remove(&name).unwrap_or_default(),
            name,
            offered,
            silent,
        });
        present.collect()
    }
}

impl TryFrom<Run> for StudyStatus {
    type Error = UnreadableRow;

    /// Reads a run as this version understands it.
    fn try_from(run: Run) -> Result<StudyStatus, UnreadableRow> {
        let order = StoredRequest::read(&run.order).map_err(|reason| UnreadableRow {
            table: "run".into(),
            id: run.study.0,
            column: "ordered".into(),
            reason,
        })?;
        let progress = progress(&run);
        Ok(StudyStatus {
            study: run.study,
            order,
            state: run.state,
            reason: run.reason,
            progress,
            asked: run.asked,
            changed: run.changed,
        })
    }
}

/// Returns the progress of a run. Returns none before the first report, or if another version
/// wrote it.
pub(crate) fn progress(run: &Run) -> Option<TuneProgress> {
    serde_json::from_str(run.progress.as_deref()?).ok()
}
