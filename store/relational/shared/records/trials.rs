//! Lists of the trials of a study.

use store::{
    Cursor, FailureKind, ListPage, Page, Role, Status, StoreError, StudyId, TrialFilter,
    TrialRecord, TrialSort,
};
use store_relational::{TrialRow, page, rows_of};

use crate::Database;
use crate::dialect::trials;

/// Builds the query of the trials after a position, in an order.
macro_rules! in_order {
    ($order:literal, $($arguments:tt)+) => {
        trials!(
            later = "FALSE",
            sqlite = "trial t
            WHERE study_id = ?1 AND (?2 IS NULL OR status = ?2) AND (?3 IS NULL OR failure = ?3)
                AND (?4 IS NULL OR role = ?4) AND (?5 IS NULL OR time_us >= ?5) AND (?6 IS NULL OR time_us <= ?6)
                AND (?7 IS NULL OR substr(configuration_hash, 1, length(?7)) = ?7) AND "
                $order,
            postgres = "trial t
            WHERE study_id = $1 AND ($2::text IS NULL OR status = $2) AND ($3::text IS NULL OR failure = $3)
                AND ($4::text IS NULL OR role = $4) AND ($5::float8 IS NULL OR time_us >= $5)
                AND ($6::float8 IS NULL OR time_us <= $6)
                AND ($7::text IS NULL OR starts_with(configuration_hash, $7)) AND "
                $order,
            $($arguments)+
        )
    };
}

/// The ordinal before the first.
const BEFORE: i64 = -1;

impl Database {
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
                in_order!(
                    "ordinal > $8 ORDER BY ordinal LIMIT $9",
                    of.0, status, failure, role, least, most, hash, ordinal, limit
                )
                .fetch_all(&mut *self.connection().await?)
                .await
            }
            TrialSort::Time => {
                in_order!(
                    "time_us IS NOT NULL AND (time_us, ordinal) > ($8, $9) ORDER BY time_us, ordinal LIMIT $10",
                    of.0, status, failure, role, least, most, hash, value, ordinal, limit
                )
                .fetch_all(&mut *self.connection().await?)
                .await
            }
            TrialSort::Compiled => {
                in_order!(
                    "compile_ms IS NOT NULL AND (compile_ms, ordinal) > ($8, $9) ORDER BY compile_ms, ordinal LIMIT $10",
                    of.0, status, failure, role, least, most, hash, value, ordinal, limit
                )
                .fetch_all(&mut *self.connection().await?)
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
