//! The header of a database, which tells its owner before any of our tables is read.

use sqlx::PgConnection;

/// The owner and the size of a database's schema.
pub(crate) struct DatabaseHeader {
    /// The number of tables, sequences and the like in the current schema; 0 in an empty one.
    /// Excludes those of extensions, and the table of migrations, which a process that starts
    /// just now may have created.
    pub(crate) objects: i64,
    /// True if the tables belong to wavetune.
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
