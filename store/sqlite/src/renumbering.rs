//! Renumbering of imported rows: competing rows get numbers in the order of their ends or
//! openings.

use sqlx::SqliteConnection;
use store::StoreError;
use store_relational::{PlacedRow, StudyRow, renumbered, reopened};

use crate::Sqlite;
use crate::dialect::{studies, words};

/// Builds the query of the trials of the studies with a problem and a provenance.
macro_rules! placed {
    ($where:literal, $($argument:expr),+) => {
        sqlx::query_as!(
            PlacedRow,
            r#"SELECT t.ended_ms AS "ended_ms!", t.started_ms AS "started_ms!", s.strategy AS "strategy!: crate::Text",
                s.space AS "space!: crate::Text", s.ties AS "ties!: crate::Text", s.seed AS "seed!", t.ordinal AS "ordinal!", '' AS "finals_ties!: String",
                t.role AS "role!: crate::Text", t.configuration_hash AS "configuration_hash!: crate::Text", t.id AS "number!", t.study_id AS "study_id!"
            FROM study s CROSS JOIN trial t ON t.study_id = s.id
            WHERE s.problem_id = ?1 AND s.provenance_id = ?2 AND "# + $where,
            $($argument),+
        )
    };
}

impl Sqlite {
    /// Orders the studies of a problem.
    pub(crate) async fn order_studies(
        &self,
        connection: &mut SqliteConnection,
        problem: i64,
    ) -> Result<(), StoreError> {
        let rows = studies!("WHERE s.problem_id = ?1", problem);
        let rows = rows.fetch_all(&mut *connection).await;
        let rows: Vec<StudyRow> = rows.map_err(|e| self.error(e))?;
        // Each row in turn gets the largest number, so all end in the order of the list.
        for id in reopened(&rows) {
            let update = sqlx::query!(
                "UPDATE study SET opened = (SELECT max(opened) + 1 FROM study) WHERE id = ?1",
                id
            );
            let updated = update.execute(&mut *connection).await;
            updated.map_err(|e| self.error(e))?;
        }
        Ok(())
    }

    /// Orders the trials of configurations with these hashes, in the studies with this problem
    /// and provenance.
    pub(crate) async fn order_trials(
        &self,
        connection: &mut SqliteConnection,
        (problem, provenance): (i64, i64),
        hashes: Vec<String>,
    ) -> Result<(), StoreError> {
        let defaults = placed!("t.role = 'default'", problem, provenance);
        let defaults = defaults.fetch_all(&mut *connection).await;
        let mut rows: Vec<PlacedRow> = defaults.map_err(|e| self.error(e))?;
        // A default competes with all defaults and with all trials of its configuration.
        let of_defaults = rows
            .iter()
            .filter_map(|row| row.configuration_hash.as_deref());
        let hashes: Vec<&str> = hashes
            .iter()
            .map(String::as_str)
            .chain(of_defaults)
            .collect();
        let hashes = words(&hashes);
        let others = placed!(
            "t.configuration_hash IN (SELECT value FROM json_each(?3))",
            problem,
            provenance,
            hashes
        );
        let others = others.fetch_all(&mut *connection).await;
        rows.extend(others.map_err(|e| self.error(e))?);
        // Each row in turn gets the largest number, so all end in the order of the list.
        for row in renumbered(rows) {
            let update = sqlx::query!(
                "UPDATE trial SET id = (SELECT max(id) + 1 FROM trial) WHERE id = ?1",
                row.number
            );
            let updated = update.execute(&mut *connection).await;
            updated.map_err(|e| self.error(e))?;
        }
        Ok(())
    }

    /// Orders the finals of the studies with this problem and provenance.
    pub(crate) async fn order_finals(
        &self,
        connection: &mut SqliteConnection,
        problem: i64,
        provenance: i64,
    ) -> Result<(), StoreError> {
        let rows = sqlx::query_as!(
            PlacedRow,
            r#"SELECT f.ended_ms AS "ended_ms!", f.ended_ms AS "started_ms!", s.strategy AS "strategy!: crate::Text",
                s.space AS "space!: crate::Text", s.ties AS "ties!: crate::Text", s.seed AS "seed!", f.trials AS "ordinal!", f.ties AS "finals_ties!: crate::Text",
                'default' AS "role!: String", NULL AS "configuration_hash?: String", f.held AS "number!",
                f.study_id AS "study_id!"
            FROM study s CROSS JOIN final f ON f.study_id = s.id
            WHERE s.problem_id = ?1 AND s.provenance_id = ?2"#,
            problem,
            provenance
        );
        let rows = rows.fetch_all(&mut *connection).await;
        // Each row in turn gets the largest number, so all end in the order of the list.
        for row in renumbered(rows.map_err(|e| self.error(e))?) {
            let update = sqlx::query!(
                "UPDATE final SET held = (SELECT max(held) + 1 FROM final) WHERE held = ?1",
                row.number
            );
            let updated = update.execute(&mut *connection).await;
            updated.map_err(|e| self.error(e))?;
        }
        Ok(())
    }
}
