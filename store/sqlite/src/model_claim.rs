//! The claim of the next model by a worker.

use std::time::Duration;

use store::{ClaimedModel, StoreError};
use store_relational::millis_of;

use crate::Sqlite;

impl Sqlite {
    pub(crate) async fn claim(
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
}
