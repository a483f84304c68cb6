//! The queries of `Models`, for a service that compares models with and without kernels.

use std::time::Duration;

use async_trait::async_trait;
use store::{
    ClaimedModel, Cursor, ListPage, ModelEnd, ModelRecord, ModelState, ModelSubmission, Models,
    Page, Readable, StoreError,
};
use store_relational::{ModelRow, millis_of, page, rows_of, without_nul};

use crate::Postgres;

/// Builds the query of the models that meet a condition.
macro_rules! models {
    ($where:literal $(, $argument:expr)*) => {
        sqlx::query_as!(
            ModelRow,
            r#"SELECT number, id, request, state, reason, profiles, summary, millis(asked_at) AS "asked_ms!",
                millis(changed_at) AS "changed_ms!"
            FROM submitted_model "# + $where
            $(, $argument)*
        )
    };
}

#[async_trait]
impl Models for Postgres {
    async fn submit_model(&self, submission: ModelSubmission<'_>) -> Result<bool, StoreError> {
        let ModelSubmission {
            id,
            request,
            module,
            most_queued,
        } = submission;
        let mut transaction = self.begin().await.map_err(|e| self.error(e))?;
        // Two requests cannot exceed the limit together.
        let lock = sqlx::query!("LOCK TABLE submitted_model IN SHARE ROW EXCLUSIVE MODE");
        let locked = lock.execute(&mut *transaction).await;
        locked.map_err(|e| self.error(e))?;
        // A model that is queued or under way takes no further place.
        let full = sqlx::query_scalar!(
            r#"SELECT (SELECT count(*) FROM submitted_model WHERE state = 'queued') >= $1 AND NOT EXISTS (
                SELECT 1 FROM submitted_model WHERE id = $2 AND state NOT IN ('done', 'failed')
            ) AS "full!""#,
            i64::from(most_queued),
            id,
        );
        let full = full.fetch_one(&mut *transaction).await;
        if full.map_err(|e| self.error(e))? {
            return Ok(false);
        }
        let insert = sqlx::query!(
            "INSERT INTO submitted_model (id, request, module, state, asked_at, changed_at)
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
        Ok(true)
    }

    async fn claim_model(
        &self,
        worker: &str,
        patience: Duration,
    ) -> Result<Option<ClaimedModel>, StoreError> {
        let patience = millis_of(patience);
        // A row that another worker claims at this moment is passed over.
        let claim = sqlx::query!(
            "UPDATE submitted_model SET state = 'compiling', worker = $1, attempts = attempts + 1, profiles = 0,
                heard_at = clock_timestamp(), changed_at = now()
            WHERE number = (
                SELECT number FROM submitted_model
                WHERE state IN ('queued', 'compiling', 'judging')
                    AND (worker IS NULL OR millis(clock_timestamp()) - millis(heard_at) >= $2)
                ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED
            )
            RETURNING id, request, module, attempts",
            worker,
            patience,
        );
        let claimed = claim.fetch_optional(&self.pool).await;
        let claimed = claimed.map_err(|e| self.error(e))?;
        Ok(claimed.map(|row| ClaimedModel {
            id: row.id,
            request: row.request,
            module: row.module,
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
                changed_at = CASE state WHEN $3 THEN changed_at ELSE now() END,
                state = $3, profiles = $4, heard_at = clock_timestamp()
            WHERE id = $1 AND worker = $2",
            id,
            worker,
            state,
            i64::from(profiles),
        );
        let updated = update.execute(&self.pool).await;
        let updated = updated.map_err(|e| self.error(e))?;
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
            "UPDATE submitted_model SET state = $3, reason = $4::text, summary = coalesce($5, summary),
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
        let updated = update.execute(&self.pool).await;
        let updated = updated.map_err(|e| self.error(e))?;
        Ok(updated.rows_affected() > 0)
    }

    async fn model(&self, id: &str) -> Result<Readable<ModelRecord>, StoreError> {
        let row = models!("WHERE id = $1", id);
        let row = row.fetch_optional(&self.pool).await;
        let row = row.map_err(|e| self.error(e))?;
        Ok(row.into_iter().map(ModelRow::model).collect())
    }

    async fn model_result(&self, id: &str) -> Result<Option<String>, StoreError> {
        let result = sqlx::query_scalar!("SELECT result FROM submitted_model WHERE id = $1", id);
        let result = result.fetch_optional(&self.pool).await;
        let result = result.map_err(|e| self.error(e))?;
        Ok(result.flatten())
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
        let (state, limit) = (state.map(ModelState::name), rows_of(asked.limit));
        let rows = match state {
            Some(state) => {
                let rows = models!(
                    "WHERE state = $1 AND number < $2 ORDER BY number DESC LIMIT $3",
                    state,
                    before,
                    limit
                );
                rows.fetch_all(&self.pool).await
            }
            None => {
                let rows = models!(
                    "WHERE number < $1 ORDER BY number DESC LIMIT $2",
                    before,
                    limit
                );
                rows.fetch_all(&self.pool).await
            }
        };
        let rows = rows.map_err(|e| self.error(e))?;
        let cursor = |row: &ModelRow| Cursor::Model(row.number);
        Ok(page(rows, asked.limit, cursor, ModelRow::model))
    }

    async fn delete_model(&self, id: &str) -> Result<bool, StoreError> {
        let delete = sqlx::query!("DELETE FROM submitted_model WHERE id = $1", id);
        let deleted = delete.execute(&self.pool).await;
        let deleted = deleted.map_err(|e| self.error(e))?;
        Ok(deleted.rows_affected() > 0)
    }
}
