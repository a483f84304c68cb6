//! The points of a study's trials.

use std::panic::resume_unwind;

use store::{StoreError, StudyId, TrialPoints};
use store_relational::{PointRow, points, rows_of};
use tokio::task::spawn_blocking;

use crate::Database;
use crate::dialect::{rows, scalar};

impl Database {
    pub(super) async fn points_of_trials(
        &self,
        of: StudyId,
        from: u32,
        limit: u32,
    ) -> Result<TrialPoints, StoreError> {
        let trials = scalar!(
            r#"SELECT count(*) AS "n!: i64" FROM trial WHERE study_id = $1"#,
            of.0
        );
        let trials = trials.fetch_one(&mut *self.connection().await?).await;
        let trials = trials.map_err(|e| self.error(e))?;
        let rows = rows!(
            PointRow,
            sqlite = r#"SELECT id AS "id!", ordinal AS "ordinal!", role AS "role!: crate::Text",
                status AS "status!: crate::Text", failure AS "failure!: crate::Text", time_us, compile_ms,
                ended_ms - started_ms AS "took_ms!: i64", configuration AS "configuration!: crate::Text"
            FROM trial WHERE study_id = ?1 AND ordinal >= ?2 ORDER BY ordinal LIMIT ?3"#,
            postgres = r#"SELECT id, ordinal, role, status, failure, time_us, compile_ms,
                millis(ended_at) - millis(started_at) AS "took_ms!", configuration
            FROM trial WHERE study_id = $1 AND ordinal >= $2 ORDER BY ordinal LIMIT $3"#,
            of.0,
            i64::from(from),
            rows_of(limit)
        );
        let rows = rows.fetch_all(&mut *self.connection().await?).await;
        let rows = rows.map_err(|e| self.error(e))?;
        // Parsing takes long for many rows, and would block the other tasks of this thread.
        let read = spawn_blocking(move || points(rows, limit, trials)).await;
        Ok(read.unwrap_or_else(|error| resume_unwind(error.into_panic())))
    }
}
