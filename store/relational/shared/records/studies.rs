//! Lists of studies.

use store::{
    Cursor, ListPage, Page, Readable, StoreError, StudyFilter, StudyId, StudyRecord, Unreadable,
};
use store_relational::{CountRow, HeldRow, StudyRow, WorkerRow, complete, millis, page, rows_of};

use crate::Database;
use crate::dialect::{StudyList, list, rows, studies};

impl Database {
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
        // An index gives the studies of the inner query in order. SQLite's, `study_listed`, has
        // every column that the query reads.
        let rows = studies!(
            sqlite = "WHERE s.id IN (
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
            postgres = "WHERE s.id IN (
                SELECT x.id FROM study x
                WHERE x.opened < $1 AND ($2::bigint IS NULL OR x.opened_at >= at_millis($2))
                    AND ($3::text IS NULL OR x.strategy = $3)
                    AND ($4::text IS NULL OR x.problem_id = (SELECT id FROM problem WHERE hash = hash_of($4)))
                    AND ($5::text IS NULL AND $6::text IS NULL OR EXISTS (
                        SELECT 1 FROM problem q
                        WHERE q.id = x.problem_id AND ($5 IS NULL OR q.operation = $5) AND ($6 IS NULL OR q.element = $6)
                    ))
                    AND ($7::text IS NULL AND $8::text IS NULL AND $9::text IS NULL OR x.provenance_id IN (
                        SELECT id FROM provenance
                        WHERE ($7 IS NULL OR target = $7) AND ($8 IS NULL OR device = $8) AND ($9 IS NULL OR generator = $9)
                    ))
                ORDER BY x.opened DESC LIMIT $10
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
            limit,
        );
        let rows = rows.fetch_all(&mut *self.connection().await?).await;
        let rows = rows.map_err(|e| self.error(e))?;
        let cursor = |row: &StudyRow| Cursor::Opened(row.opened);
        let mut listed = page(rows, asked.limit, cursor, |row| row.record(self.generators));
        self.complete(&mut listed.rows, &mut listed.unreadable)
            .await?;
        Ok(listed)
    }

    pub(super) async fn one_study(&self, id: StudyId) -> Result<Readable<StudyRecord>, StoreError> {
        let row = studies!("WHERE s.id = $1", id.0);
        let row = row.fetch_optional(&mut *self.connection().await?).await;
        let row = row.map_err(|e| self.error(e))?;
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

    async fn counts(&self, of: &StudyList) -> Result<Vec<CountRow>, StoreError> {
        let rows = rows!(
            CountRow,
            sqlite = r#"SELECT study_id AS "study_id!", min(id) AS "id!: i64", status AS "status!: crate::Text", count(*) AS "trials!: i64"
            FROM trial WHERE study_id IN (SELECT value FROM json_each(?1)) GROUP BY study_id, status"#,
            postgres = r#"SELECT study_id, min(id) AS "id!", status, count(*) AS "trials!"
            FROM trial WHERE study_id = ANY($1) GROUP BY study_id, status"#,
            of
        );
        let rows = rows.fetch_all(&mut *self.connection().await?).await;
        rows.map_err(|e| self.error(e))
    }

    async fn latest_finals(&self, of: &StudyList) -> Result<Vec<HeldRow>, StoreError> {
        let rows = rows!(
            HeldRow,
            sqlite = r#"SELECT study_id AS "study_id!", trials AS "trials!", winner AS "winner!", ties AS "ties!: crate::Text",
                speedup AS "speedup!", low AS "low!", high AS "high!", ended_ms AS "ended_ms!"
            FROM final f
            WHERE study_id IN (SELECT value FROM json_each(?1))
                AND held = (SELECT max(held) FROM final latest WHERE latest.study_id = f.study_id)"#,
            postgres = r#"SELECT DISTINCT ON (study_id) study_id, trials, winner, ties, speedup, low, high,
                millis(ended_at) AS "ended_ms!"
            FROM final WHERE study_id = ANY($1) ORDER BY study_id, held DESC"#,
            of
        );
        let rows = rows.fetch_all(&mut *self.connection().await?).await;
        rows.map_err(|e| self.error(e))
    }

    /// Returns the owners that are not silent.
    async fn workers(&self, of: &StudyList) -> Result<Vec<WorkerRow>, StoreError> {
        let rows = rows!(
            WorkerRow,
            sqlite = r#"SELECT study_id AS "study_id!", owner AS "owner!: crate::Text" FROM worker
            WHERE study_id IN (SELECT value FROM json_each(?1))
                AND seen_ms >= CAST(1000 * unixepoch('subsec') AS INTEGER) - ?2"#,
            postgres = r#"SELECT study_id, owner FROM worker
            WHERE study_id = ANY($1) AND seen_at >= clock_timestamp() - $2::bigint * interval '1 millisecond'
            ORDER BY study_id, owner COLLATE "C""#,
            of,
            self.patience_ms()
        );
        let rows = rows.fetch_all(&mut *self.connection().await?).await;
        rows.map_err(|e| self.error(e))
    }
}
