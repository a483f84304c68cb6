//! The queries of `Runs`, for a service that carries on studies.

use std::time::Duration;

use async_trait::async_trait;
use sqlx::{Connection as _, SqliteConnection};
use store::{
    Priority, Readable, Repeat, Run, RunReport, RunState, Runs, StoreError, StoreFault, StudyId,
    Submission, SubmissionOutcome, TokenId,
};
use store_relational::{KEPT_MS, RunRow, millis_of, repeat, time_of, without_nul};

use crate::Sqlite;
use crate::error::fault;
use crate::query::{list, words};

/// Builds the query of the runs that meet a condition.
macro_rules! runs {
    ($where:literal, $($argument:expr),+) => {
        sqlx::query_as!(
            RunRow,
            r#"SELECT study_id, ordered AS "ordered!: crate::Text", state AS "state!: crate::Text",
                reason AS "reason!: crate::Text", director AS "director!: crate::Text",
                CAST(1000 * unixepoch('subsec') AS INTEGER) - heard_ms AS "silent_ms?: i64",
                progress AS "progress!: crate::Text", asked_ms, changed_ms, submitter, urgent AS "urgent: bool"
            FROM run "# + $where,
            $($argument),+
        )
    };
}

#[async_trait]
impl Runs for Sqlite {
    async fn submit_runs(
        &self,
        submission: Submission<'_>,
    ) -> Result<SubmissionOutcome, StoreError> {
        let Submission {
            orders,
            priority,
            state,
            most_open,
            request,
        } = submission;
        let submitter = priority.submitter.map(|token| token.0);
        let (urgent, state) = (priority.is_urgent, state.name());
        let mut connection = self.connection().await?;
        let transaction = connection.begin_with("BEGIN IMMEDIATE").await;
        let mut transaction = transaction.map_err(|e| self.error(e))?;
        // The limit is checked under the write lock, so that two requests cannot exceed it
        // together.
        if let (Some(_), Some(most)) = (submitter, most_open) {
            let open = sqlx::query_scalar!(
                r#"SELECT count(*) AS "n!: u64" FROM run
                WHERE submitter = ?1 AND state IN ('waiting', 'running', 'paused')"#,
                submitter,
            );
            let open = open.fetch_one(&mut *transaction).await;
            let open = open.map_err(|e| self.error(e))?;
            if open + orders.len() as u64 > most {
                return Ok(SubmissionOutcome::TooMany { open });
            }
        }
        let ordered = serde_json::to_string(orders).expect("words are JSON");
        let insert = sqlx::query!(
            r#"INSERT INTO run (study_id, ordered, state, asked_ms, changed_ms, submitter, urgent)
            SELECT 1 + key + max((SELECT coalesce(max(id), 0) FROM study), (SELECT coalesce(max(study_id), 0) FROM run)),
                value, ?2, CAST(1000 * unixepoch('subsec') AS INTEGER), CAST(1000 * unixepoch('subsec') AS INTEGER), ?3, ?4
            FROM json_each(?1)
            RETURNING study_id AS "study!: i64", asked_ms AS "asked_ms!: i64""#,
            ordered,
            state,
            submitter,
            urgent,
        );
        let rows = insert.fetch_all(&mut *transaction).await;
        let rows = rows.map_err(|e| self.error(e))?;
        let mut studies: Vec<StudyId> = rows.iter().map(|row| StudyId(row.study)).collect();
        // RETURNING promises no order, but the numbers rise in the order of the requests.
        studies.sort_unstable();
        if let Some((key, digest)) = request {
            let is_kept = self.keep_answer(&mut transaction, key, digest, &studies);
            // Dropping the transaction rolls back the runs.
            if !is_kept.await? {
                return Ok(SubmissionOutcome::Repeated);
            }
        }
        transaction.commit().await.map_err(|e| self.error(e))?;
        self.files.check()?;
        let asked = time_of(rows.first().map_or(0, |row| row.asked_ms));
        Ok(SubmissionOutcome::New { studies, asked })
    }

    async fn settle_run(
        &self,
        run: StudyId,
        study: StudyId,
        order: &str,
        priority: Priority,
        director: &str,
    ) -> Result<bool, StoreError> {
        let mut connection = self.connection().await?;
        let transaction = connection.begin_with("BEGIN IMMEDIATE").await;
        let mut transaction = transaction.map_err(|e| self.error(e))?;
        let is_moved = run != study;
        let update = sqlx::query!(
            "UPDATE run SET ordered = ?3, moved = CASE WHEN ?5 THEN ?2 END,
                state = CASE WHEN ?5 THEN 'done' ELSE state END,
                director = CASE WHEN ?5 THEN NULL ELSE director END,
                heard_ms = CASE WHEN ?5 THEN NULL ELSE heard_ms END
            WHERE study_id = ?1 AND director = ?4 AND state = 'running'",
            run.0,
            study.0,
            order,
            director,
            is_moved,
        );
        let updated = update.execute(&mut *transaction).await;
        let is_ours = updated.map_err(|e| self.error(e))?.rows_affected() > 0;
        if is_ours && is_moved {
            self.start(&mut transaction, study, order, priority).await?;
        }
        transaction.commit().await.map_err(|e| self.error(e))?;
        self.files.check()?;
        Ok(is_ours)
    }

