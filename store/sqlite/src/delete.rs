//! Deletion of a study, with its rows in other tables.

use sqlx::SqliteConnection;
use store::{DeletionSummary, StoreError, StoreFault, StudyId};

use crate::Sqlite;
use crate::dialect::transaction;
use crate::error::fault;

impl Sqlite {
    pub(crate) async fn delete_one(
        &self,
        id: StudyId,
    ) -> Result<Option<DeletionSummary>, StoreError> {
        // Take the write lock at once: no process may begin to work on the study after the check
        // below.
        transaction!(self, transaction);
        let study = sqlx::query!(
            r#"SELECT problem_id AS "problem!", provenance_id AS "provenance!" FROM study WHERE id = ?1"#,
            id.0
        );
        let study = study.fetch_optional(&mut *transaction).await;
        let Some(study) = study.map_err(|e| self.error(e))? else {
            // A run that has not begun has no study yet.
            let run = sqlx::query!("DELETE FROM run WHERE study_id = ?1", id.0);
            let run = run.execute(&mut *transaction).await;
            let is_run = run.map_err(|e| self.error(e))?.rows_affected() > 0;
            transaction.commit().await.map_err(|e| self.error(e))?;
            self.files.check()?;
            return Ok(is_run.then(DeletionSummary::default));
        };
        let workers = self.at_work(&mut transaction, id).await?;
        if !workers.is_empty() {
            let (study, owners) = (id, workers);
            return Err(fault(&self.path, StoreFault::AtWork { study, owners }));
        }
        // Foreign keys demand this order. Deleting an owner also deletes its tasks.
        let workers = sqlx::query!("DELETE FROM worker WHERE study_id = ?1", id.0);
        let finals = sqlx::query!("DELETE FROM final WHERE study_id = ?1", id.0);
        let trials = sqlx::query!("DELETE FROM trial WHERE study_id = ?1", id.0);
        let row = sqlx::query!("DELETE FROM study WHERE id = ?1", id.0);
        let problem = sqlx::query!(
            "DELETE FROM problem WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM study WHERE problem_id = ?1)",
            study.problem
        );
        let provenance = sqlx::query!(
            "DELETE FROM provenance WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM study WHERE provenance_id = ?1)",
            study.provenance
        );
        let mut counts = [0; 6];
        for (count, delete) in
            (counts.iter_mut()).zip([workers, finals, trials, row, problem, provenance])
        {
            let deleted = delete.execute(&mut *transaction).await;
            *count = deleted.map_err(|e| self.error(e))?.rows_affected();
        }
        // Followers would otherwise keep the deleted study.
        self.revise(&mut transaction).await?;
        transaction.commit().await.map_err(|e| self.error(e))?;
        self.files.check()?;
        let [_, finals, trials, ..] = counts;
        Ok(Some(DeletionSummary { trials, finals }))
    }

    /// Returns the owners that work on a study, as a transaction sees them.
    pub(crate) async fn at_work(
        &self,
        connection: &mut SqliteConnection,
        id: StudyId,
    ) -> Result<Vec<String>, StoreError> {
        let patience = self.patience_ms();
        let owners = sqlx::query_scalar!(
            r#"SELECT owner AS "owner!" FROM worker
            WHERE study_id = ?1 AND seen_ms >= CAST(1000 * unixepoch('subsec') AS INTEGER) - ?2"#,
            id.0,
            patience
        );
        let owners = owners.fetch_all(connection).await;
        owners.map_err(|e| self.error(e))
    }
}
