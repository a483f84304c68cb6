//! Requeuing: deletes abandoned trials, so that a resumed study tries them again.

use sqlx::Connection as _;
use store::{StoreError, StoreFault, StudyId};

use crate::Sqlite;
use crate::error::fault;

impl Sqlite {
    pub(super) async fn forget(&self, id: StudyId) -> Result<u64, StoreError> {
        let mut connection = self.connection().await?;
        // Take the write lock at once: no process may begin to work on the study after the check
        // below.
        let transaction = connection.begin_with("BEGIN IMMEDIATE").await;
        let mut transaction = transaction.map_err(|e| self.error(e))?;
        let workers = self.at_work(&mut transaction, id).await?;
        if !workers.is_empty() {
            let (study, owners) = (id, workers);
            return Err(fault(&self.path, StoreFault::AtWork { study, owners }));
        }
        let trials = sqlx::query!(
            "DELETE FROM trial WHERE study_id = ?1 AND status = 'failed' AND failure = 'abandoned'",
            id.0
        );
        let trials = trials.execute(&mut *transaction).await;
        let trials = trials.map_err(|e| self.error(e))?.rows_affected();
        // Followers of the study would otherwise keep the deleted trials.
        if trials > 0 {
            self.revise(&mut transaction).await?;
        }
        transaction.commit().await.map_err(|e| self.error(e))?;
        self.files.check()?;
        Ok(trials)
    }
}
