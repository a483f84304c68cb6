//! Findings: the report of a finished study from its database, so that any replica gives it, also
//! one that started later.

use std::time::Duration;

use store::{RunState, StudyId};
use tuner::{FinalsOutcome, PreparedStudy, Report, TuneError};

use crate::Fleet;
use crate::error::FleetError;
use crate::prior_answers::served_before;
use crate::study_request::OfferedStudy;

/// The findings of a finished study.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyFindings {
    /// The study.
    pub study: StudyId,
    /// Its report.
    pub report: Report,
    /// Time from request to end, by the database's clock.
    pub took: Duration,
}

impl Fleet {
    /// Returns the findings of a finished study. The replica recomputes the space, for two
    /// studies at once, and keeps the last 8 in memory.
    ///
    /// # Errors
    ///
    /// `Unknown`; `State`; `Unable`, also if this version cannot prepare the stored request any
    /// more; `Store`.
    pub async fn findings(&self, study: StudyId) -> Result<StudyFindings, FleetError> {
        let run = self.store.run(study).await?;
        let run = run.ok_or(FleetError::Unknown(study.0))?;
        if run.state != RunState::Done {
            return Err(FleetError::State {
                study: study.0,
                state: run.state,
                wanted: "reported",
            });
        }
        let study = run.study;
        let order = OfferedStudy::read(&run.order).map_err(FleetError::Unable)?;
        let recorded = order.recorded.unwrap_or(0);
        let prepared = async move {
            let known = served_before(&order).await;
            let prepared = PreparedStudy::new(order.plan, order.offer).await?;
            Ok::<_, TuneError>(prepared.with_known(known))
        };
        let prepared = self.prepared.of(&run.order, prepared).await;
        // The caller of today is not at fault for a request of the past, so no `Refused`.
        let prepared = prepared.map_err(|error| FleetError::Unable(error.to_string()))?;
        let store = self.store.as_ref();
        let mut report = tuner::ledger_report(&prepared, study, recorded, store).await?;
        // A finished run has a reason only if its finals were abandoned.
        report.finals = report.finals.or(run.reason.map(FinalsOutcome::Abandoned));
        Ok(StudyFindings {
            study,
            report,
            // The clock of the database may have been set back.
            took: run.changed.duration_since(run.asked).unwrap_or_default(),
        })
    }
}
