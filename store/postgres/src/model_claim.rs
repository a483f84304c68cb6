//! The claim of the next model by a worker.

use std::time::Duration;

use store::{ClaimedModel, StoreError};
use store_relational::millis_of;

use crate::Postgres;

impl Postgres {
    pub(crate) async fn claim(
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
}
