//! The queries of `Models`, for a service that compares models with and without kernels.

use std::time::Duration;

use async_trait::async_trait;
use store::{
    ClaimedModel, Cursor, ListPage, ModelEnd, ModelRecord, ModelState, ModelSubmission, Models,
    Page, Readable, StoreError,
};
use store_relational::{ModelRow, page, rows_of, without_nul};

use crate::Database;
use crate::dialect::{models, postgres_only, query, rows, scalar, transaction};

/// The result of a model that is done.
struct ModelResult {
    result: Option<String>,
}

#[async_trait]
impl Models for Database {
    async fn submit_model(&self, submission: ModelSubmission<'_>) -> Result<bool, StoreError> {
        let ModelSubmission {
            id,
            request,
            module,
            most_queued,
        } = submission;
        transaction!(self, transaction);
        // A lock keeps two requests from exceeding the limit together. SQLite's transaction has
        // the write lock.
        postgres_only! {
            let lock = sqlx::query!("LOCK TABLE submitted_model IN SHARE ROW EXCLUSIVE MODE");
            let locked = lock.execute(&mut *transaction).await;
            locked.map_err(|e| self.error(e))?;
        }
        // A model that is queued or under way takes no further place.
        let full = scalar!(
            r#"SELECT (SELECT count(*) FROM submitted_model WHERE state = 'queued') >= $1 AND NOT EXISTS (
                SELECT 1 FROM submitted_model WHERE id = $2 AND state NOT IN ('done', 'failed')
            ) AS "full!: bool""#,
            i64::from(most_queued),
            id,
        );
        let full = full.fetch_one(&mut *transaction).await;
        if full.map_err(|e| self.error(e))? {
            return Ok(false);
        }
        let insert = query!(
            sqlite = "INSERT INTO submitted_model (id, request, module, state, asked_ms, changed_ms)
            VALUES (?1, ?2, ?3, 'queued', CAST(1000 * unixepoch('subsec') AS INTEGER),
                CAST(1000 * unixepoch('subsec') AS INTEGER))
            ON CONFLICT (id) DO UPDATE SET state = 'queued', reason = NULL, attempts = 0, profiles = 0,
                asked_ms = excluded.asked_ms, changed_ms = excluded.changed_ms
            WHERE state IN ('done', 'failed')",
            postgres = "INSERT INTO submitted_model (id, request, module, state, asked_at, changed_at)
            VALUES ($1, $2, $3, 'queued', now(), now())
            ON CONFLICT (id) DO UPDATE SET state = 'queued', reason = NULL, attempts = 0, profiles = 0,
                asked_at = excluded.asked_at, changed_at = excluded.changed_at
            WHERE submitted_model.state IN ('done', 'failed')",
            id,
            request,
            module,
        );
        let inserted = insert.execute(&mut *transaction).await;
        inserted.map_err(|e| self.error(e))?;
        transaction.commit().await.map_err(|e| self.error(e))?;
        self.check_displacement()?;
        Ok(true)
    }

    async fn claim_model(
        &self,
        worker: &str,
        patience: Duration,
    ) -> Result<Option<ClaimedModel>, StoreError> {
        self.claim(worker, patience).await
    }

    async fn report_model(
        &self,
        id: &str,
        worker: &str,
        state: ModelState,
        profiles: u32,
    ) -> Result<bool, StoreError> {
        let state = state.name();
        let update = query!(
            sqlite = "UPDATE submitted_model SET
                changed_ms = CASE state WHEN ?3 THEN changed_ms ELSE CAST(1000 * unixepoch('subsec') AS INTEGER) END,
                state = ?3, profiles = ?4, heard_ms = CAST(1000 * unixepoch('subsec') AS INTEGER)
            WHERE id = ?1 AND worker = ?2",
            postgres = "UPDATE submitted_model SET
                changed_at = CASE state WHEN $3 THEN changed_at ELSE now() END,
                state = $3, profiles = $4, heard_at = clock_timestamp()
            WHERE id = $1 AND worker = $2",
            id,
            worker,
            state,
            i64::from(profiles),
        );
        let updated = update.execute(&mut *self.connection().await?).await;
        let updated = updated.map_err(|e| self.error(e))?;
        self.check_displacement()?;
        Ok(updated.rows_affected() > 0)
    }

    async fn end_model(
        &self,
        id: &str,
        worker: &str,
        end: ModelEnd<'_>,
    ) -> Result<bool, StoreError> {
        let (state, reason, summary, result) = match end {
            ModelEnd::Done { summary, result } => {
                (ModelState::Done, None, Some(summary), Some(result))
            }
            // A reason quotes a compiler, which prints any byte.
            ModelEnd::Failed(reason) => (ModelState::Failed, Some(without_nul(reason)), None, None),
            ModelEnd::Interrupted => (ModelState::Queued, None, None, None),
        };
        let state = state.name();
        let update = query!(
            sqlite = "UPDATE submitted_model SET state = ?3, reason = ?4, summary = coalesce(?5, summary),
                result = coalesce(?6, result), worker = NULL, heard_ms = NULL,
                attempts = CASE ?3 WHEN 'queued' THEN attempts - 1 ELSE attempts END,
                changed_ms = CAST(1000 * unixepoch('subsec') AS INTEGER)
            WHERE id = ?1 AND worker = ?2",
            postgres = "UPDATE submitted_model SET state = $3, reason = $4::text, summary = coalesce($5, summary),
                result = coalesce($6, result), worker = NULL, heard_at = NULL,
                attempts = CASE $3::text WHEN 'queued' THEN attempts - 1 ELSE attempts END,
                changed_at = now()
            WHERE id = $1 AND worker = $2",
            id,
            worker,
            state,
            reason,
            summary,
            result,
        );
        let updated = update.execute(&mut *self.connection().await?).await;
        let updated = updated.map_err(|e| self.error(e))?;
        self.check_displacement()?;
        Ok(updated.rows_affected() > 0)
    }

    async fn model(&self, id: &str) -> Result<Readable<ModelRecord>, StoreError> {
        let row = models!("WHERE id = $1", id);
        let row = row.fetch_optional(&mut *self.connection().await?).await;
        let row = row.map_err(|e| self.error(e))?;
        Ok(row.into_iter().map(ModelRow::model).collect())
    }

    async fn model_result(&self, id: &str) -> Result<Option<String>, StoreError> {
        let result = rows!(
            ModelResult,
            sqlite =
                r#"SELECT result AS "result!: crate::Text" FROM submitted_model WHERE id = ?1"#,
            postgres = "SELECT result FROM submitted_model WHERE id = $1",
            id
        );
        let result = result.fetch_optional(&mut *self.connection().await?).await;
        let result = result.map_err(|e| self.error(e))?;
        Ok(result.and_then(|row| row.result))
    }

    async fn list_models(
        &self,
        state: Option<ModelState>,
        asked: Page,
    ) -> Result<ListPage<ModelRecord>, StoreError> {
        let before = match asked.after {
            None => i64::MAX,
            Some(Cursor::Model(number)) => number,
            Some(other) => return Err(self.of_another_list(other)),
        };
        let rows = self.model_rows(state, before, rows_of(asked.limit)).await?;
        let cursor = |row: &ModelRow| Cursor::Model(row.number);
        Ok(page(rows, asked.limit, cursor, ModelRow::model))
    }

    async fn delete_model(&self, id: &str) -> Result<bool, StoreError> {
        let delete = query!("DELETE FROM submitted_model WHERE id = $1", id);
        let deleted = delete.execute(&mut *self.connection().await?).await;
        let deleted = deleted.map_err(|e| self.error(e))?;
        self.check_displacement()?;
        Ok(deleted.rows_affected() > 0)
    }
}

impl Database {
    /// Returns up to `limit` models in this state, or in any, the last submitted first.
    pub(crate) async fn model_rows(
        &self,
        state: Option<ModelState>,
        before: i64,
        limit: i64,
    ) -> Result<Vec<ModelRow>, StoreError> {
        let mut connection = self.connection().await?;
        let rows = match state.map(ModelState::name) {
            Some(state) => {
                let rows = models!(
                    "WHERE state = $1 AND number < $2 ORDER BY number DESC LIMIT $3",
                    state,
                    before,
                    limit
                );
                rows.fetch_all(&mut *connection).await
            }
            None => {
                let rows = models!(
                    "WHERE number < $1 ORDER BY number DESC LIMIT $2",
                    before,
                    limit
                );
                rows.fetch_all(&mut *connection).await
            }
        };
        rows.map_err(|e| self.error(e))
    }
}
