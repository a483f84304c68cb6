//! The queries of a service that carries on studies.

use std::time::Duration;

use async_trait::async_trait;
use store::{Fault, Readable, Repeat, Run, RunReport, RunState, Runs, StoreError, StudyId};
use store_relational::{KEPT_MS, RunRow, millis_of, repeat, without_nul};

use crate::Postgres;
use crate::query::list;

/// The query of the runs for which this holds.
macro_rules! runs {
    ($where:literal, $($argument:expr),+) => {
        sqlx::query_as!(
            RunRow,
            r#"SELECT study_id, ordered, state, reason, director,
                millis(clock_timestamp()) - millis(heard_at) AS silent_ms, progress, millis(asked_at) AS "asked_ms!",
                millis(changed_at) AS "changed_ms!"
            FROM run "# + $where,
            $($argument),+
        )
    };
}

#[async_trait]
impl Runs for Postgres {
    async fn start_run(&self, study: StudyId, order: &str) -> Result<(), StoreError> {
        let insert = sqlx::query!(
            "INSERT INTO run (study_id, ordered, state, reason, asked_at, changed_at)
            VALUES ($1, $2, 'running', NULL, now(), now())
            ON CONFLICT (study_id) DO UPDATE SET ordered = excluded.ordered, state = excluded.state,
                reason = excluded.reason, director = NULL, heard_at = NULL, progress = NULL,
                asked_at = CASE run.state WHEN 'running' THEN run.asked_at ELSE excluded.asked_at END,
                changed_at = excluded.changed_at",
            study.0,
            order,
        );
        let inserted = insert.execute(&self.pool).await;
        inserted.map(drop).map_err(|e| self.error(e))
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
            "WHERE study_id > $2 AND ($1::text IS NULL OR state = $1) ORDER BY study_id LIMIT $3",
            state,
            after,
            i64::from(limit)
        );
        let rows = rows.fetch_all(&self.pool).await;
        let rows = rows.map_err(|e| self.error(e))?;
        Ok(rows.into_iter().map(RunRow::run).collect())
    }

    async fn running(&self) -> Result<u64, StoreError> {
        let count =
            sqlx::query_scalar!(r#"SELECT count(*) AS "n!" FROM run WHERE state = 'running'"#);
        let count = count.fetch_one(&self.pool).await;
        count.map(i64::cast_unsigned).map_err(|e| self.error(e))
    }

    async fn run(&self, study: StudyId) -> Result<Option<Run>, StoreError> {
        let row = runs!("WHERE study_id = $1", study.0);
        let row = row.fetch_optional(&self.pool).await;
        let row = row.map_err(|e| self.error(e))?;
        let run = row.map(RunRow::run).transpose();
        run.map_err(|row| self.fault(Fault::Value(row)))
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

    async fn keep_answer(
        &self,
        key: &str,
        digest: &str,
        studies: &[StudyId],
    ) -> Result<(), StoreError> {
        let forget = sqlx::query!(
            "DELETE FROM request WHERE asked_at < now() - $1::bigint * interval '1 millisecond'",
            KEPT_MS,
        );
        let forgotten = forget.execute(&self.pool).await;
        forgotten.map_err(|e| self.error(e))?;
        let insert = sqlx::query!(
            "INSERT INTO request (key, digest, studies, asked_at) VALUES ($1, $2, $3, now()) ON CONFLICT DO NOTHING",
            key,
            digest,
            &list(studies),
        );
        let inserted = insert.execute(&self.pool).await;
        inserted.map(drop).map_err(|e| self.error(e))
    }
}