    async fn next_run(
        &self,
        patience: Duration,
        full: &[Option<TokenId>],
    ) -> Result<Option<StudyId>, StoreError> {
        let patience = millis_of(patience);
        // The number 0 stands for runs without a token; real tokens start at 1.
        let full: Vec<i64> = full
            .iter()
            .map(|token| token.map_or(0, |it| it.0))
            .collect();
        let full = serde_json::to_string(&full).expect("numbers are JSON");
        let next = sqlx::query_scalar!(
            r#"SELECT study_id AS "study!: i64" FROM run LEFT JOIN (
                SELECT coalesce(submitter, 0) AS holder, count(*) AS directed FROM run
                WHERE state = 'running' AND director IS NOT NULL GROUP BY coalesce(submitter, 0)
            ) ON holder = coalesce(submitter, 0)
            WHERE state = 'running'
                AND (director IS NULL OR CAST(1000 * unixepoch('subsec') AS INTEGER) - heard_ms >= ?1)
                AND coalesce(submitter, 0) NOT IN (SELECT value FROM json_each(?2))
            ORDER BY coalesce(directed, 0), urgent DESC, study_id LIMIT 1"#,
            patience,
            full,
        );
        let mut connection = self.connection().await?;
        let next = next.fetch_optional(&mut *connection).await;
        Ok(next.map_err(|e| self.error(e))?.map(StudyId))
    }

    async fn submitters(&self) -> Result<u64, StoreError> {
        let count = sqlx::query_scalar!(
            r#"SELECT count(DISTINCT coalesce(submitter, 0)) AS "n!: u64" FROM run WHERE state = 'running'"#
        );
        let mut connection = self.connection().await?;
        let count = count.fetch_one(&mut *connection).await;
        count.map_err(|e| self.error(e))
    }

    async fn start_run(
        &self,
        study: StudyId,
        order: &str,
        priority: Priority,
    ) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        self.start(&mut connection, study, order, priority).await?;
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
        // A reason may quote a compiler or a driver, which print any byte.
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

    async fn count_runs(&self) -> Result<Vec<(RunState, u64)>, StoreError> {
        let counts = sqlx::query!(
            r#"SELECT state AS "state!: crate::Text", count(*) AS "n!: u64" FROM run GROUP BY state"#
        );
        let mut connection = self.connection().await?;
        let counts = counts.fetch_all(&mut *connection).await;
        let counts = counts.map_err(|e| self.error(e))?;
        Ok(RunState::counts(
            counts.into_iter().map(|row| (row.state.into(), row.n)),
        ))
    }

    async fn running(&self) -> Result<u64, StoreError> {
        let count =
            sqlx::query_scalar!(r#"SELECT count(*) AS "n!: u64" FROM run WHERE state = 'running'"#);
        let mut connection = self.connection().await?;
        let count = count.fetch_one(&mut *connection).await;
        count.map_err(|e| self.error(e))
    }

    async fn run(&self, study: StudyId) -> Result<Option<Run>, StoreError> {
        let row = runs!(
            "WHERE study_id = coalesce((SELECT moved FROM run WHERE study_id = ?1), ?1)",
            study.0
        );
        let mut connection = self.connection().await?;
        let row = row.fetch_optional(&mut *connection).await;
        let row = row.map_err(|e| self.error(e))?;
        let run = row.map(RunRow::run).transpose();
        run.map_err(|row| fault(&self.path, StoreFault::Value(row)))
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
        // If the stored answer is unreadable, the key still counts as used.
        let studies = serde_json::from_str(&row.studies).ok();
        Ok(repeat(digest, &row.digest, studies))
    }
}

impl Sqlite {
    async fn start(
        &self,
        connection: &mut SqliteConnection,
        study: StudyId,
        order: &str,
        priority: Priority,
    ) -> Result<(), StoreError> {
        let submitter = priority.submitter.map(|token| token.0);
        let insert = sqlx::query!(
            "INSERT INTO run (study_id, ordered, state, reason, asked_ms, changed_ms, submitter, urgent)
            VALUES (?1, ?2, 'running', NULL, CAST(1000 * unixepoch('subsec') AS INTEGER),
                CAST(1000 * unixepoch('subsec') AS INTEGER), ?3, ?4)
            ON CONFLICT (study_id) DO UPDATE SET ordered = excluded.ordered, state = excluded.state,
                reason = excluded.reason, director = NULL, heard_ms = NULL, progress = NULL, moved = NULL,
                submitter = excluded.submitter, urgent = excluded.urgent,
                asked_ms = CASE run.state WHEN 'running' THEN run.asked_ms ELSE excluded.asked_ms END,
                changed_ms = excluded.changed_ms",
            study.0,
            order,
            submitter,
            priority.is_urgent,
        );
        let inserted = insert.execute(connection).await;
        inserted.map(drop).map_err(|e| self.error(e))
    }

    /// Stores the answer to a request for a day, and returns whether its key is new.
    async fn keep_answer(
        &self,
        connection: &mut SqliteConnection,
        key: &str,
        digest: &str,
        studies: &[StudyId],
    ) -> Result<bool, StoreError> {
        let studies = list(studies);
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
        let inserted = insert.execute(connection).await;
        Ok(inserted.map_err(|e| self.error(e))?.rows_affected() > 0)
    }
}

impl Sqlite {
    /// Returns the rows of [`Runs::runs`].
    pub(crate) async fn run_rows(
        &self,
        state: Option<RunState>,
        after: Option<StudyId>,
        limit: u32,
    ) -> Result<Vec<RunRow>, StoreError> {
        let (state, after) = (state.map(RunState::name), after.map_or(0, |study| study.0));
        let rows = runs!(
            "WHERE study_id > ?2 AND moved IS NULL AND (?1 IS NULL OR state = ?1) ORDER BY study_id LIMIT ?3",
            state,
            after,
            limit
        );
        let mut connection = self.connection().await?;
        let rows = rows.fetch_all(&mut *connection).await;
        rows.map_err(|e| self.error(e))
    }
}
