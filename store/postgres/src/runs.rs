//! The queries of a service that carries on studies.

use async_trait::async_trait;
use store::{Fault, Readable, Repeat, Run, RunState, Runs, StoreError, StudyId};
use store_relational::{KEPT_MS, RunRow, repeat};

use crate::Postgres;
use crate::query::list;

#[async_trait]
impl Runs for Postgres {
    async fn start_run(&self, study: StudyId, order: &str) -> Result<(), StoreError> {
        let insert = sqlx::query!(
            "INSERT INTO run (study_id, ordered, state, reason, asked_at, changed_at)
            VALUES ($1, $2, 'running', NULL, now(), now())
            ON CONFLICT (study_id) DO UPDATE SET ordered = excluded.ordered, state = excluded.state,
                reason = excluded.reason, changed_at = excluded.changed_at",
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
    ) -> Result<bool, StoreError> {
        let from = from.iter().map(|state| state.name().to_owned());
        let from: Vec<String> = from.collect();
        let update = sqlx::query!(
            "UPDATE run SET state = $3, reason = $4, changed_at = now() WHERE study_id = $1 AND state = ANY($2)",
            study.0,
            &from,
            to.name(),
            reason,
        );
        let updated = update.execute(&self.pool).await;
        let updated = updated.map_err(|e| self.error(e))?;
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
            r#"SELECT study_id, ordered, state, reason, millis(asked_at) AS "asked_ms!",
                millis(changed_at) AS "changed_ms!"
            FROM run WHERE study_id > $2 AND ($1::text IS NULL OR state = $1) ORDER BY study_id LIMIT $3"#,
            state,
            after,
            i64::from(limit),
        );
        let rows = rows.fetch_all(&self.pool).await;
        let rows = rows.map_err(|e| self.error(e))?;
        Ok(rows.into_iter().map(RunRow::run).collect())
    }

    async fn run(&self, study: StudyId) -> Result<Option<Run>, StoreError> {
        let row = sqlx::query_as!(
            RunRow,
            r#"SELECT study_id, ordered, state, reason, millis(asked_at) AS "asked_ms!",
                millis(changed_at) AS "changed_ms!"
            FROM run WHERE study_id = $1"#,
            study.0,
        );
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
