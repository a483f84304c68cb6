//! The queries of `Models`, for a service that compares models with and without kernels.

use std::time::Duration;

use async_trait::async_trait;
use sqlx::Connection as _;
use store::{
    ClaimedModel, Cursor, ListPage, ModelEnd, ModelRecord, ModelState, ModelSubmission, Models,
    Page, Readable, StoreError,
};
use store_relational::{ModelRow, millis_of, page, rows_of, without_nul};

use crate::Sqlite;

/// Builds the query of the models that meet a condition.
macro_rules! models {
    ($where:literal $(, $argument:expr)*) => {
        sqlx::query_as!(
            ModelRow,
            r#"SELECT number AS "number!", id AS "id!: crate::Text", request AS "request!: crate::Text",
                state AS "state!: crate::Text", reason AS "reason!: crate::Text", profiles,
                summary AS "summary!: crate::Text", asked_ms, changed_ms
            FROM submitted_model "# + $where
            $(, $argument)*
        )
    };
}

#[async_trait]
impl Models for Sqlite {
    async fn submit_model(&self, submission: ModelSubmission<'_>) -> Result<bool, StoreError> {
        let ModelSubmission {
            id,
            request,
            module,
            most_queued,
        } = submission;
        let mut connection = self.connection().await?;
        let transaction = connection.begin_with("BEGIN IMMEDIATE").await;
        let mut transaction = transaction.map_err(|e| self.error(e))?;
        // The limit is checked under the write lock, so that two requests cannot exceed it
        // together. A model that is queued or under way takes no further place.
        let full = sqlx::query_scalar!(
            r#"SELECT (SELECT count(*) FROM submitted_model WHERE state = 'queued') >= ?1 AND NOT EXISTS (
                SELECT 1 FROM submitted_model WHERE id = ?2 AND state NOT IN ('done', 'failed')
            ) AS "full!: bool""#,
            most_queued,
            id,
        );
        let full = full.fetch_one(&mut *transaction).await;
        if full.map_err(|e| self.error(e))? {
            return Ok(false);
        }
        let insert = sqlx::query!(
            "INSERT INTO submitted_model (id, request, module, state, asked_ms, changed_ms)
            VALUES (?1, ?2, ?3, 'queued', CAST(1000 * unixepoch('subsec') AS INTEGER),
                CAST(1000 * unixepoch('subsec') AS INTEGER))
            ON CONFLICT (id) DO UPDATE SET state = 'queued', reason = NULL, attempts = 0, profiles = 0,
                asked_ms = excluded.asked_ms, changed_ms = excluded.changed_ms
            WHERE state IN ('done', 'failed')",
            id,
            request,
            module,
        );
        let inserted = insert.execute(&mut *transaction).await;
        inserted.map_err(|e| self.error(e))?;
        transaction.commit().await.map_err(|e| self.error(e))?;
        self.files.check()?;
        Ok(true)
    }

    async fn claim_model(
        &self,
        worker: &str,
        patience: Duration,
    ) -> Result<Option<ClaimedModel>, StoreError> {
        let patience = millis_of(patience);
        let mut connection = self.connection().await?;
        // A look first: the update takes the write lock even if it finds nothing.
        let next = sqlx::query_scalar!(
            r#"SELECT number AS "number!: i64" FROM submitted_model
            WHERE state IN ('queued', 'compiling', 'judging')
                AND (worker IS NULL OR CAST(1000 * unixepoch('subsec') AS INTEGER) - heard_ms >= ?1)
            ORDER BY number LIMIT 1"#,
            patience,
        );
        let next = next.fetch_optional(&mut *connection).await;
        let Some(next) = next.map_err(|e| self.error(e))? else {
            return Ok(None);
        };
        let claim = sqlx::query!(
            r#"UPDATE submitted_model SET state = 'compiling', worker = ?2, attempts = attempts + 1, profiles = 0,
                heard_ms = CAST(1000 * unixepoch('subsec') AS INTEGER),
                changed_ms = CAST(1000 * unixepoch('subsec') AS INTEGER)
            WHERE number = ?1 AND state IN ('queued', 'compiling', 'judging')
                AND (worker IS NULL OR CAST(1000 * unixepoch('subsec') AS INTEGER) - heard_ms >= ?3)
            RETURNING id AS "id!: crate::Text", request AS "request!: crate::Text", module AS "module!: crate::Text",
                attempts"#,
            next,
            worker,
            patience,
        );
        let claimed = claim.fetch_optional(&mut *connection).await;
        let claimed = claimed.map_err(|e| self.error(e))?;
        self.files.check()?;
        Ok(claimed.map(|row| ClaimedModel {
            id: row.id.into(),
            request: row.request.into(),
            module: row.module.into(),
            attempts: row.attempts.try_into().unwrap_or(u32::MAX),
        }))
    }

    async fn report_model(
        &self,
        id: &str,
        worker: &str,
        state: ModelState,
        profiles: u32,
    ) -> Result<bool, StoreError> {
        let state = state.name();
        let update = sqlx::query!(
            "UPDATE submitted_model SET
                changed_ms = CASE state WHEN ?3 THEN changed_ms ELSE CAST(1000 * unixepoch('subsec') AS INTEGER) END,
                state = ?3, profiles = ?4, heard_ms = CAST(1000 * unixepoch('subsec') AS INTEGER)
            WHERE id = ?1 AND worker = ?2",
            id,
            worker,
            state,
            profiles,
        );
        let mut connection = self.connection().await?;
        let updated = update.execute(&mut *connection).await;
        let updated = updated.map_err(|e| self.error(e))?;
        self.files.check()?;
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
        let update = sqlx::query!(
            "UPDATE submitted_model SET state = ?3, reason = ?4, summary = coalesce(?5, summary),
                result = coalesce(?6, result), worker = NULL, heard_ms = NULL,
                attempts = CASE ?3 WHEN 'queued' THEN attempts - 1 ELSE attempts END,
                changed_ms = CAST(1000 * unixepoch('subsec') AS INTEGER)
            WHERE id = ?1 AND worker = ?2",
            id,
            worker,
            state,
            reason,
            summary,
            result,
        );
        let mut connection = self.connection().await?;
        let updated = update.execute(&mut *connection).await;
        let updated = updated.map_err(|e| self.error(e))?;
        self.files.check()?;
        Ok(updated.rows_affected() > 0)
    }

    async fn model(&self, id: &str) -> Result<Readable<ModelRecord>, StoreError> {
        let row = models!("WHERE id = ?1", id);
        let mut connection = self.connection().await?;
        let row = row.fetch_optional(&mut *connection).await;
        let row = row.map_err(|e| self.error(e))?;
        Ok(row.into_iter().map(ModelRow::model).collect())
    }

    async fn model_result(&self, id: &str) -> Result<Option<String>, StoreError> {
        let result = sqlx::query!(
            r#"SELECT result AS "result!: crate::Text" FROM submitted_model WHERE id = ?1"#,
            id
        );
        let mut connection = self.connection().await?;
        let result = result.fetch_optional(&mut *connection).await;
        let result = result.map_err(|e| self.error(e))?;
        Ok(result.and_then(|row| row.result.into()))
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
        let delete = sqlx::query!("DELETE FROM submitted_model WHERE id = ?1", id);
        let mut connection = self.connection().await?;
        let deleted = delete.execute(&mut *connection).await;
        let deleted = deleted.map_err(|e| self.error(e))?;
        self.files.check()?;
        Ok(deleted.rows_affected() > 0)
    }
}

impl Sqlite {
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
                    "WHERE state = ?1 AND number < ?2 ORDER BY number DESC LIMIT ?3",
                    state,
                    before,
                    limit
                );
                rows.fetch_all(&mut *connection).await
            }
            None => {
                let rows = models!(
                    "WHERE number < ?1 ORDER BY number DESC LIMIT ?2",
                    before,
                    limit
                );
                rows.fetch_all(&mut *connection).await
            }
        };
        rows.map_err(|e| self.error(e))
    }
}
