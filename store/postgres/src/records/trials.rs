//! Lists of the trials of a study.

use store::{
    Cursor, FailureKind, ListPage, Page, Role, Status, StoreError, StudyId, TrialFilter,
    TrialRecord, TrialSort,
};
use store_relational::{TrialRow, page, rows_of};

use crate::Postgres;

/// Builds the query of the trials after a position, in an order.
macro_rules! trials {
    ($order:literal, $($argument:expr),+) => {
        sqlx::query_as!(
            TrialRow,
            r#"SELECT id, study_id, ordinal, role, configuration, status, failure, message, time_us, samples_us,
                protocol, error, input_seed, compile_ms, millis(started_at) AS "started_ms!",
                millis(ended_at) AS "ended_ms!", FALSE AS "has_later!"
            FROM trial
            WHERE study_id = $1 AND ($2::text IS NULL OR status = $2) AND ($3::text IS NULL OR failure = $3)
                AND ($4::text IS NULL OR role = $4) AND ($5::float8 IS NULL OR time_us >= $5)
                AND ($6::float8 IS NULL OR time_us <= $6)
                AND ($7::text IS NULL OR starts_with(configuration_hash, $7)) AND "#
                + $order,
            $($argument),+
        )
    };
}

/// The ordinal before the first.
const BEFORE: i64 = -1;

impl Postgres {
    pub(super) async fn page_of_trials(
        &self,
        of: StudyId,
        which: &TrialFilter,
        sort: TrialSort,
        asked: Page,
    ) -> Result<ListPage<TrialRecord>, StoreError> {
        let status = which.status.map(Status::name);
        let failure = which.failure.map(FailureKind::name);
        let role = which.role.map(Role::name);
        let (least, most) = (which.least_us, which.most_us);
        let hash = which.hash.as_deref();
        let limit = rows_of(asked.limit);
        let (value, ordinal) = match (sort, asked.after) {
            (TrialSort::Ordinal, Some(Cursor::Ordinal(ordinal))) => (0.0, ordinal),
            (TrialSort::Time, Some(Cursor::Time(value, ordinal)))
            | (TrialSort::Compiled, Some(Cursor::Compiled(value, ordinal))) => (value, ordinal),
            // No time is less.
            (_, None) => (0.0, BEFORE),
            (_, Some(other)) => return Err(self.of_another_list(other)),
        };
        let rows = match sort {
            TrialSort::Ordinal => {
                trials!(
                    "ordinal > $8 ORDER BY ordinal LIMIT $9",
                    of.0, status, failure, role, least, most, hash, ordinal, limit
                )
                .fetch_all(&self.pool)
                .await
            }
            TrialSort::Time => {
                trials!(
                    "time_us IS NOT NULL AND (time_us, ordinal) > ($8, $9) ORDER BY time_us, ordinal LIMIT $10",
                    of.0, status, failure, role, least, most, hash, value, ordinal, limit
                )
                .fetch_all(&self.pool)
                .await
            }
            TrialSort::Compiled => {
                trials!(
                    "compile_ms IS NOT NULL AND (compile_ms, ordinal) > ($8, $9) ORDER BY compile_ms, ordinal LIMIT $10",
                    of.0, status, failure, role, least, most, hash, value, ordinal, limit
                )
                .fetch_all(&self.pool)
                .await
            }
        };
        let rows = rows.map_err(|e| self.error(e))?;
        let cursor = |row: &TrialRow| match sort {
            TrialSort::Ordinal => Cursor::Ordinal(row.ordinal),
            // A row without the value is not in the list.
            TrialSort::Time => Cursor::Time(row.time_us.unwrap_or(0.0), row.ordinal),
            TrialSort::Compiled => Cursor::Compiled(row.compile_ms.unwrap_or(0.0), row.ordinal),
        };
        Ok(page(rows, asked.limit, cursor, TrialRow::record))
    }
}
