//! Lists of the trials of all studies.

use store::{
    Cursor, FailureKind, ListPage, Page, Role, Status, StoreError, TrialFilter, TrialRecord,
};
use store_relational::{TrialRow, page, rows_of};

use crate::Sqlite;
use crate::query::trials;

/// Builds the query of the trials after a position, from these tables.
macro_rules! all_trials {
    ($from:literal, $($argument:expr),+) => {
        trials!(
            "FALSE",
            $from " AND (?2 IS NULL OR t.status = ?2) AND (?3 IS NULL OR t.failure = ?3)
                AND (?4 IS NULL OR t.role = ?4) AND (?5 IS NULL OR t.time_us >= ?5) AND (?6 IS NULL OR t.time_us <= ?6)
                AND (?7 IS NULL OR substr(t.configuration_hash, 1, length(?7)) = ?7)
            ORDER BY t.study_id, t.ordinal LIMIT ?8",
            $($argument),+
        )
    };
}

/// The position before the first trial.
const BEFORE: (i64, i64) = (i64::MIN, -1);

impl Sqlite {
    pub(super) async fn page_of_all_trials(
        &self,
        which: &TrialFilter,
        asked: Page,
    ) -> Result<ListPage<TrialRecord>, StoreError> {
        let status = which.status.map(Status::name);
        let failure = which.failure.map(FailureKind::name);
        let role = which.role.map(Role::name);
        let (least, most) = (which.least_us, which.most_us);
        let hash = which.hash.as_deref();
        let limit = rows_of(asked.limit);
        let (study, ordinal) = match asked.after {
            None => BEFORE,
            Some(Cursor::Trial(study, ordinal)) => (study, ordinal),
            Some(other) => return Err(self.of_another_list(other)),
        };
        let mut connection = self.connection().await?;
        let rows = match which.status == Some(Status::Failed) || which.failure.is_some() {
            // The index `trial_by_status` gives the failed trials study by study, without reading
            // the others.
            true => {
                all_trials!(
                    "study s CROSS JOIN trial t INDEXED BY trial_by_status ON t.study_id = s.id AND t.status = 'failed'
                    WHERE s.id >= ?1 AND (s.id > ?1 OR t.ordinal > ?9)",
                    study, status, failure, role, least, most, hash, limit, ordinal
                )
                .fetch_all(&mut *connection)
                .await
            }
            false => {
                all_trials!(
                    "trial t WHERE (t.study_id, t.ordinal) > (?1, ?9)",
                    study, status, failure, role, least, most, hash, limit, ordinal
                )
                .fetch_all(&mut *connection)
                .await
            }
        };
        let rows = rows.map_err(|e| self.error(e))?;
        let cursor = |row: &TrialRow| Cursor::Trial(row.study_id, row.ordinal);
        Ok(page(rows, asked.limit, cursor, TrialRow::record))
    }
}
