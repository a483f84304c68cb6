//! The report of a study from its ledger, for callers that did not direct it.

use store::{Ledger, LedgerPosition, StudyId};

use super::PreparedStudy;
use super::finals::FinalsRoster;
use crate::error::TuneError;
use crate::report::{Report, StudyTally};

/// Reports the results of a study of this plan. `before` is the number of trials before the
/// request. This writes nothing. Abandoned finals are not in the ledger, so the report omits
/// them.
///
/// # Errors
///
/// [`TuneError::Store`].
pub async fn ledger_report(
    prepared: &PreparedStudy,
    study: StudyId,
    before: u64,
    ledger: &dyn Ledger,
) -> Result<Report, TuneError> {
    let PreparedStudy { plan, offer, .. } = prepared;
    let (mut trials, _) = ledger
        .trials_since(study, LedgerPosition::default())
        .await?;
    // A director tries the known configuration also with a budget of one trial.
    trials.retain(|trial| u64::from(trial.ordinal) < prepared.total.max(2));
    trials.sort_by_key(|trial| trial.ordinal);
    // If an ordinal occurs twice, the first stored trial counts, because the sort is stable.
    trials.dedup_by_key(|trial| trial.ordinal);
    let mut standing = StudyTally::new(offer.provenance.generator, plan.ties);
    for trial in &trials {
        standing.add(trial);
    }
    let meeting = match offer.is_exact() {
        true => None,
        // The search may have ended before its budget was spent.
        false => FinalsRoster::of(&standing, standing.counts.total, &trials),
    };
    let mut finished = None;
    if let Some(meeting) = meeting {
        let (trials, ties) = (meeting.terms.trials, meeting.terms.ties);
        let stored = ledger.finals_of(study, trials, ties).await?;
        let told = stored.and_then(|stored| meeting.read(&stored));
        finished = told.map(|told| meeting.finished(told));
    }
    let resumed = before.min(standing.counts.total);
    Ok(prepared.report(standing, finished, resumed))
}
