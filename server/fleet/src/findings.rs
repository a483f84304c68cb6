//! What a study has found, as the database has it: any replica can tell, also one that was started since.

use std::time::Duration;

use store::{RunState, StudyId};
use tuner::{FinalsOutcome, PreparedStudy, Report};

use crate::Fleet;
use crate::error::FleetError;
use crate::study_request::OfferedStudy;

/// What a study has found, and how long that took.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyFindings {
    /// The study.
    pub study: StudyId,
    /// What it has found.
    pub report: Report,
    /// From when it was asked for until it was done, by the database's clock.
    pub took: Duration,
}

impl Fleet {
    /// What a study has found that is done. Its space is worked out again, of two studies at once; those of the last ones that
    /// were asked for are remembered.
    ///
    /// # Errors
    ///
    /// `Unknown`; `State`; `Unable`, also where this version cannot carry out the order any more; `Store`.
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
        let prepared = PreparedStudy::new(order.plan, order.offer);
        let prepared = self.prepared.of(&run.order, prepared).await;
        // What was asked once is no fault of who asks now.
        let prepared = prepared.map_err(|error| FleetError::Unable(error.to_string()))?;
        let (store, recorded) = (self.store.as_ref(), order.recorded.unwrap_or(0));
        let mut report = tuner::ledger_report(&prepared, study, recorded, store).await?;
        report.finals = report.finals.or(run.reason.map(FinalsOutcome::Abandoned));
        Ok(StudyFindings {
            study,
            report,
            took: run.changed.duration_since(run.asked).unwrap_or_default(),
        })
    }
}
