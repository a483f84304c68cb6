//! Verification of a database: its file, its references, and the readability of each row.

use store::{StoreError, StoreFault, StudyId, UnreadableRow};
use store_relational::{FinalColumns, ModelRow, ProblemRow, RunRow, StudyRow, TokenRow};

use crate::Sqlite;
use crate::dialect::{studies, trials};
use crate::open::newest_known;

/// The number of rows in memory at a time.
const PAGE: i64 = 1000;

/// The limit of reported findings.
const TOLD: usize = 100;

/// A dangling reference: table, row, referenced table, and number of the foreign key.
type Reference = (String, Option<i64>, String, i64);

/// The findings, each on one line.
#[derive(Default)]
pub(super) struct Findings(Vec<String>);

impl Findings {
    fn is_full(&self) -> bool {
        self.0.len() >= TOLD
    }

    pub(super) fn add(&mut self, finding: String) {
        if !self.is_full() {
            self.0.push(finding);
        }
    }

    /// Adds the error of an unreadable row.
    fn read<T>(&mut self, row: Result<T, UnreadableRow>) {
        if let Err(row) = row {
            self.add(row.to_string());
        }
    }

    /// Adds the error of a table. If the driver cannot read one of its rows, the table has only
    /// that finding.
    fn table(
        &mut self,
        name: &'static str,
        read: Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        match read {
            Err(StoreError {
                fault: StoreFault::Undecodable(reason),
                ..
            }) => self.add(format!("{name}: {reason}")),
            read => read?,
        }
        Ok(())
    }
}

impl Sqlite {
    /// Returns up to a hundred findings on the database, a line each; none if it is intact. Reads
    /// all of it.
    ///
    /// # Errors
    ///
    /// Any error of reading, except that of a damaged file, which is a finding.
    pub async fn verify(&self) -> Result<Vec<String>, StoreError> {
        let mut findings = Findings::default();
        match self.find_all(&mut findings).await {
            Err(error) if matches!(error.fault, StoreFault::NotADatabase) => {
                findings.add("part of the file cannot be read: it is damaged".to_owned());
            }
            checked => checked?,
        }
        Ok(findings.0)
    }

    async fn find_all(&self, findings: &mut Findings) -> Result<(), StoreError> {
        self.check_file(findings).await?;
        // An older schema has other tables.
        let mut connection = self.connection().await?;
        let is_current = self.applied(&mut connection).await? == newest_known();
        drop(connection);
        if !is_current {
            return Ok(());
        }
        self.check_references(findings).await?;
        self.check_texts(findings).await?;
        let read = self.check_problems(findings).await;
        findings.table("problem", read)?;
        let read = self.check_studies(findings).await;
        findings.table("study", read)?;
        let read = self.check_trials(findings).await;
        findings.table("trial", read)?;
        let read = self.check_finals(findings).await;
        findings.table("final", read)?;
        let read = self.check_runs(findings).await;
        findings.table("run", read)?;
        let read = self.check_models(findings).await;
        findings.table("submitted_model", read)?;
        let read = self.wish_rows().await.map(|rows| {
            let numbered = (1..).zip(rows);
            numbered.for_each(|(number, row)| findings.read(row.wished(number, self.generators)));
        });
        findings.table("wish", read)?;
        let read = self.token_rows().await.map(|rows| {
            let grants = rows.into_iter().map(TokenRow::grant);
            grants.for_each(|grant| findings.read(grant));
        });
        findings.table("token", read)
    }

