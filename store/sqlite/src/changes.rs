//! The changes since a position, for followers of the database.

use sqlx::SqliteConnection;
use store::{Changes, Mark, Readable, StoreError};
use store_relational::ProblemRow;

use crate::Sqlite;

impl Sqlite {
    pub(crate) async fn changes_since(&self, since: Option<Mark>) -> Result<Changes, StoreError> {
        // Read the position first: rows written meanwhile are then reported again.
        let mark = self.mark().await?;
        // Numbers of another database, or from before a deletion, cannot be compared.
        let since = since
            .filter(|since| since.database == mark.database && since.revision == mark.revision);
        let from = since.map_or([i64::MIN; 3], |mark| {
            [mark.opened, mark.recorded, mark.held]
        });
        let mut changes = Changes {
            problems: Readable::default(),
            is_all: since.is_none(),
            mark,
        };
        // Most calls end here, without waiting for a permit.
        if since == Some(mark) {
            return Ok(changes);
        }
        let _turn = self.turn(None).await;
        let problems = sqlx::query_as!(
            ProblemRow,
            r#"SELECT p.id AS "id!", p.text AS "text!: crate::Text" FROM problem p WHERE p.id IN (
                SELECT problem_id FROM study WHERE opened > ?1
                UNION SELECT s.problem_id FROM study s
                WHERE s.id IN (SELECT study_id FROM trial WHERE id > ?2)
                UNION SELECT s.problem_id FROM study s
                WHERE s.id IN (SELECT study_id FROM final WHERE held > ?3)
            )"#,
            from[0],
            from[1],
            from[2]
        );
        let mut connection = self.connection().await?;
        let rows = problems.fetch_all(&mut *connection).await;
        let rows = rows.map_err(|e| self.error(e))?;
        changes.problems = rows.into_iter().map(ProblemRow::problem).collect();
        Ok(changes)
    }

    /// Returns the present end of the catalogue.
    async fn mark(&self) -> Result<Mark, StoreError> {
        let numbers = sqlx::query!(
            r#"SELECT coalesce((SELECT max(opened) FROM study), 0) AS "opened!: i64",
                coalesce((SELECT max(id) FROM trial), 0) AS "recorded!: i64",
                coalesce((SELECT max(held) FROM final), 0) AS "held!: i64",
                coalesce((SELECT number FROM revision), 0) AS "revision!: i64""#
        );
        let mut connection = self.connection().await?;
        let numbers = numbers.fetch_one(&mut *connection).await;
        let numbers = numbers.map_err(|e| self.error(e))?;
        Ok(Mark {
            database: self.number,
            opened: numbers.opened,
            recorded: numbers.recorded,
            held: numbers.held,
            revision: numbers.revision,
        })
    }

    /// Makes all followers of the database read it again. Call it in the transaction that deletes
    /// rows, or inserts some before existing ones.
    pub(crate) async fn revise(&self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let revise = sqlx::query!("UPDATE revision SET number = number + 1");
        let revised = revise.execute(connection).await;
        revised.map(drop).map_err(|e| self.error(e))
    }
}
