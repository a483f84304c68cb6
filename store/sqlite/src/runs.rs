//! The queries of a service that carries on studies.

use std::time::Duration;

use async_trait::async_trait;
use store::{Fault, Readable, Repeat, Run, RunReport, RunState, Runs, StoreError, StudyId};
use store_relational::{KEPT_MS, RunRow, millis_of, repeat, without_nul};

use crate::Sqlite;
use crate::error::fault;
use crate::query::{list, words};

/// The query of the runs for which this holds.
macro_rules! runs {
    ($where:literal, $($argument:expr),+) => {
        sqlx::query_as!(
            RunRow,
            r#"SELECT study_id, ordered, state, reason, director,
                CAST(1000 * unixepoch('subsec') AS INTEGER) - heard_ms AS "silent_ms?: i64", progress, asked_ms,
                changed_ms
            FROM run "# + $where,
            $($argument),+
        )
    };
}

#[async_trait]
impl Runs for Sqlite {
    async fn start_run(&self, study: StudyId, order: &str) -> Result<(), StoreError> {
        let insert = sqlx::query!(
            "INSERT INTO run (study_id, ordered, state, reason, asked_ms, changed_ms)
            VALUES (?1, ?2, 'running', NULL, CAST(1000 * unixepoch('subsec') AS INTEGER),
                CAST(1000 * unixepoch('subsec') AS INTEGER))
            ON CONFLICT (study_id) DO UPDATE SET ordered = excluded.ordered, state = excluded.state,
                reason = excluded.reason, director = NULL, heard_ms = NULL, progress = NULL,
                asked_ms = CASE run.state WHEN 'running' THEN run.asked_ms ELSE excluded.asked_ms END,
                changed_ms = excluded.changed_ms",
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
        director: Option<&str>,
    ) -> Result<bool, StoreError> {
        let from: Vec<&str> = from.iter().map(|state| state.name()).collect();
        let (from, to) = (words(&from), to.name());
        let reason = reason.map(without_nul);
        let update = sqlx::query!(
            "UPDATE run SET state = ?3, reason = ?4, director = NULL, heard_ms = NULL,
                changed_ms = CAST(1000 * unixepoch('subsec') AS INTEGER)
            WHERE study_id = ?1 AND state IN (SELECT value FROM json_each(?2)) AND (?5 IS NULL OR director = ?5)",
            study.0,
            from,
            to,
            reason,
            director,
        );
        let mut connection = self.connection().await?;
        let updated = update.execute(&mut *connection).await;
        let updated = updated.map_err(|e| self.error(e))?;
        self.files.check()?;
        Ok(updated.rows_affected() > 0)
    }

    async fn direct_run(
        &self,
        study: StudyId,
        director: &str,
        patience: Duration,
    ) -> Result<bool, StoreError> {
        let patience = millis_of(patience);
        let update = sqlx::query!(
            "UPDATE run SET director = ?2, heard_ms = CAST(1000 * unixepoch('subsec') AS INTEGER)
            WHERE study_id = ?1 AND state = 'running' AND (director IS NULL OR director = ?2
                OR CAST(1000 * unixepoch('subsec') AS INTEGER) - heard_ms >= ?3)",
            study.0,
            director,
            patience,
        );
        let mut connection = self.connection().await?;
        let updated = update.execute(&mut *connection).await;
        let updated = updated.map_err(|e| self.error(e))?;
        self.files.check()?;
        Ok(updated.rows_affected() > 0)
    }

    async fn report_runs(&self, reports: &[RunReport]) -> Result<Vec<StudyId>, StoreError> {
        let reports = reports
            .iter()
            .map(|report| (report.study.0, &report.director, &report.progress));
        let reports: Vec<_> = reports.collect();
        let reports = serde_json::to_string(&reports).expect("words and numbers are JSON");
        let update = sqlx::query_scalar!(
            r#"UPDATE run SET heard_ms = CAST(1000 * unixepoch('subsec') AS INTEGER),
                progress = coalesce(value ->> 2, progress)
            FROM json_each(?1)
            WHERE study_id = value ->> 0 AND director = value ->> 1 AND state = 'running'
            RETURNING study_id AS "study!: i64""#,
            reports,
        );
        let mut connection = self.connection().await?;
        let updated = update.fetch_all(&mut *connection).await;
        let updated = updated.map_err(|e| self.error(e))?;
        self.files.check()?;
        Ok(updated.into_iter().map(StudyId).collect())
    }

    async fn leave_run(&self, study: StudyId, director: &str) -> Result<(), StoreError> {
        let update = sqlx::query!(
            "UPDATE run SET director = NULL, heard_ms = NULL WHERE study_id = ?1 AND director = ?2",
            study.0,
            director,
        );
        let mut connection = self.connection().await?;
        let updated = update.execute(&mut *connection).await;
        updated.map_err(|e| self.error(e))?;
        self.files.check()
    }

    async fn undirected_runs(
        &self,
        silence: Duration,
        limit: u32,
    ) -> Result<Vec<StudyId>, StoreError> {
        let silence = millis_of(silence);
        let studies = sqlx::query_scalar!(
            "SELECT study_id FROM run
            WHERE state = 'running'
                AND (director IS NULL OR CAST(1000 * unixepoch('subsec') AS INTEGER) - heard_ms >= ?1)
            ORDER BY study_id LIMIT ?2",
            silence,
            limit,
        );
        let mut connection = self.connection().await?;
        let studies = studies.fetch_all(&mut *connection).await;
        let studies = studies.map_err(|e| self.error(e))?;
        Ok(studies.into_iter().map(StudyId).collect())
    }

    async fn runs(
        &self,
        state: Option<RunState>,
        after: Option<StudyId>,
        limit: u32,
    ) -> Result<Readable<Run>, StoreError> {
        let rows = self.run_rows(state, after, limit).await?;
        Ok(rows.into_iter().map(RunRow::run).collect())
    }

    async fn running(&self) -> Result<u64, StoreError> {
        let count =
            sqlx::query_scalar!(r#"SELECT count(*) AS "n!: u64" FROM run WHERE state = 'running'"#);
        let mut connection = self.connection().await?;
        let count = count.fetch_one(&mut *connection).await;
        count.map_err(|e| self.error(e))
    }

    async fn run(&self, study: StudyId) -> Result<Option<Run>, StoreError> {
        let row = runs!("WHERE study_id = ?1", study.0);
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

impl Sqlite {
    /// The rows of [`Runs::runs`].
    pub(crate) async fn run_rows(
        &self,
        state: Option<RunState>,
        after: Option<StudyId>,
        limit: u32,
    ) -> Result<Vec<RunRow>, StoreError> {
        let (state, after) = (state.map(RunState::name), after.map_or(0, |study| study.0));
        let rows = runs!(
            "WHERE study_id > ?2 AND (?1 IS NULL OR state = ?1) ORDER BY study_id LIMIT ?3",
            state,
            after,
            limit
        );
        let mut connection = self.connection().await?;
        let rows = rows.fetch_all(&mut *connection).await;
        rows.map_err(|e| self.error(e))
    }
}