    /// Runs SQLite's own checks. Not macros: SQLite describes no columns of these pragmas before
    /// they run.
    async fn check_file(&self, findings: &mut Findings) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        let check = sqlx::query_scalar("PRAGMA integrity_check");
        let found: Result<Vec<String>, _> = check.fetch_all(&mut *connection).await;
        let found = found.map_err(|e| self.error(e))?;
        let wrong = found.into_iter().filter(|line| line != "ok");
        wrong.for_each(|line| findings.add(line));
        let check = sqlx::query_as("PRAGMA foreign_key_check");
        let found: Result<Vec<Reference>, _> = check.fetch_all(&mut *connection).await;
        for (table, row, parent, _) in found.map_err(|e| self.error(e))? {
            let row = row.map_or(String::new(), |row| format!(" {row}"));
            findings.add(format!("{table}{row} refers to a missing row of {parent}"));
        }
        Ok(())
    }

    /// Checks conditions on rows of several tables, without the indices.
    async fn check_references(&self, findings: &mut Findings) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        // NOT INDEXED, because a damaged index would hide the second row.
        let doubled = sqlx::query!(
            r#"SELECT study_id AS "study!: i64", ordinal AS "ordinal!: i64" FROM trial NOT INDEXED
            GROUP BY study_id, ordinal HAVING count(*) > 1 LIMIT 100"#
        );
        let doubled = doubled.fetch_all(&mut *connection).await;
        for row in doubled.map_err(|e| self.error(e))? {
            let (study, ordinal) = (row.study, row.ordinal);
            findings.add(format!("study {study} has trial {ordinal} more than once"));
        }
        let lost = sqlx::query!(
            r#"SELECT study_id AS "study!: i64", winner AS "winner!: i64" FROM final f
            WHERE NOT EXISTS (SELECT 1 FROM trial t WHERE t.study_id = f.study_id AND t.ordinal = f.winner) LIMIT 100"#
        );
        let lost = lost.fetch_all(&mut *connection).await;
        for row in lost.map_err(|e| self.error(e))? {
            let (study, winner) = (row.study, row.winner);
            findings.add(format!(
                "trial {winner}, which won finals of study {study}, is missing"
            ));
        }
        Ok(())
    }

    async fn check_problems(&self, findings: &mut Findings) -> Result<(), StoreError> {
        let mut after = i64::MIN;
        loop {
            let page = sqlx::query_as!(
                ProblemRow,
                r#"SELECT id AS "id!", text AS "text!: crate::Text" FROM problem WHERE id > ?1 ORDER BY id LIMIT ?2"#,
                after,
                PAGE
            );
            let mut connection = self.connection().await?;
            let rows = page.fetch_all(&mut *connection).await;
            let rows = rows.map_err(|e| self.error(e))?;
            // A full list ends the reading, which takes long and could add no finding.
            let Some(last) = rows.last().filter(|_| !findings.is_full()) else {
                return Ok(());
            };
            after = last.id;
            rows.into_iter()
                .for_each(|row| findings.read(row.problem()));
        }
    }

    async fn check_studies(&self, findings: &mut Findings) -> Result<(), StoreError> {
        let mut after = i64::MIN;
        loop {
            let page = studies!("WHERE s.id > ?1 ORDER BY s.id LIMIT ?2", after, PAGE);
            let mut connection = self.connection().await?;
            let rows = page.fetch_all(&mut *connection).await;
            let rows: Vec<StudyRow> = rows.map_err(|e| self.error(e))?;
            let Some(last) = rows.last().filter(|_| !findings.is_full()) else {
                return Ok(());
            };
            after = last.id;
            let generators = self.generators;
            rows.into_iter()
                .for_each(|row| findings.read(row.record(generators)));
        }
    }

    async fn check_trials(&self, findings: &mut Findings) -> Result<(), StoreError> {
        let mut after = i64::MIN;
        loop {
            let page = trials!(
                later = "FALSE",
                "trial t WHERE id > ?1 ORDER BY id LIMIT ?2",
                after,
                PAGE
            );
            let mut connection = self.connection().await?;
            let rows = page.fetch_all(&mut *connection).await;
            let rows = rows.map_err(|e| self.error(e))?;
            let Some(last) = rows.last().filter(|_| !findings.is_full()) else {
                return Ok(());
            };
            after = last.id;
            rows.into_iter().for_each(|row| findings.read(row.trial()));
        }
    }

    /// Checks the finals a study at a time, because their samples are long.
    async fn check_finals(&self, findings: &mut Findings) -> Result<(), StoreError> {
        let rows = sqlx::query_scalar!(r#"SELECT DISTINCT study_id AS "study!: i64" FROM final"#);
        let mut connection = self.connection().await?;
        let studies = rows.fetch_all(&mut *connection).await;
        for study in studies.map_err(|e| self.error(e))? {
            let rows = sqlx::query_as!(
                FinalColumns,
                r#"SELECT study_id AS "study_id!", trials AS "trials!", winner AS "winner!", ties AS "ties!: crate::Text",
                    speedup AS "speedup!", low AS "low!", high AS "high!", samples AS "samples!: crate::Text", ended_ms AS "ended_ms!"
                FROM final WHERE study_id = ?1 ORDER BY held"#,
                study
            );
            let rows = rows.fetch_all(&mut *connection).await;
            for row in rows.map_err(|e| self.error(e))? {
                findings.read(row.finals());
            }
        }
        Ok(())
    }

    async fn check_runs(&self, findings: &mut Findings) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let rows = self.run_rows(None, after, PAGE as u32).await?;
            let Some(last) = rows.last().filter(|_| !findings.is_full()) else {
                return Ok(());
            };
            after = Some(StudyId(last.study_id));
            rows.into_iter()
                .map(RunRow::run)
                .for_each(|run| findings.read(run));
        }
    }

    async fn check_models(&self, findings: &mut Findings) -> Result<(), StoreError> {
        let mut before = i64::MAX;
        loop {
            let rows = self.model_rows(None, before, PAGE).await?;
            let Some(last) = rows.last().filter(|_| !findings.is_full()) else {
                return Ok(());
            };
            before = last.number;
            rows.into_iter()
                .map(ModelRow::model)
                .for_each(|model| findings.read(model));
        }
    }
}
