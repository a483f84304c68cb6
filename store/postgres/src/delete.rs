//! Deletion of a study, with its rows in other tables.
//!
//! Problem and provenance go in a second transaction, after the study. Deleting many trials takes
//! long, and a process that opens a study of the same problem does not wait for it. If the
//! process ends in between, they stay until the next deletion of a study of theirs. No list and
//! no answer contains a problem without studies.

use sqlx::PgConnection;
use store::{DeletionSummary, StoreError, StoreFault, StudyId};

use crate::Postgres;
use crate::dialect::transaction;

/// The rows that a study refers to.
struct StudyReferences {
    problem: i64,
    provenance: i64,
}

impl Postgres {
    pub(crate) async fn delete_one(
        &self,
        id: StudyId,
    ) -> Result<Option<DeletionSummary>, StoreError> {
        transaction!(self, transaction);
        // Wait for the processes that record a trial of the study or take its tasks; later ones
        // wait for this transaction.
        let study = sqlx::query_as!(
            StudyReferences,
            "SELECT problem_id AS problem, provenance_id AS provenance FROM study WHERE id = $1 FOR UPDATE",
            id.0
        );
        let study = study.fetch_optional(&mut *transaction).await;
        let Some(study) = study.map_err(|e| self.error(e))? else {
            // A run that has not begun has no study yet.
            let run = sqlx::query!("DELETE FROM run WHERE study_id = $1", id.0);
            let run = run.execute(&mut *transaction).await;
            let is_run = run.map_err(|e| self.error(e))?.rows_affected() > 0;
            transaction.commit().await.map_err(|e| self.error(e))?;
            return Ok(is_run.then(DeletionSummary::default));
        };
        let owners = self.at_work(&mut transaction, id).await?;
        if !owners.is_empty() {
            return Err(self.fault(StoreFault::AtWork { study: id, owners }));
        }
        // Foreign keys demand this order. Deleting an owner also deletes its tasks.
        let workers = sqlx::query!("DELETE FROM worker WHERE study_id = $1", id.0);
        let finals = sqlx::query!("DELETE FROM final WHERE study_id = $1", id.0);
        let trials = sqlx::query!("DELETE FROM trial WHERE study_id = $1", id.0);
        let row = sqlx::query!("DELETE FROM study WHERE id = $1", id.0);
        let mut counts = [0; 4];
        for (count, delete) in (counts.iter_mut()).zip([workers, finals, trials, row]) {
            let deleted = delete.execute(&mut *transaction).await;
            *count = deleted.map_err(|e| self.error(e))?.rows_affected();
        }
        // Followers would otherwise keep the deleted study.
        self.revise(&mut transaction).await?;
        transaction.commit().await.map_err(|e| self.error(e))?;
        let unused = self.delete_unused(&study).await;
        unused.map_err(|e| self.error(e))?;
        let [_, finals, trials, _] = counts;
        Ok(Some(DeletionSummary { trials, finals }))
    }

    /// Makes all followers of the database read it again. Call it in the transaction that deletes
    /// rows.
    pub(crate) async fn revise(&self, connection: &mut PgConnection) -> Result<(), StoreError> {
        let revise = sqlx::query!("UPDATE revision SET number = number + 1 WHERE id = 1");
        let revised = revise.execute(connection).await;
        revised.map(drop).map_err(|e| self.error(e))
    }

    /// Returns the owners that work on a study, as a transaction sees them.
    pub(crate) async fn at_work(
        &self,
        connection: &mut PgConnection,
        id: StudyId,
    ) -> Result<Vec<String>, StoreError> {
        let owners = sqlx::query_scalar!(
            r#"SELECT owner FROM worker
            WHERE study_id = $1 AND seen_at >= clock_timestamp() - $2::bigint * interval '1 millisecond'
            ORDER BY owner COLLATE "C""#,
            id.0,
            self.patience_ms()
        );
        let owners = owners.fetch_all(connection).await;
        owners.map_err(|e| self.error(e))
    }

    /// Deletes a problem and a provenance that no study has. Locks them first, in the same order
    /// as a process that opens a study, so that no new study appears meanwhile.
    async fn delete_unused(&self, of: &StudyReferences) -> Result<(), sqlx::Error> {
        let mut transaction = self.begin().await?;
        let lock = sqlx::query!(
            "SELECT id FROM problem WHERE id = $1 FOR UPDATE",
            of.problem
        );
        lock.fetch_optional(&mut *transaction).await?;
        let problem = sqlx::query!(
            "DELETE FROM problem WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM study WHERE problem_id = $1)",
            of.problem
        );
        problem.execute(&mut *transaction).await?;
        let lock = sqlx::query!(
            "SELECT id FROM provenance WHERE id = $1 FOR UPDATE",
            of.provenance
        );
        lock.fetch_optional(&mut *transaction).await?;
        let provenance = sqlx::query!(
            "DELETE FROM provenance WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM study WHERE provenance_id = $1)",
            of.provenance
        );
        provenance.execute(&mut *transaction).await?;
        transaction.commit().await
    }
}
