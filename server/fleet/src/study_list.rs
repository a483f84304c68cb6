//! Lists: what the service was asked to do, and how far it is.

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
    /// What was asked.
    pub order: StoredRequest,
    /// Whether it goes on.
    pub state: RunState,
    /// Why it cannot, or why it is done without finals.
    pub reason: Option<String>,
    /// How far it is, where it is under way and its director has said so.
    pub progress: Option<TuneProgress>,
    /// When it was asked for first.
    pub asked: SystemTime,
    /// When its state changed last.
    pub changed: SystemTime,
}

/// An agent that is there.
#[derive(Debug, Clone, PartialEq)]
pub struct PresentAgent {
    /// Its name.
    pub name: String,
    /// What it can be asked for.
    pub offered: AgentCapabilities,
    /// Time since it was last heard of.
    pub silent: Duration,
    /// What it has leased, the oldest first.
    pub leases: Vec<LeaseSummary>,
}

impl Fleet {
    /// Up to `limit` of the studies in this state, or of all, by number, from behind this one on.
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

    /// How many are running.
    ///
    /// # Errors
    ///
    /// `Store`.
    pub async fn running(&self) -> Result<u64, FleetError> {
        Ok(self.store.running().await?)
    }

    /// One of them.
    ///
    /// # Errors
    ///
    /// `Unknown`; `Unable`; `Store`.
    pub async fn study(&self, study: StudyId) -> Result<StudyStatus, FleetError> {
        let run = self.store.run(study).await?;
        let run = run.ok_or(FleetError::Unknown(study.0))?;
        StudyStatus::try_from(run).map_err(|row| FleetError::Unable(row.to_string()))
    }

    /// Who has been heard of lately, by any replica.
    pub fn agents(&self) -> Vec<PresentAgent> {
        let mut leases = self.leases.by_agent();
        let present = self.agents.present().into_iter();
        let present = present.map(|(name, offered, silent)| PresentAgent {
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

    /// Reads a run as a service of this version does.
    fn try_from(run: Run) -> Result<StudyStatus, UnreadableRow> {
        let order = StoredRequest::read(&run.order).map_err(|reason| UnreadableRow {
            table: "run",
            id: run.study.0,
            column: "ordered",
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

/// How far a run is; none where nobody has said so, or in words of another version.
pub(crate) fn progress(run: &Run) -> Option<TuneProgress> {
    serde_json::from_str(run.progress.as_deref()?).ok()
}
