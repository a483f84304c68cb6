//! The queries of `Runs`, for a service that carries on studies.

use std::time::Duration;

use async_trait::async_trait;
use store::{
    Priority, Readable, Repeat, Run, RunReport, RunState, Runs, StoreError, StoreFault, StudyId,
    Submission, SubmissionOutcome, TokenId,
};
use store_relational::{KEPT_MS, RunRow, millis_of, repeat, time_of, without_nul};

use crate::Database;
use crate::dialect::{
    DatabaseConnection, director_reports, list, numbers, postgres_only, query, runs, scalar,
    stored_list, transaction, words,
};

#[async_trait]
impl Runs for Database {
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
        transaction!(self, transaction);
        // A lock orders two submissions of one token, so that they cannot exceed the limit
        // together. SQLite's transaction has the write lock.
        if let (Some(token), Some(most)) = (submitter, most_open) {
            postgres_only! {
                let lock = sqlx::query!("SELECT id FROM token WHERE id = $1 FOR UPDATE", token);
                let locked = lock.fetch_optional(&mut *transaction).await;
                locked.map_err(|e| self.error(e))?;
            }
            let open = scalar!(
                r#"SELECT count(*) AS "n!: i64" FROM run
                WHERE submitter = $1 AND state IN ('waiting', 'running', 'paused')"#,
                token,
            );
            let open = open.fetch_one(&mut *transaction).await;
            let open = open.map_err(|e| self.error(e))?.cast_unsigned();
            if open + orders.len() as u64 > most {
                return Ok(SubmissionOutcome::TooMany { open });
            }
        }
        let ordered = words(orders);
        let insert = query!(
            sqlite = r#"INSERT INTO run (study_id, ordered, state, asked_ms, changed_ms, submitter, urgent)
            SELECT 1 + key + max((SELECT coalesce(max(id), 0) FROM study), (SELECT coalesce(max(study_id), 0) FROM run)),
                value, ?2, CAST(1000 * unixepoch('subsec') AS INTEGER), CAST(1000 * unixepoch('subsec') AS INTEGER), ?3, ?4
            FROM json_each(?1)
            RETURNING study_id AS "study!: i64", asked_ms AS "asked_ms!: i64""#,
            postgres = r#"INSERT INTO run (study_id, ordered, state, asked_at, changed_at, submitter, urgent)
            SELECT nextval(pg_get_serial_sequence('study', 'id')), ordered, $2, now(), now(), $3, $4
            FROM (SELECT ordered FROM unnest($1::text[]) WITH ORDINALITY AS given (ordered, place) ORDER BY place) AS placed
            RETURNING study_id AS "study!", millis(asked_at) AS "asked_ms!""#,
            &ordered,
            state.name(),
            submitter,
            priority.is_urgent,
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
        self.check_displacement()?;
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
        transaction!(self, transaction);
        let is_moved = run != study;
        let update = query!(
            sqlite = "UPDATE run SET ordered = ?3, moved = CASE WHEN ?5 THEN ?2 END,
                state = CASE WHEN ?5 THEN 'done' ELSE state END,
                director = CASE WHEN ?5 THEN NULL ELSE director END,
                heard_ms = CASE WHEN ?5 THEN NULL ELSE heard_ms END
            WHERE study_id = ?1 AND director = ?4 AND state = 'running'",
            postgres = "UPDATE run SET ordered = $3, moved = CASE WHEN $5 THEN $2::bigint END,
                state = CASE WHEN $5 THEN 'done' ELSE state END,
                director = CASE WHEN $5 THEN NULL ELSE director END,
                heard_at = CASE WHEN $5 THEN NULL ELSE heard_at END
            WHERE study_id = $1 AND director = $4 AND state = 'running'",
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
        self.check_displacement()?;
        Ok(is_ours)
    }

    async fn next_run(
        &self,
        patience: Duration,
        full: &[Option<TokenId>],
    ) -> Result<Option<StudyId>, StoreError> {
        // The number 0 stands for runs without a token; real tokens start at 1.
        let full: Vec<i64> = full
            .iter()
            .map(|token| token.map_or(0, |it| it.0))
            .collect();
        let full = numbers(&full);
        let next = scalar!(
            sqlite = r#"SELECT study_id AS "study!: i64" FROM run LEFT JOIN (
                SELECT coalesce(submitter, 0) AS holder, count(*) AS directed FROM run
                WHERE state = 'running' AND director IS NOT NULL GROUP BY coalesce(submitter, 0)
            ) ON holder = coalesce(submitter, 0)
            WHERE state = 'running'
                AND (director IS NULL OR CAST(1000 * unixepoch('subsec') AS INTEGER) - heard_ms >= ?1)
                AND coalesce(submitter, 0) NOT IN (SELECT value FROM json_each(?2))
            ORDER BY coalesce(directed, 0), urgent DESC, study_id LIMIT 1"#,
            postgres = "SELECT study_id FROM run LEFT JOIN (
                SELECT coalesce(submitter, 0) AS holder, count(*) AS directed FROM run
                WHERE state = 'running' AND director IS NOT NULL GROUP BY coalesce(submitter, 0)
            ) AS share ON holder = coalesce(submitter, 0)
            WHERE state = 'running'
                AND (director IS NULL OR millis(clock_timestamp()) - millis(heard_at) >= $1)
                AND coalesce(submitter, 0) <> ALL($2)
            ORDER BY coalesce(directed, 0), urgent DESC, study_id LIMIT 1",
            millis_of(patience),
            &full,
        );
        let next = next.fetch_optional(&mut *self.connection().await?).await;
        Ok(next.map_err(|e| self.error(e))?.map(StudyId))
    }

    async fn submitters(&self) -> Result<u64, StoreError> {
        let count = scalar!(
            r#"SELECT count(DISTINCT coalesce(submitter, 0)) AS "n!: i64" FROM run WHERE state = 'running'"#
        );
        let count = count.fetch_one(&mut *self.connection().await?).await;
        count.map(i64::cast_unsigned).map_err(|e| self.error(e))
    }

    async fn start_run(
        &self,
        study: StudyId,
        order: &str,
        priority: Priority,
    ) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        self.start(&mut connection, study, order, priority).await?;
        self.check_displacement()
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
        let from = words(&from);
        // A reason may quote a compiler or a driver, which print any byte.
        let reason = reason.map(without_nul);
        let update = query!(
            sqlite = "UPDATE run SET state = ?3, reason = ?4, director = NULL, heard_ms = NULL,
                changed_ms = CAST(1000 * unixepoch('subsec') AS INTEGER)
            WHERE study_id = ?1 AND state IN (SELECT value FROM json_each(?2)) AND (?5 IS NULL OR director = ?5)",
            postgres = "UPDATE run SET state = $3, reason = $4, director = NULL, heard_at = NULL, changed_at = now()
            WHERE study_id = $1 AND state = ANY($2) AND ($5::text IS NULL OR director = $5)",
            study.0,
            &from,
            to.name(),
            reason.as_deref(),
            director,
        );
        let updated = update.execute(&mut *self.connection().await?).await;
        let updated = updated.map_err(|e| self.error(e))?;
        self.check_displacement()?;
        Ok(updated.rows_affected() > 0)
    }

    async fn direct_run(
        &self,
        study: StudyId,
        director: &str,
        patience: Duration,
    ) -> Result<bool, StoreError> {
        // clock_timestamp(), because now() is the begin of the transaction, which may have waited
        // long for a lock.
        let update = query!(
            sqlite = "UPDATE run SET director = ?2, heard_ms = CAST(1000 * unixepoch('subsec') AS INTEGER)
            WHERE study_id = ?1 AND state = 'running' AND (director IS NULL OR director = ?2
                OR CAST(1000 * unixepoch('subsec') AS INTEGER) - heard_ms >= ?3)",
            postgres = "UPDATE run SET director = $2, heard_at = clock_timestamp()
            WHERE study_id = $1 AND state = 'running' AND (director IS NULL OR director = $2
                OR millis(clock_timestamp()) - millis(heard_at) >= $3)",
            study.0,
            director,
            millis_of(patience),
        );
        let updated = update.execute(&mut *self.connection().await?).await;
        let updated = updated.map_err(|e| self.error(e))?;
        self.check_displacement()?;
        Ok(updated.rows_affected() > 0)
    }

    async fn report_runs(&self, reports: &[RunReport]) -> Result<Vec<StudyId>, StoreError> {
        // The parameters differ as much as the text does.
        let update = director_reports!(reports);
        let updated = update.fetch_all(&mut *self.connection().await?).await;
        let updated = updated.map_err(|e| self.error(e))?;
        self.check_displacement()?;
        Ok(updated.into_iter().map(StudyId).collect())
    }

    async fn leave_run(&self, study: StudyId, director: &str) -> Result<(), StoreError> {
        let update = query!(
            sqlite = "UPDATE run SET director = NULL, heard_ms = NULL WHERE study_id = ?1 AND director = ?2",
            postgres = "UPDATE run SET director = NULL, heard_at = NULL WHERE study_id = $1 AND director = $2",
            study.0,
            director,
        );
        let updated = update.execute(&mut *self.connection().await?).await;
        updated.map_err(|e| self.error(e))?;
        self.check_displacement()
    }

    async fn undirected_runs(
        &self,
        silence: Duration,
        limit: u32,
    ) -> Result<Vec<StudyId>, StoreError> {
        let studies = scalar!(
            sqlite = "SELECT study_id FROM run
            WHERE state = 'running'
                AND (director IS NULL OR CAST(1000 * unixepoch('subsec') AS INTEGER) - heard_ms >= ?1)
            ORDER BY study_id LIMIT ?2",
            postgres = "SELECT study_id FROM run
            WHERE state = 'running'
                AND (director IS NULL OR millis(clock_timestamp()) - millis(heard_at) >= $1)
            ORDER BY study_id LIMIT $2",
            millis_of(silence),
            i64::from(limit),
        );
        let studies = studies.fetch_all(&mut *self.connection().await?).await;
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
        let counts = query!(
            sqlite = r#"SELECT state AS "state!: crate::Text", count(*) AS "n!: i64" FROM run GROUP BY state"#,
            postgres = r#"SELECT state AS "state!", count(*) AS "n!" FROM run GROUP BY state"#
        );
        let counts = counts.fetch_all(&mut *self.connection().await?).await;
        let counts = counts.map_err(|e| self.error(e))?;
        Ok(RunState::counts(
            counts
                .into_iter()
                .map(|row| (row.state.into(), row.n.cast_unsigned())),
        ))
    }

    async fn running(&self) -> Result<u64, StoreError> {
        let count = scalar!(r#"SELECT count(*) AS "n!: i64" FROM run WHERE state = 'running'"#);
        let count = count.fetch_one(&mut *self.connection().await?).await;
        count.map(i64::cast_unsigned).map_err(|e| self.error(e))
    }

    async fn run(&self, study: StudyId) -> Result<Option<Run>, StoreError> {
        let row = runs!(
            "WHERE study_id = coalesce((SELECT moved FROM run WHERE study_id = $1), $1)",
            study.0
        );
        let row = row.fetch_optional(&mut *self.connection().await?).await;
        let row = row.map_err(|e| self.error(e))?;
        let run = row.map(RunRow::run).transpose();
        run.map_err(|row| self.fault(StoreFault::Value(row)))
    }

    async fn repeat(&self, key: &str, digest: &str) -> Result<Repeat, StoreError> {
        let row = query!(
            sqlite = "SELECT digest, studies FROM request
            WHERE key = ?1 AND asked_ms >= CAST(1000 * unixepoch('subsec') AS INTEGER) - ?2",
            postgres = "SELECT digest, studies FROM request
            WHERE key = $1 AND asked_at >= now() - $2::bigint * interval '1 millisecond'",
            key,
            KEPT_MS,
        );
        let row = row.fetch_optional(&mut *self.connection().await?).await;
        let row = row.map_err(|e| self.error(e))?;
        Ok(match row {
            // If the stored answer is unreadable, the key still counts as used.
            Some(row) => repeat(digest, &row.digest, stored_list(row.studies)),
            None => Repeat::New,
        })
    }
}

