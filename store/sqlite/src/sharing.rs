//! The queries by which several processes share the work of a study.
//!
//! All times come from SQLite. Processes that share a file disagree only as far as the clocks of
//! their machines do.

use sqlx::SqliteConnection;
use store::{StoreError, Study, Task};
use store_relational::{columns, is_among, millis_of};

use crate::Sqlite;
use crate::dialect::transaction;

impl Sqlite {
    pub(crate) async fn take_tasks(
        &self,
        study: &Study,
        owner: &str,
        tasks: &[Task],
    ) -> Result<Vec<Task>, StoreError> {
        let listed: Vec<(&str, i64)> = tasks.iter().copied().map(columns).collect();
        let listed = serde_json::to_string(&listed).expect("words and numbers are JSON");
        // Take the write lock first: SQLite refuses a write after a read if another process has
        // written meanwhile.
        transaction!(self, transaction);
        self.note_owner(&mut transaction, study, owner).await?;
        // Deleting dead owners frees their tasks, which this owner may then take.
        self.bury(&mut transaction, study).await?;
        let take = sqlx::query!(
            r#"INSERT INTO taken (study_id, kind, number, owner)
            SELECT ?1, value ->> 0, value ->> 1, ?2 FROM json_each(?3)
            WHERE value ->> 0 <> 'trial'
                OR NOT EXISTS (SELECT 1 FROM trial t WHERE t.study_id = ?1 AND t.ordinal = value ->> 1)
            ON CONFLICT DO UPDATE SET owner = excluded.owner WHERE owner = excluded.owner
            RETURNING kind AS "kind!", number AS "number!: i64""#,
            study.id.0,
            owner,
            listed,
        );
        let taken = take.fetch_all(&mut *transaction).await;
        let taken = taken.map_err(|e| self.error(e))?;
        let committed = transaction.commit().await;
        committed.map_err(|e| self.error(e))?;
        self.files.check()?;
        let taken = || taken.iter().map(|row| (row.kind.as_str(), row.number));
        let tasks = tasks.iter().copied();
        // The caller wants its own order, which RETURNING does not promise.
        Ok(tasks.filter(|task| is_among(*task, taken())).collect())
    }

    pub(crate) async fn stay_at(&self, study: &Study, owner: &str) -> Result<u32, StoreError> {
        let mut connection = self.connection().await?;
        self.note_owner(&mut connection, study, owner).await?;
        let patience = self.patience_ms();
        let others = sqlx::query_scalar!(
            r#"SELECT count(*) AS "n!: u32" FROM worker
            WHERE study_id = ?1 AND owner <> ?2
                AND seen_ms >= CAST(1000 * unixepoch('subsec') AS INTEGER) - ?3"#,
            study.id.0,
            owner,
            patience,
        );
        let others = others.fetch_one(&mut *connection).await;
        others.map_err(|e| self.error(e))
    }

    /// Notes that the owner is alive.
    async fn note_owner(
        &self,
        connection: &mut SqliteConnection,
        study: &Study,
        owner: &str,
    ) -> Result<(), StoreError> {
        let note = sqlx::query!(
            "INSERT INTO worker (study_id, owner, seen_ms) VALUES (?1, ?2, CAST(1000 * unixepoch('subsec') AS INTEGER))
            ON CONFLICT DO UPDATE SET seen_ms = excluded.seen_ms",
            study.id.0,
            owner,
        );
        let noted = note.execute(connection).await;
        noted.map_err(|e| self.error(e))?;
        Ok(())
    }

    /// Deletes the silent owners, and thereby the tasks that they had taken.
    async fn bury(
        &self,
        connection: &mut SqliteConnection,
        study: &Study,
    ) -> Result<(), StoreError> {
        let patience = self.patience_ms();
        let dead = sqlx::query!(
            "DELETE FROM worker
            WHERE study_id = ?1 AND seen_ms < CAST(1000 * unixepoch('subsec') AS INTEGER) - ?2",
            study.id.0,
            patience,
        );
        let buried = dead.execute(connection).await;
        buried.map_err(|e| self.error(e))?;
        Ok(())
    }

    pub(crate) async fn leave_work(
        &self,
        study: Option<&Study>,
        owner: &str,
    ) -> Result<(), StoreError> {
        let of = study.map(|study| study.id.0);
        let leave = sqlx::query!(
            "DELETE FROM worker WHERE owner = ?1 AND study_id = coalesce(?2, study_id)",
            owner,
            of,
        );
        let mut connection = self.connection().await?;
        let left = leave.execute(&mut *connection).await;
        left.map_err(|e| self.error(e))?;
        match study {
            Some(study) => self.bury(&mut connection, study).await,
            None => Ok(()),
        }
    }

    pub(crate) fn patience_ms(&self) -> i64 {
        millis_of(self.patience)
    }
}
