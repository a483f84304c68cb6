//! Whose database it is: what stands in it before any of our tables is read.

use sqlx::PgConnection;

/// What tells whose database it is.
pub(crate) struct DatabaseHeader {
    /// Tables, sequences and the like in the schema that is in use; 0 in an empty one. Those of extensions do not count, nor
    /// does the table of migrations, which another process may just have made to begin with.
    pub(crate) objects: i64,
    /// Whether they are those of wavetune.
    pub(crate) is_ours: bool,
}

pub(crate) async fn read(connection: &mut PgConnection) -> Result<DatabaseHeader, sqlx::Error> {
    let header = sqlx::query_as!(
        DatabaseHeader,
        r#"SELECT (
                SELECT count(*) FROM pg_class c
                WHERE c.relnamespace = current_schema()::regnamespace
                    AND NOT starts_with(c.relname, '_sqlx_migrations')
                    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
            ) AS "objects!",
            coalesce(obj_description(to_regclass('problem'), 'pg_class') LIKE 'wavetune:%', FALSE) AS "is_ours!""#
    );
    header.fetch_one(connection).await
}