impl Database {
    /// Returns the rows of [`Runs::runs`].
    pub(crate) async fn run_rows(
        &self,
        state: Option<RunState>,
        after: Option<StudyId>,
        limit: u32,
    ) -> Result<Vec<RunRow>, StoreError> {
        let (state, after) = (state.map(RunState::name), after.map_or(0, |study| study.0));
        let rows = runs!(
            sqlite = "WHERE study_id > ?2 AND moved IS NULL AND (?1 IS NULL OR state = ?1) ORDER BY study_id LIMIT ?3",
            postgres = "WHERE study_id > $2 AND moved IS NULL AND ($1::text IS NULL OR state = $1) ORDER BY study_id LIMIT $3",
            state,
            after,
            i64::from(limit)
        );
        let rows = rows.fetch_all(&mut *self.connection().await?).await;
        rows.map_err(|e| self.error(e))
    }

    async fn start(
        &self,
        connection: &mut DatabaseConnection,
        study: StudyId,
        order: &str,
        priority: Priority,
    ) -> Result<(), StoreError> {
        let insert = query!(
            sqlite = "INSERT INTO run (study_id, ordered, state, reason, asked_ms, changed_ms, submitter, urgent)
            VALUES (?1, ?2, 'running', NULL, CAST(1000 * unixepoch('subsec') AS INTEGER),
                CAST(1000 * unixepoch('subsec') AS INTEGER), ?3, ?4)
            ON CONFLICT (study_id) DO UPDATE SET ordered = excluded.ordered, state = excluded.state,
                reason = excluded.reason, director = NULL, heard_ms = NULL, progress = NULL, moved = NULL,
                submitter = excluded.submitter, urgent = excluded.urgent,
                asked_ms = CASE run.state WHEN 'running' THEN run.asked_ms ELSE excluded.asked_ms END,
                changed_ms = excluded.changed_ms",
            postgres = "INSERT INTO run (study_id, ordered, state, reason, asked_at, changed_at, submitter, urgent)
            VALUES ($1, $2, 'running', NULL, now(), now(), $3, $4)
            ON CONFLICT (study_id) DO UPDATE SET ordered = excluded.ordered, state = excluded.state,
                reason = excluded.reason, director = NULL, heard_at = NULL, progress = NULL, moved = NULL,
                submitter = excluded.submitter, urgent = excluded.urgent,
                asked_at = CASE run.state WHEN 'running' THEN run.asked_at ELSE excluded.asked_at END,
                changed_at = excluded.changed_at",
            study.0,
            order,
            priority.submitter.map(|token| token.0),
            priority.is_urgent,
        );
        let inserted = insert.execute(connection).await;
        inserted.map(drop).map_err(|e| self.error(e))
    }

