//! Tests of a process that stores its trials late: other processes made them meanwhile, and their
//! trials count.

use std::time::Duration;

use async_trait::async_trait;
use store::{
    Finals, Ledger, LedgerPosition, RecordOutcome, StoreError, Study, StudyId, StudyKey, Task,
    Ties, Timing, Trial, TrialOutcome,
};
use store_sqlite::Sqlite;

use crate::study::bed::{ALL_RIGHT, Bed};
use crate::study::plan;

/// A ledger in which another process has stored every third trial earlier, with its own time.
struct Late(Sqlite);

/// Returns the other process's time of the trial with this ordinal, in microseconds. Later trials
/// are faster.
fn others_us(ordinal: u32) -> f64 {
    3.0 - f64::from(ordinal) / 1e3
}

#[async_trait]
impl Ledger for Late {
    async fn open_study_as(
        &self,
        key: &StudyKey,
        bound_us: Option<f64>,
        number: Option<StudyId>,
    ) -> Result<Study, StoreError> {
        self.0.open_study_as(key, bound_us, number).await
    }

    async fn record_trial(
        &self,
        study: &Study,
        trial: &Trial,
    ) -> Result<RecordOutcome, StoreError> {
        if trial.ordinal.is_multiple_of(3) {
            let time_us = others_us(trial.ordinal);
            let outcome = TrialOutcome::Right(Timing {
                time_us,
                samples_us: vec![time_us],
                protocol: None,
            });
            let theirs = Trial {
                outcome,
                ..trial.clone()
            };
            self.0.record_trial(study, &theirs).await?;
        }
        self.0.record_trial(study, trial).await
    }

    async fn record_trials(&self, study: StudyId, trials: &[Trial]) -> Result<u64, StoreError> {
        self.0.record_trials(study, trials).await
    }

    async fn ended(&self, study: StudyId, ordinals: &[u32]) -> Result<Vec<u32>, StoreError> {
        self.0.ended(study, ordinals).await
    }

    async fn record_finals(&self, study: StudyId, finals: &Finals) -> Result<(), StoreError> {
        self.0.record_finals(study, finals).await
    }

    async fn trials_of(&self, study: &Study) -> Result<Vec<Trial>, StoreError> {
        self.0.trials_of(study).await
    }

    async fn trials_since(
        &self,
        study: StudyId,
        seen: LedgerPosition,
    ) -> Result<(Vec<Trial>, LedgerPosition), StoreError> {
        self.0.trials_since(study, seen).await
    }

    async fn finals_of(
        &self,
        study: StudyId,
        trials: u32,
        ties: Ties,
    ) -> Result<Option<Finals>, StoreError> {
        self.0.finals_of(study, trials, ties).await
    }

    async fn take(
        &self,
        study: &Study,
        owner: &str,
        tasks: &[Task],
    ) -> Result<Vec<Task>, StoreError> {
        self.0.take(study, owner, tasks).await
    }

    async fn stay(&self, study: &Study, owner: &str) -> Result<u32, StoreError> {
        self.0.stay(study, owner).await
    }

    async fn leave(&self, study: Option<&Study>, owner: &str) -> Result<(), StoreError> {
        self.0.leave(study, owner).await
    }

    fn patience(&self) -> Duration {
        self.0.patience()
    }

    fn check_place(&self) -> Result<(), StoreError> {
        self.0.check_place()
    }

    fn name(&self) -> String {
        self.0.name()
    }
}

#[tokio::test]
async fn trials_of_another_process_count() {
    let bed = Bed::new(ALL_RIGHT);
    let late = Late(bed.store().await);
    let pool = bed.pool(2).unwrap();
    let report = tuner::run(&plan(60), None, &pool, &late, |_| {})
        .await
        .unwrap();
    assert_eq!((report.counts.total, report.resumed), (60, 20));
    let time_us = |summary: &Option<tuner::Summary>| summary.as_ref().unwrap().time_us;
    assert_eq!(time_us(&report.default), Some(others_us(0)));
    assert_eq!(time_us(&report.best), Some(others_us(57)));
    // A later process sees the same trials and continues to the same result.
    let again = bed.report(&plan(60), 2).await;
    let resumed = report.resumed;
    assert_eq!(tuner::Report { resumed, ..again }, report);
}
