//! The changes since a position, for followers of the database.

use store::{Changes, Mark, Readable, StoreError};
use store_relational::ProblemRow;

use crate::Postgres;

impl Postgres {
    /// Returns the largest number up to which all rows of a gate are visible now, or never will
    /// be. A gate is a study, or 0 for the whole database; `migrations/postgres` explains it.
    ///
    /// This is a transaction of its own. The next query is then in another transaction, which
    /// sees the rows that this one has waited for.
    pub(crate) async fn complete_up_to(&self, gate: i64) -> Result<i64, StoreError> {
        let number = sqlx::query_scalar!(r#"SELECT complete_up_to($1) AS "n!""#, gate);
        let number = number.fetch_one(&self.pool).await;
        number.map_err(|e| self.error(e))
    }

    pub(crate) async fn changes_since(&self, since: Option<Mark>) -> Result<Changes, StoreError> {
        // Read both first: rows written or deleted meanwhile are then reported again.
        let complete = self.complete_up_to(0).await?;
        let (database, revision) = self.identity().await?;
        let mark = Mark {
            database,
            opened: complete,
            recorded: complete,
            held: complete,
            revision,
        };
        // Numbers of another database, or from before a deletion, cannot be compared.
        let since = since
            .filter(|since| since.database == mark.database && since.revision == mark.revision);
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
        let since = since.map_or([i64::MIN; 3], |mark| {
            [mark.opened, mark.recorded, mark.held]
        });
        let problems = sqlx::query_as!(
            ProblemRow,
            "SELECT p.id, p.text FROM problem p WHERE p.id IN (
                SELECT problem_id FROM study WHERE opened > $1
                UNION SELECT s.problem_id FROM study s
                WHERE s.id IN (SELECT study_id FROM trial WHERE id > $2)
                UNION SELECT s.problem_id FROM study s
                WHERE s.id IN (SELECT study_id FROM final WHERE held > $3)
            )",
            since[0],
            since[1],
            since[2]
        );
        let rows = problems.fetch_all(&self.pool).await;
        let rows = rows.map_err(|e| self.error(e))?;
        changes.problems = rows.into_iter().map(ProblemRow::problem).collect();
        Ok(changes)
    }

    /// Returns the identity of the database, and the number of its deletions. A database that was
    /// restored in its place has other tables or another server, and thereby another identity.
    async fn identity(&self) -> Result<(u64, i64), StoreError> {
        let identity = sqlx::query!(
            r#"SELECT hashtextextended(system_identifier::text || ' ' || 'trial'::regclass::oid::text, 0) AS "database!",
                coalesce((SELECT number FROM revision), 0) AS "revision!"
            FROM pg_control_system()"#
        );
        let identity = identity.fetch_one(&self.pool).await;
        let identity = identity.map_err(|e| self.error(e))?;
        Ok((identity.database.cast_unsigned(), identity.revision))
    }
}
