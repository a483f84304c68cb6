//! The queries of `Runs`, for a service that carries on studies.

use std::time::Duration;

use async_trait::async_trait;
use sqlx::PgConnection;
use store::{
    Priority, Readable, Repeat, Run, RunReport, RunState, Runs, StoreError, StoreFault, StudyId,
    Submission, SubmissionOutcome, TokenId,
};
use store_relational::{KEPT_MS, RunRow, millis_of, repeat, time_of, without_nul};

use crate::Postgres;
use crate::query::list;

/// Builds the query of the runs that meet a condition.
macro_rules! runs {
    ($where:literal, $($argument:expr),+) => {
        sqlx::query_as!(
            RunRow,
            r#"SELECT study_id, ordered, state, reason, director,
                millis(clock_timestamp()) - millis(heard_at) AS silent_ms, progress, millis(asked_at) AS "asked_ms!",
                millis(changed_at) AS "changed_ms!", submitter, urgent
            FROM run "# + $where,
            $($argument),+
        )
    };
}

#[async_trait]
impl Runs for Postgres {
    async fn submit_runs(
        &self,
        submission: Submission<'_>,
    ) -> Result<SubmissionOutcome, StoreError> {
        let submitted = self.submit(submission).await;
        submitted.map_err(|e| self.error(e))
    }

