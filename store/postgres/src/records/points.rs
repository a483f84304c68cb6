//! The points of a study's trials.

use std::panic::resume_unwind;

use store::{StoreError, StudyId, TrialPoints};
use store_relational::{PointRow, points, rows_of};
use tokio::task::spawn_blocking;

use crate::Postgres;

impl Postgres {
    pub(super) async fn points_of_trials(
        &self,
        of: StudyId,
        from: u32,
        limit: u32,
    ) -> Result<TrialPoints, StoreError> {
        let trials = sqlx::query_scalar!(
            r#"SELECT count(*) AS "trials!" FROM trial WHERE study_id = $1"#,
            of.0
        );
        let trials = trials.fetch_one(&self.pool).await;
        let trials = trials.map_err(|e| self.error(e))?;
        let rows = sqlx::query_as!(
            PointRow,
            r#"SELECT id, ordinal, role, status, failure, time_us, compile_ms,
                millis(ended_at) - millis(started_at) AS "took_ms!", configuration
            FROM trial WHERE study_id = $1 AND ordinal >= $2 ORDER BY ordinal LIMIT $3"#,
            of.0,
            i64::from(from),
            rows_of(limit)
        );
        let rows = rows.fetch_all(&self.pool).await;
        let rows = rows.map_err(|e| self.error(e))?;
        // Parsing takes long for many rows, and would block the other tasks of this thread.
        let read = spawn_blocking(move || points(rows, limit, trials)).await;
        Ok(read.unwrap_or_else(|error| resume_unwind(error.into_panic())))
    }
}
