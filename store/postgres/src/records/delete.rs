//! Deletion of a study, with its rows in other tables.
//!
//! Problem and provenance go in a second transaction, after the study. Deleting many trials takes
//! long, and a process that opens a study of the same problem does not wait for it. If the
//! process ends in between, they stay until the next deletion of a study of theirs. No list and
//! no answer contains a problem without studies.

use sqlx::PgConnection;
use store::{DeletionSummary, StoreError, StoreFault, StudyId};

use crate::Postgres;

/// The rows that a study refers to.
struct StudyReferences {
    problem: i64,
    provenance: i64,
}

/// The outcome of a deletion.
enum DeletionOutcome {
    Deleted(DeletionSummary, StudyReferences),
    AtWork(Vec<String>),
    /// Deleted a run that had not begun.
    DeletedRun,
    Missing,
}

impl Postgres {
    pub(super) async fn delete_one(
        &self,
        id: StudyId,
    ) -> Result<Option<DeletionSummary>, StoreError> {
        let tried = self.delete_with_trials(id.0).await;
        match tried.map_err(|e| self.error(e))? {
            DeletionOutcome::Missing => Ok(None),
            DeletionOutcome::DeletedRun => Ok(Some(DeletionSummary::default())),
            DeletionOutcome::AtWork(owners) => {
                Err(self.fault(StoreFault::AtWork { study: id, owners }))
            }
            DeletionOutcome::Deleted(deleted, referred) => {
                let left = self.delete_unused(&referred).await;
                left.map_err(|e| self.error(e))?;
                Ok(Some(deleted))
            }
        }
    }

    async fn delete_with_trials(&self, id: i64) -> Result<DeletionOutcome, sqlx::Error> {
        let mut transaction = self.begin().await?;
        // Wait for the processes that record a trial of the study or take its tasks; later ones
        // wait for this transaction.
        let study = sqlx::query_as!(
            StudyReferences,
            "SELECT problem_id AS problem, provenance_id AS provenance FROM study WHERE id = $1 FOR UPDATE",
            id
        );
        let Some(study) = study.fetch_optional(&mut *transaction).await? else {
            // A run that has not begun has no study yet.
            let run = sqlx::query!("DELETE FROM run WHERE study_id = $1", id);
            let is_run = run.execute(&mut *transaction).await?.rows_affected() > 0;
            transaction.commit().await?;
            return Ok(match is_run {
                true => DeletionOutcome::DeletedRun,
                false => DeletionOutcome::Missing,
            });
        };
        let owners = self.at_work(&mut transaction, id).await?;
        if !owners.is_empty() {
            return Ok(DeletionOutcome::AtWork(owners));
        }
        // Foreign keys demand this order. Deleting an owner also deletes its tasks.
        let workers = sqlx::query!("DELETE FROM worker WHERE study_id = $1", id);
        workers.execute(&mut *transaction).await?;
        let finals = sqlx::query!("DELETE FROM final WHERE study_id = $1", id);
        let finals = finals.execute(&mut *transaction).await?.rows_affected();
        let trials = sqlx::query!("DELETE FROM trial WHERE study_id = $1", id);
        let trials = trials.execute(&mut *transaction).await?.rows_affected();
        let row = sqlx::query!("DELETE FROM study WHERE id = $1", id);
        row.execute(&mut *transaction).await?;
        // Followers would otherwise keep the deleted study.
        self.revise(&mut transaction).await?;
        transaction.commit().await?;
        Ok(DeletionOutcome::Deleted(
            DeletionSummary { trials, finals },
            study,
        ))
    }

    /// Makes all followers of the database read it again. Call it in the transaction that deletes
    /// rows.
    pub(super) async fn revise(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let revise = sqlx::query!("UPDATE revision SET number = number + 1 WHERE id = 1");
        revise.execute(connection).await.map(drop)
    }

    /// Returns the owners that work on a study, as a transaction sees them.
    pub(super) async fn at_work(
        &self,
        connection: &mut PgConnection,
        id: i64,
    ) -> Result<Vec<String>, sqlx::Error> {
        let owners = sqlx::query_scalar!(
            r#"SELECT owner FROM worker
            WHERE study_id = $1 AND seen_at >= clock_timestamp() - $2::bigint * interval '1 millisecond'
            ORDER BY owner COLLATE "C""#,
            id,
            self.patience_ms()
        );
        owners.fetch_all(connection).await
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