    async fn settle_run(
        &self,
        run: StudyId,
        study: StudyId,
        order: &str,
        priority: Priority,
        director: &str,
    ) -> Result<bool, StoreError> {
        let settled = self.settle(run, study, order, priority, director).await;
        settled.map_err(|e| self.error(e))
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
        let next = sqlx::query_scalar!(
            "SELECT study_id FROM run LEFT JOIN (
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
        let next = next.fetch_optional(&self.pool).await;
        Ok(next.map_err(|e| self.error(e))?.map(StudyId))
    }

    async fn submitters(&self) -> Result<u64, StoreError> {
        let count = sqlx::query_scalar!(
            r#"SELECT count(DISTINCT coalesce(submitter, 0)) AS "n!" FROM run WHERE state = 'running'"#
        );
        let count = count.fetch_one(&self.pool).await;
        count.map(i64::cast_unsigned).map_err(|e| self.error(e))
    }

    async fn start_run(
        &self,
        study: StudyId,
        order: &str,
        priority: Priority,
    ) -> Result<(), StoreError> {
        let mut connection = self.pool.acquire().await.map_err(|e| self.error(e))?;
        let started = start(&mut connection, study, order, priority).await;
        started.map_err(|e| self.error(e))
    }

    async fn change_run(
        &self,
        study: StudyId,
        from: &[RunState],
        to: RunState,
        reason: Option<&str>,
        director: Option<&str>,
    ) -> Result<bool, StoreError> {
        let from = from.iter().map(|state| state.name().to_owned());
        let from: Vec<String> = from.collect();
        // A reason may quote a compiler or a driver, which print any byte.
        let reason = reason.map(without_nul);
        let update = sqlx::query!(
            "UPDATE run SET state = $3, reason = $4, director = NULL, heard_at = NULL, changed_at = now()
            WHERE study_id = $1 AND state = ANY($2) AND ($5::text IS NULL OR director = $5)",
            study.0,
            &from,
            to.name(),
            reason.as_deref(),
            director,
        );
        let updated = update.execute(&self.pool).await;
        let updated = updated.map_err(|e| self.error(e))?;
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
        let update = sqlx::query!(
            "UPDATE run SET director = $2, heard_at = clock_timestamp()
            WHERE study_id = $1 AND state = 'running' AND (director IS NULL OR director = $2
                OR millis(clock_timestamp()) - millis(heard_at) >= $3)",
            study.0,
            director,
            millis_of(patience),
        );
        let updated = update.execute(&self.pool).await;
        let updated = updated.map_err(|e| self.error(e))?;
        Ok(updated.rows_affected() > 0)
    }

    async fn report_runs(&self, reports: &[RunReport]) -> Result<Vec<StudyId>, StoreError> {
        let studies: Vec<i64> = reports.iter().map(|report| report.study.0).collect();
        let directors: Vec<_> = reports.iter().map(|it| it.director.as_str()).collect();
        let progress: Vec<_> = reports.iter().map(|it| it.progress.as_deref()).collect();
        let update = sqlx::query_scalar!(
            "UPDATE run SET heard_at = clock_timestamp(), progress = coalesce(report.progress, run.progress)
            FROM unnest($1::bigint[], $2::text[], $3::text[]) AS report (study_id, director, progress)
            WHERE run.study_id = report.study_id AND run.director = report.director AND run.state = 'running'
            RETURNING run.study_id",
            &studies,
            &directors as &[&str],
            &progress as &[Option<&str>],
        );
        let updated = update.fetch_all(&self.pool).await;
        let updated = updated.map_err(|e| self.error(e))?;
        Ok(updated.into_iter().map(StudyId).collect())
    }

    async fn leave_run(&self, study: StudyId, director: &str) -> Result<(), StoreError> {
        let update = sqlx::query!(
            "UPDATE run SET director = NULL, heard_at = NULL WHERE study_id = $1 AND director = $2",
            study.0,
            director,
        );
        let updated = update.execute(&self.pool).await;
        updated.map(drop).map_err(|e| self.error(e))
    }

    async fn undirected_runs(
        &self,
        silence: Duration,
        limit: u32,
    ) -> Result<Vec<StudyId>, StoreError> {
        let studies = sqlx::query_scalar!(
            "SELECT study_id FROM run
            WHERE state = 'running'
                AND (director IS NULL OR millis(clock_timestamp()) - millis(heard_at) >= $1)
            ORDER BY study_id LIMIT $2",
            millis_of(silence),
            i64::from(limit),
        );
        let studies = studies.fetch_all(&self.pool).await;
        let studies = studies.map_err(|e| self.error(e))?;
        Ok(studies.into_iter().map(StudyId).collect())
    }

    async fn runs(
        &self,
        state: Option<RunState>,
        after: Option<StudyId>,
        limit: u32,
    ) -> Result<Readable<Run>, StoreError> {
        let (state, after) = (state.map(RunState::name), after.map_or(0, |study| study.0));
        let rows = runs!(
            "WHERE study_id > $2 AND moved IS NULL AND ($1::text IS NULL OR state = $1) ORDER BY study_id LIMIT $3",
            state,
            after,
            i64::from(limit)
        );
        let rows = rows.fetch_all(&self.pool).await;
        let rows = rows.map_err(|e| self.error(e))?;
        Ok(rows.into_iter().map(RunRow::run).collect())
    }

    async fn count_runs(&self) -> Result<Vec<(RunState, u64)>, StoreError> {
        let counts =
            sqlx::query!(r#"SELECT state AS "state!", count(*) AS "n!" FROM run GROUP BY state"#);
        let counts = counts.fetch_all(&self.pool).await;
        let counts = counts.map_err(|e| self.error(e))?;
        Ok(RunState::counts(
            counts
                .into_iter()
                .map(|row| (row.state, row.n.cast_unsigned())),
        ))
    }

    async fn running(&self) -> Result<u64, StoreError> {
        let count =
            sqlx::query_scalar!(r#"SELECT count(*) AS "n!" FROM run WHERE state = 'running'"#);
        let count = count.fetch_one(&self.pool).await;
        count.map(i64::cast_unsigned).map_err(|e| self.error(e))
    }

    async fn run(&self, study: StudyId) -> Result<Option<Run>, StoreError> {
        let row = runs!(
            "WHERE study_id = coalesce((SELECT moved FROM run WHERE study_id = $1), $1)",
            study.0
        );
        let row = row.fetch_optional(&self.pool).await;
        let row = row.map_err(|e| self.error(e))?;
        let run = row.map(RunRow::run).transpose();
        run.map_err(|row| self.fault(StoreFault::Value(row)))
    }

    async fn repeat(&self, key: &str, digest: &str) -> Result<Repeat, StoreError> {
        let row = sqlx::query!(
            "SELECT digest, studies FROM request
            WHERE key = $1 AND asked_at >= now() - $2::bigint * interval '1 millisecond'",
            key,
            KEPT_MS,
        );
        let row = row.fetch_optional(&self.pool).await;
        let row = row.map_err(|e| self.error(e))?;
        Ok(match row {
            Some(row) => repeat(digest, &row.digest, Some(row.studies)),
            None => Repeat::New,
        })
    }
}

impl Postgres {
    async fn submit(&self, submission: Submission<'_>) -> Result<SubmissionOutcome, sqlx::Error> {
        let Submission {
            orders,
            priority,
            state,
            most_open,
            request,
        } = submission;
        let submitter = priority.submitter.map(|token| token.0);
        let mut transaction = self.begin().await?;
        if let (Some(token), Some(most)) = (submitter, most_open) {
            // The lock orders two submissions of one token, so that they cannot exceed the limit
            // together.
            let lock = sqlx::query!("SELECT id FROM token WHERE id = $1 FOR UPDATE", token);
            lock.fetch_optional(&mut *transaction).await?;
            let open = sqlx::query_scalar!(
                r#"SELECT count(*) AS "n!" FROM run
                WHERE submitter = $1 AND state IN ('waiting', 'running', 'paused')"#,
                token,
            );
            let open = open.fetch_one(&mut *transaction).await?.cast_unsigned();
            if open + orders.len() as u64 > most {
                return Ok(SubmissionOutcome::TooMany { open });
            }
        }
        let insert = sqlx::query!(
            r#"INSERT INTO run (study_id, ordered, state, asked_at, changed_at, submitter, urgent)
            SELECT nextval(pg_get_serial_sequence('study', 'id')), ordered, $2, now(), now(), $3, $4
            FROM (SELECT ordered FROM unnest($1::text[]) WITH ORDINALITY AS given (ordered, place) ORDER BY place) AS placed
            RETURNING study_id, millis(asked_at) AS "asked_ms!""#,
            orders,
            state.name(),
            submitter,
            priority.is_urgent,
        );
        let rows = insert.fetch_all(&mut *transaction).await?;
        let mut studies: Vec<StudyId> = rows.iter().map(|row| StudyId(row.study_id)).collect();
        // RETURNING promises no order, but the numbers rise in the order of the requests.
        studies.sort_unstable();
        if let Some((key, digest)) = request
            && !keep_answer(&mut transaction, key, digest, &studies).await?
        {
            // Dropping the transaction rolls back the runs.
            return Ok(SubmissionOutcome::Repeated);
        }
        transaction.commit().await?;
        let asked = time_of(rows.first().map_or(0, |row| row.asked_ms));
        Ok(SubmissionOutcome::New { studies, asked })
    }

    async fn settle(
        &self,
        run: StudyId,
        study: StudyId,
        order: &str,
        priority: Priority,
        director: &str,
    ) -> Result<bool, sqlx::Error> {
        let mut transaction = self.begin().await?;
        let is_moved = run != study;
        let update = sqlx::query!(
            "UPDATE run SET ordered = $3, moved = CASE WHEN $5 THEN $2::bigint END,
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
        let is_ours = update.execute(&mut *transaction).await?.rows_affected() > 0;
        if is_ours && is_moved {
            start(&mut transaction, study, order, priority).await?;
        }
        transaction.commit().await?;
        Ok(is_ours)
    }
}

async fn start(
    connection: &mut PgConnection,
    study: StudyId,
    order: &str,
    priority: Priority,
) -> Result<(), sqlx::Error> {
    let insert = sqlx::query!(
        "INSERT INTO run (study_id, ordered, state, reason, asked_at, changed_at, submitter, urgent)
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
    insert.execute(connection).await.map(drop)
}

/// Stores the answer to a request for a day, and returns whether its key is new.
async fn keep_answer(
    connection: &mut PgConnection,
    key: &str,
    digest: &str,
    studies: &[StudyId],
) -> Result<bool, sqlx::Error> {
    let forget = sqlx::query!(
        "DELETE FROM request WHERE asked_at < now() - $1::bigint * interval '1 millisecond'",
        KEPT_MS,
    );
    forget.execute(&mut *connection).await?;
    let insert = sqlx::query!(
        "INSERT INTO request (key, digest, studies, asked_at) VALUES ($1, $2, $3, now()) ON CONFLICT DO NOTHING",
        key,
        digest,
        &list(studies),
    );
    Ok(insert.execute(connection).await?.rows_affected() > 0)
}
