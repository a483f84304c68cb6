//! Lists of studies.

use store::{
    Cursor, ListPage, Page, Readable, StoreError, StudyFilter, StudyId, StudyRecord, Unreadable,
};
use store_relational::{CountRow, HeldRow, StudyRow, WorkerRow, complete, millis, page, rows_of};

use crate::Sqlite;
use crate::query::{list, studies};

impl Sqlite {
    pub(super) async fn page_of_studies(
        &self,
        which: &StudyFilter,
        asked: Page,
    ) -> Result<ListPage<StudyRecord>, StoreError> {
        let before = match asked.after {
            None => i64::MAX,
            Some(Cursor::Opened(opened)) => opened,
            Some(other) => return Err(self.of_another_list(other)),
        };
        let problem = which.problem.as_ref().map(ToString::to_string);
        let operation = which.operation.as_deref();
        let element = which.element.map(|element| element.name());
        let target = which.target.map(|target| target.name);
        let device = which.device.as_deref();
        let generator = which.generator.map(|generator| generator.name());
        let strategy = which.strategy.as_deref();
        let since = which.opened_since.map(millis);
        let limit = rows_of(asked.limit);
        // The index `study_listed` has every column of studies that the inner query reads.
        let rows = studies!(
            "WHERE s.id IN (
                SELECT x.id FROM study x
                WHERE x.opened < ?1 AND (?2 IS NULL OR x.opened_ms >= ?2) AND (?3 IS NULL OR x.strategy = ?3)
                    AND (?4 IS NULL OR x.problem_id = (SELECT id FROM problem WHERE text = ?4))
                    AND (?5 IS NULL AND ?6 IS NULL OR EXISTS (
                        SELECT 1 FROM problem q
                        WHERE q.id = x.problem_id AND (?5 IS NULL OR q.operation = ?5) AND (?6 IS NULL OR q.element = ?6)
                    ))
                    AND (?7 IS NULL AND ?8 IS NULL AND ?9 IS NULL OR x.provenance_id IN (
                        SELECT id FROM provenance
                        WHERE (?7 IS NULL OR target = ?7) AND (?8 IS NULL OR device = ?8) AND (?9 IS NULL OR generator = ?9)
                    ))
                ORDER BY x.opened DESC LIMIT ?10
            ) ORDER BY s.opened DESC",
            before,
            since,
            strategy,
            problem,
            operation,
            element,
            target,
            device,
            generator,
            limit
        );
        let mut connection = self.connection().await?;
        let rows = rows.fetch_all(&mut *connection).await;
        let rows = rows.map_err(|e| self.error(e))?;
        // `complete` takes connections of its own; a second one held here could exhaust the pool.
        drop(connection);
        let cursor = |row: &StudyRow| Cursor::Opened(row.opened);
        let mut listed = page(rows, asked.limit, cursor, |row| row.record(self.generators));
        self.complete(&mut listed.rows, &mut listed.unreadable)
            .await?;
        Ok(listed)
    }

    pub(super) async fn one_study(&self, id: StudyId) -> Result<Readable<StudyRecord>, StoreError> {
        let row = studies!("WHERE s.id = ?1", id.0);
        let mut connection = self.connection().await?;
        let row = row.fetch_optional(&mut *connection).await;
        let row = row.map_err(|e| self.error(e))?;
        // `complete` takes connections of its own; a second one held here could exhaust the pool.
        drop(connection);
        let mut unreadable = Unreadable::default();
        let record = row.and_then(|row| unreadable.note(row.record(self.generators)));
        let mut rows: Vec<StudyRecord> = record.into_iter().collect();
        self.complete(&mut rows, &mut unreadable).await?;
        Ok(Readable { rows, unreadable })
    }

    /// Adds the rows of other tables: counts of trials, the latest finals, the owners at work.
    async fn complete(
        &self,
        records: &mut [StudyRecord],
        unreadable: &mut Unreadable,
    ) -> Result<(), StoreError> {
        let ids: Vec<StudyId> = records.iter().map(|record| record.known.id).collect();
        let of = list(&ids);
        let (counts, finals) = (self.counts(&of).await?, self.latest_finals(&of).await?);
        let workers = self.workers(&of).await?;
        complete(records, unreadable, counts, finals, workers);
        Ok(())
    }

    async fn counts(&self, of: &str) -> Result<Vec<CountRow>, StoreError> {
        let rows = sqlx::query_as!(
            CountRow,
            r#"SELECT study_id AS "study_id!", min(id) AS "id!: i64", status AS "status!: crate::Text", count(*) AS "trials!: i64"
            FROM trial WHERE study_id IN (SELECT value FROM json_each(?1)) GROUP BY study_id, status"#,
            of
        );
        let mut connection = self.connection().await?;
        let rows = rows.fetch_all(&mut *connection).await;
        rows.map_err(|e| self.error(e))
    }

    async fn latest_finals(&self, of: &str) -> Result<Vec<HeldRow>, StoreError> {
        let rows = sqlx::query_as!(
            HeldRow,
            r#"SELECT study_id AS "study_id!", trials AS "trials!", winner AS "winner!", ties AS "ties!: crate::Text",
                speedup AS "speedup!", low AS "low!", high AS "high!", ended_ms AS "ended_ms!"
            FROM final f
            WHERE study_id IN (SELECT value FROM json_each(?1))
                AND held = (SELECT max(held) FROM final latest WHERE latest.study_id = f.study_id)"#,
            of
        );
        let mut connection = self.connection().await?;
        let rows = rows.fetch_all(&mut *connection).await;
        rows.map_err(|e| self.error(e))
    }

    /// Returns the owners that are not silent.
    pub(super) async fn workers(&self, of: &str) -> Result<Vec<WorkerRow>, StoreError> {
        let patience = self.patience_ms();
        let rows = sqlx::query_as!(
            WorkerRow,
            r#"SELECT study_id AS "study_id!", owner AS "owner!: crate::Text" FROM worker
            WHERE study_id IN (SELECT value FROM json_each(?1))
                AND seen_ms >= CAST(1000 * unixepoch('subsec') AS INTEGER) - ?2"#,
            of,
            patience
        );
        let mut connection = self.connection().await?;
        let rows = rows.fetch_all(&mut *connection).await;
        rows.map_err(|e| self.error(e))
    }
}
