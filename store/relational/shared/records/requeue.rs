//! Requeuing: deletes abandoned trials, so that a resumed study tries them again.

use store::{StoreError, StoreFault, StudyId};

use crate::Database;
use crate::dialect::{postgres_only, query, transaction};

impl Database {
    pub(super) async fn forget(&self, id: StudyId) -> Result<u64, StoreError> {
        transaction!(self, transaction);
        postgres_only! {
            // Wait for the processes that record a trial of the study or take its tasks; later
            // ones wait for this transaction.
            let lock = sqlx::query!("SELECT id FROM study WHERE id = $1 FOR UPDATE", id.0);
            let locked = lock.fetch_optional(&mut *transaction).await;
            locked.map_err(|e| self.error(e))?;
        }
        let owners = self.at_work(&mut transaction, id).await?;
        if !owners.is_empty() {
            return Err(self.fault(StoreFault::AtWork { study: id, owners }));
        }
        let trials = query!(
            "DELETE FROM trial WHERE study_id = $1 AND status = 'failed' AND failure = 'abandoned'",
            id.0
        );
        let trials = trials.execute(&mut *transaction).await;
        let trials = trials.map_err(|e| self.error(e))?.rows_affected();
        // Followers of the study would otherwise keep the deleted trials.
        if trials > 0 {
            self.revise(&mut transaction).await?;
        }
        transaction.commit().await.map_err(|e| self.error(e))?;
        self.check_displacement()?;
        Ok(trials)
    }
}