    /// Stores the answer to a request for a day, and returns whether its key is new.
    async fn keep_answer(
        &self,
        connection: &mut DatabaseConnection,
        key: &str,
        digest: &str,
        studies: &[StudyId],
    ) -> Result<bool, StoreError> {
        let forget = query!(
            sqlite = "DELETE FROM request WHERE asked_ms < CAST(1000 * unixepoch('subsec') AS INTEGER) - ?1",
            postgres = "DELETE FROM request WHERE asked_at < now() - $1::bigint * interval '1 millisecond'",
            KEPT_MS,
        );
        let forgotten = forget.execute(&mut *connection).await;
        forgotten.map_err(|e| self.error(e))?;
        let insert = query!(
            sqlite = "INSERT INTO request (key, digest, studies, asked_ms)
            VALUES (?1, ?2, ?3, CAST(1000 * unixepoch('subsec') AS INTEGER)) ON CONFLICT DO NOTHING",
            postgres = "INSERT INTO request (key, digest, studies, asked_at) VALUES ($1, $2, $3, now())
            ON CONFLICT DO NOTHING",
            key,
            digest,
            &list(studies),
        );
        let inserted = insert.execute(connection).await;
        Ok(inserted.map_err(|e| self.error(e))?.rows_affected() > 0)
    }
}
