//! Requeuing: deletes abandoned trials, so that a resumed study tries them again.

use store::{StoreError, StoreFault, StudyId};

use crate::Postgres;

/// The outcome of requeuing.
enum RequeueOutcome {
    Forgotten(u64),
    AtWork(Vec<String>),
}

impl Postgres {
    pub(super) async fn forget(&self, id: StudyId) -> Result<u64, StoreError> {
        let tried = self.forget_trials(id.0).await;
        match tried.map_err(|e| self.error(e))? {
            RequeueOutcome::Forgotten(trials) => Ok(trials),
            RequeueOutcome::AtWork(owners) => {
                Err(self.fault(StoreFault::AtWork { study: id, owners }))
            }
        }
    }

    async fn forget_trials(&self, id: i64) -> Result<RequeueOutcome, sqlx::Error> {
        let mut transaction = self.begin().await?;
        // Wait for the processes that record a trial of the study or take its tasks; later ones
        // wait for this transaction.
        let lock = sqlx::query!("SELECT id FROM study WHERE id = $1 FOR UPDATE", id);
        lock.fetch_optional(&mut *transaction).await?;
        let owners = self.at_work(&mut transaction, id).await?;
        if !owners.is_empty() {
            return Ok(RequeueOutcome::AtWork(owners));
        }
        let trials = sqlx::query!(
            "DELETE FROM trial WHERE study_id = $1 AND status = 'failed' AND failure = 'abandoned'",
            id
        );
        let trials = trials.execute(&mut *transaction).await?.rows_affected();
        // Followers of the study would otherwise keep the deleted trials.
        if trials > 0 {
            self.revise(&mut transaction).await?;
        }
        transaction.commit().await?;
        Ok(RequeueOutcome::Forgotten(trials))
    }
}
