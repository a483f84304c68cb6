//! Deleting a study, with all that is there for its sake alone.
//!
//! Problem and provenance go in a transaction of their own, when the study is gone: many trials take long to delete, and
//! whoever opens a study of the same problem meanwhile does not wait for that. If the process ends in between they stay,
//! until a study of theirs is deleted again; no list and no answer has a problem without studies.

use sqlx::PgConnection;
use store::{DeletionSummary, StoreError, StoreFault, StudyId};

use crate::Postgres;

/// What a study refers to.
struct StudyReferences {
    problem: i64,
    provenance: i64,
}

/// What came of it.
enum DeletionOutcome {
    Deleted(DeletionSummary, StudyReferences),
    AtWork(Vec<String>),
    /// A run that has not begun.
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
        // Whoever records a trial of it, or takes a task, has ended or has to wait.
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
        // With an owner goes what it has taken.
        let workers = sqlx::query!("DELETE FROM worker WHERE study_id = $1", id);
        workers.execute(&mut *transaction).await?;
        let finals = sqlx::query!("DELETE FROM final WHERE study_id = $1", id);
        let finals = finals.execute(&mut *transaction).await?.rows_affected();
        let trials = sqlx::query!("DELETE FROM trial WHERE study_id = $1", id);
        let trials = trials.execute(&mut *transaction).await?.rows_affected();
        let row = sqlx::query!("DELETE FROM study WHERE id = $1", id);
        row.execute(&mut *transaction).await?;
        self.revise(&mut transaction).await?;
        transaction.commit().await?;
        Ok(DeletionOutcome::Deleted(
            DeletionSummary { trials, finals },
            study,
        ))
    }

    /// Has all who follow the database read all of it again. It belongs into the transaction that takes something out.
    pub(super) async fn revise(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let revise = sqlx::query!("UPDATE revision SET number = number + 1 WHERE id = 1");
        revise.execute(connection).await.map(drop)
    }

    /// Who works on a study, as a transaction sees it.
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

    /// Deletes a problem and a provenance where no study has them. They are locked first, as whoever opens a study locks
    /// them, and in the same order, so that the studies that are looked for are all there are.
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
