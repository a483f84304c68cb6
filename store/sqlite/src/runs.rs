//! The queries of a service that carries on studies.

use async_trait::async_trait;
use store::{Fault, Readable, Repeat, Run, RunState, Runs, StoreError, StudyId};
use store_relational::{KEPT_MS, RunRow, repeat};

use crate::Sqlite;
use crate::error::fault;
use crate::query::{list, words};

#[async_trait]
impl Runs for Sqlite {
    async fn start_run(&self, study: StudyId, order: &str) -> Result<(), StoreError> {
        let insert = sqlx::query!(
            "INSERT INTO run (study_id, ordered, state, reason, asked_ms, changed_ms)
            VALUES (?1, ?2, 'running', NULL, CAST(1000 * unixepoch('subsec') AS INTEGER),
                CAST(1000 * unixepoch('subsec') AS INTEGER))
            ON CONFLICT (study_id) DO UPDATE SET ordered = excluded.ordered, state = excluded.state,
                reason = excluded.reason, changed_ms = excluded.changed_ms",
            study.0,
            order,
        );
        let mut connection = self.connection().await?;
        let inserted = insert.execute(&mut *connection).await;
        inserted.map_err(|e| self.error(e))?;
        self.files.check()
    }

    async fn change_run(
        &self,
        study: StudyId,
        from: &[RunState],
        to: RunState,
        reason: Option<&str>,
    ) -> Result<bool, StoreError> {
        let from: Vec<&str> = from.iter().map(|state| state.name()).collect();
        let (from, to) = (words(&from), to.name());
        let update = sqlx::query!(
            "UPDATE run SET state = ?3, reason = ?4, changed_ms = CAST(1000 * unixepoch('subsec') AS INTEGER)
            WHERE study_id = ?1 AND state IN (SELECT value FROM json_each(?2))",
            study.0,
            from,
            to,
            reason,
        );
        let mut connection = self.connection().await?;
        let updated = update.execute(&mut *connection).await;
        let updated = updated.map_err(|e| self.error(e))?;
        self.files.check()?;
        Ok(updated.rows_affected() > 0)
    }

    async fn runs(
        &self,
        state: Option<RunState>,
        after: Option<StudyId>,
        limit: u32,
    ) -> Result<Readable<Run>, StoreError> {
        let (state, after) = (state.map(RunState::name), after.map_or(0, |study| study.0));
        let rows = sqlx::query_as!(
            RunRow,
            "SELECT study_id, ordered, state, reason, asked_ms, changed_ms FROM run
            WHERE study_id > ?2 AND (?1 IS NULL OR state = ?1) ORDER BY study_id LIMIT ?3",
            state,
            after,
            limit,
        );
        let mut connection = self.connection().await?;
        let rows = rows.fetch_all(&mut *connection).await;
        let rows = rows.map_err(|e| self.error(e))?;
        Ok(rows.into_iter().map(RunRow::run).collect())
    }

    async fn run(&self, study: StudyId) -> Result<Option<Run>, StoreError> {
        let row = sqlx::query_as!(
            RunRow,
            "SELECT study_id, ordered, state, reason, asked_ms, changed_ms FROM run WHERE study_id = ?1",
            study.0,
        );
        let mut connection = self.connection().await?;
        let row = row.fetch_optional(&mut *connection).await;
        let row = row.map_err(|e| self.error(e))?;
        let run = row.map(RunRow::run).transpose();
        run.map_err(|row| fault(&self.path, Fault::Value(row)))
    }

    async fn repeat(&self, key: &str, digest: &str) -> Result<Repeat, StoreError> {
        let row = sqlx::query!(
            "SELECT digest, studies FROM request
            WHERE key = ?1 AND asked_ms >= CAST(1000 * unixepoch('subsec') AS INTEGER) - ?2",
            key,
            KEPT_MS,
        );
        let mut connection = self.connection().await?;
        let row = row.fetch_optional(&mut *connection).await;
        let Some(row) = row.map_err(|e| self.error(e))? else {
            return Ok(Repeat::New);
        };
        let studies = serde_json::from_str(&row.studies).ok();
        Ok(repeat(digest, &row.digest, studies))
    }

    async fn keep_answer(
        &self,
        key: &str,
        digest: &str,
        studies: &[StudyId],
    ) -> Result<(), StoreError> {
        let studies = list(studies);
        let mut connection = self.connection().await?;
        let forget = sqlx::query!(
            "DELETE FROM request WHERE asked_ms < CAST(1000 * unixepoch('subsec') AS INTEGER) - ?1",
            KEPT_MS,
        );
        let forgotten = forget.execute(&mut *connection).await;
        forgotten.map_err(|e| self.error(e))?;
        let insert = sqlx::query!(
            "INSERT INTO request (key, digest, studies, asked_ms)
            VALUES (?1, ?2, ?3, CAST(1000 * unixepoch('subsec') AS INTEGER)) ON CONFLICT DO NOTHING",
            key,
            digest,
            studies,
        );
        let inserted = insert.execute(&mut *connection).await;
        inserted.map_err(|e| self.error(e))?;
        self.files.check()
    }
}
