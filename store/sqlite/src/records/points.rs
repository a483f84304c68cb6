//! The points of a study's trials.

use std::panic::resume_unwind;

use store::{StoreError, StudyId, TrialPoints};
use store_relational::{PointRow, points, rows_of};
use tokio::task::spawn_blocking;

use crate::Sqlite;

impl Sqlite {
    pub(super) async fn points_of_trials(
        &self,
        of: StudyId,
        from: u32,
        limit: u32,
    ) -> Result<TrialPoints, StoreError> {
        let rows = rows_of(limit);
        let mut connection = self.connection().await?;
        let trials = sqlx::query_scalar!(
            r#"SELECT count(*) AS "n!: i64" FROM trial WHERE study_id = ?1"#,
            of.0
        );
        let trials = trials.fetch_one(&mut *connection).await;
        let trials = trials.map_err(|e| self.error(e))?;
        let rows = sqlx::query_as!(
            PointRow,
            r#"SELECT id AS "id!", ordinal AS "ordinal!", role AS "role!: crate::Text",
                status AS "status!: crate::Text", failure AS "failure!: crate::Text", time_us, compile_ms,
                ended_ms - started_ms AS "took_ms!: i64", configuration AS "configuration!: crate::Text"
            FROM trial WHERE study_id = ?1 AND ordinal >= ?2 ORDER BY ordinal LIMIT ?3"#,
            of.0,
            from,
            rows
        );
        let rows = rows.fetch_all(&mut *connection).await;
        let rows = rows.map_err(|e| self.error(e))?;
        // Parsing takes long for many rows; other callers can use the connection meanwhile.
        drop(connection);
        let read = spawn_blocking(move || points(rows, limit, trials)).await;
        Ok(read.unwrap_or_else(|error| resume_unwind(error.into_panic())))
    }
}
