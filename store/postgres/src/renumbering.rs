//! Renumbering of imported rows: competing rows get numbers in the order of their ends or
//! openings.

use sqlx::PgConnection;
use store::StoreError;
use store_relational::{PlacedRow, StudyRow, renumbered, reopened};

use crate::Postgres;
use crate::dialect::studies;

/// Builds the query of the trials of the studies with a problem and a provenance.
macro_rules! placed {
    ($where:literal, $($argument:expr),+) => {
        sqlx::query_as!(
            PlacedRow,
            r#"SELECT millis(t.ended_at) AS "ended_ms!", millis(t.started_at) AS "started_ms!", s.strategy, s.space, s.ties,
                s.seed, t.ordinal, '' AS "finals_ties!", t.role, t.configuration_hash, t.id AS number, t.study_id
            FROM study s JOIN trial t ON t.study_id = s.id
            WHERE s.problem_id = $1 AND s.provenance_id = $2 AND "# + $where,
            $($argument),+
        )
    };
}

impl Postgres {
    /// Orders the studies of a problem.
    pub(crate) async fn order_studies(
        &self,
        connection: &mut PgConnection,
        problem: i64,
    ) -> Result<(), StoreError> {
        let rows = studies!("WHERE s.problem_id = $1", problem);
        let rows = rows.fetch_all(&mut *connection).await;
        let rows: Vec<StudyRow> = rows.map_err(|e| self.error(e))?;
        // Each row in turn gets the largest number, so all end in the order of the list.
        for id in reopened(&rows) {
            let update = sqlx::query!("UPDATE study SET opened = next_number(0) WHERE id = $1", id);
            let updated = update.execute(&mut *connection).await;
            updated.map_err(|e| self.error(e))?;
        }
        Ok(())
    }

    /// Orders the trials of configurations with these hashes, in the studies with this problem
    /// and provenance.
    pub(crate) async fn order_trials(
        &self,
        connection: &mut PgConnection,
        (problem, provenance): (i64, i64),
        mut hashes: Vec<String>,
    ) -> Result<(), StoreError> {
        let defaults = placed!("t.role = 'default'", problem, provenance);
        let defaults = defaults.fetch_all(&mut *connection).await;
        let mut rows: Vec<PlacedRow> = defaults.map_err(|e| self.error(e))?;
        // A default competes with all defaults and with all trials of its configuration.
        hashes.extend(rows.iter().filter_map(|row| row.configuration_hash.clone()));
        let others = placed!(
            "t.configuration_hash = ANY($3)",
            problem,
            provenance,
            &hashes
        );
        let others = others.fetch_all(&mut *connection).await;
        rows.extend(others.map_err(|e| self.error(e))?);
        // Each row in turn gets the largest number of its gate, so all end in the order of the
        // list.
        let rows = renumbered(rows);
        let numbers: Vec<i64> = rows.iter().map(|row| row.number).collect();
        let studies: Vec<i64> = rows.iter().map(|row| row.study_id).collect();
        let update = sqlx::query!(
            "UPDATE trial SET id = placed.number FROM (
                SELECT made.id, next_number(made.study) AS number
                FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS made (id, study, place)
                ORDER BY place
            ) AS placed
            WHERE trial.id = placed.id",
            &numbers,
            &studies,
        );
        let updated = update.execute(&mut *connection).await;
        updated.map(drop).map_err(|e| self.error(e))
    }

    /// Orders the finals of the studies with this problem and provenance.
    pub(crate) async fn order_finals(
        &self,
        connection: &mut PgConnection,
        problem: i64,
        provenance: i64,
    ) -> Result<(), StoreError> {
        let rows = sqlx::query_as!(
            PlacedRow,
            r#"SELECT millis(f.ended_at) AS "ended_ms!", millis(f.ended_at) AS "started_ms!", s.strategy, s.space, s.ties,
                s.seed, f.trials AS ordinal, f.ties AS finals_ties, 'default' AS "role!", NULL AS configuration_hash,
                f.held AS number, f.study_id
            FROM study s JOIN final f ON f.study_id = s.id
            WHERE s.problem_id = $1 AND s.provenance_id = $2"#,
            problem,
            provenance
        );
        let rows = rows.fetch_all(&mut *connection).await;
        // Each row in turn gets the largest number, so all end in the order of the list.
        for row in renumbered(rows.map_err(|e| self.error(e))?) {
            let update = sqlx::query!(
                "UPDATE final SET held = next_number(study_id) WHERE held = $1",
                row.number
            );
            let updated = update.execute(&mut *connection).await;
            updated.map_err(|e| self.error(e))?;
        }
        Ok(())
    }
}
