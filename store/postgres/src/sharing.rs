//! The queries by which several processes share the work of a study.
//!
//! All times come from the server, so the clocks of the machines need not agree.
//!
//! A process that takes or gives back a task locks the study's row meanwhile. If an owner gives a
//! task back as done, the next owner therefore sees its result before it could take the task.
//! Trials can still be recorded, because a reference to a study locks only its key.

use sqlx::PgConnection;
use store::{StoreError, Study, Task};
use store_relational::{columns, is_among, millis_of};

use crate::Postgres;

impl Postgres {
    pub(crate) async fn take_tasks(
        &self,
        study: &Study,
        owner: &str,
        tasks: &[Task],
    ) -> Result<Vec<Task>, StoreError> {
        let (kinds, numbers): (Vec<&str>, Vec<i64>) = tasks.iter().copied().map(columns).unzip();
        let kinds: Vec<String> = kinds.into_iter().map(str::to_owned).collect();
        let taken = self.take_columns(study.id.0, owner, &kinds, &numbers).await;
        let taken = taken.map_err(|e| self.error(e))?;
        let taken = || taken.iter().map(|(kind, number)| (kind, *number));
        // The caller wants its own order, which RETURNING does not promise.
        let tasks = tasks.iter().copied();
        Ok(tasks.filter(|task| is_among(*task, taken())).collect())
    }

    async fn take_columns(
        &self,
        study: i64,
        owner: &str,
        kinds: &[String],
        numbers: &[i64],
    ) -> Result<Vec<(String, i64)>, sqlx::Error> {
        let mut transaction = self.begin().await?;
        lock(&mut transaction, study).await?;
        note_owner(&mut transaction, study, owner).await?;
        // Deleting dead owners frees their tasks, which this owner may then take.
        self.bury(&mut transaction, study).await?;
        let take = sqlx::query!(
            "INSERT INTO taken (study_id, kind, number, owner)
            SELECT DISTINCT $1::bigint, task.kind, task.number, $2::text
            FROM unnest($3::text[], $4::bigint[]) AS task (kind, number)
            WHERE task.kind <> 'trial'
                OR NOT EXISTS (SELECT 1 FROM trial t WHERE t.study_id = $1 AND t.ordinal = task.number)
            ON CONFLICT (study_id, kind, number) DO UPDATE SET owner = excluded.owner
                WHERE taken.owner = excluded.owner
            RETURNING kind, number",
            study,
            owner,
            kinds,
            numbers,
        );
        let taken = take.fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(taken
            .into_iter()
            .map(|row| (row.kind, row.number))
            .collect())
    }

    pub(crate) async fn stay_at(&self, study: &Study, owner: &str) -> Result<u32, StoreError> {
        let mut connection = self.pool.acquire().await.map_err(|e| self.error(e))?;
        let noted = note_owner(&mut connection, study.id.0, owner).await;
        noted.map_err(|e| self.error(e))?;
        let others = sqlx::query_scalar!(
            r#"SELECT count(*) AS "n!" FROM worker
            WHERE study_id = $1 AND owner <> $2
                AND seen_at >= clock_timestamp() - $3::bigint * interval '1 millisecond'"#,
            study.id.0,
            owner,
            self.patience_ms(),
        );
        let others = others.fetch_one(&mut *connection).await;
        let others = others.map_err(|e| self.error(e))?;
        Ok(u32::try_from(others).unwrap_or(u32::MAX))
    }

    pub(crate) async fn leave_work(
        &self,
        study: Option<&Study>,
        owner: &str,
    ) -> Result<(), StoreError> {
        let left = self.leave_studies(study.map(|study| study.id.0), owner);
        left.await.map_err(|e| self.error(e))
    }

    async fn leave_studies(&self, study: Option<i64>, owner: &str) -> Result<(), sqlx::Error> {
        let mut transaction = self.begin().await?;
        // Lock in the same order always: two owners that leave could otherwise deadlock.
        let locks = sqlx::query!(
            "SELECT id FROM study
            WHERE id IN (SELECT study_id FROM worker WHERE owner = $1 AND study_id = coalesce($2, study_id))
            ORDER BY id FOR NO KEY UPDATE",
            owner,
            study,
        );
        locks.fetch_all(&mut *transaction).await?;
        let leave = sqlx::query!(
            "DELETE FROM worker WHERE owner = $1 AND study_id = coalesce($2, study_id)",
            owner,
            study,
        );
        leave.execute(&mut *transaction).await?;
        if let Some(study) = study {
            // The owner may have had no row in the study, and then the statement above has not
            // locked it.
            lock(&mut transaction, study).await?;
            self.bury(&mut transaction, study).await?;
        }
        transaction.commit().await
    }

    /// Deletes the silent owners, and thereby the tasks that they had taken.
    async fn bury(&self, connection: &mut PgConnection, study: i64) -> Result<(), sqlx::Error> {
        let dead = sqlx::query!(
            "DELETE FROM worker
            WHERE study_id = $1 AND seen_at < clock_timestamp() - $2::bigint * interval '1 millisecond'",
            study,
            self.patience_ms(),
        );
        dead.execute(connection).await.map(drop)
    }

    pub(crate) fn patience_ms(&self) -> i64 {
        millis_of(self.patience)
    }
}

/// Locks the study until the end of the transaction, so that no other process takes or gives back
/// its tasks.
async fn lock(connection: &mut PgConnection, study: i64) -> Result<(), sqlx::Error> {
    let lock = sqlx::query!(
        "SELECT id FROM study WHERE id = $1 FOR NO KEY UPDATE",
        study
    );
    lock.fetch_optional(connection).await.map(drop)
}

/// Notes that the owner is alive.
async fn note_owner(
    connection: &mut PgConnection,
    study: i64,
    owner: &str,
) -> Result<(), sqlx::Error> {
    // clock_timestamp(), because now() is the begin of the transaction, which may have waited
    // long for a lock.
    let note = sqlx::query!(
        "INSERT INTO worker (study_id, owner, seen_at) VALUES ($1, $2, clock_timestamp())
        ON CONFLICT (study_id, owner) DO UPDATE SET seen_at = excluded.seen_at",
        study,
        owner,
    );
    note.execute(connection).await.map(drop)
}
