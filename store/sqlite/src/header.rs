//! The header of a database, which tells the program that owns it.

use sqlx::SqliteConnection;

/// The owner and the size of a database's schema.
pub(crate) struct DatabaseHeader {
    /// The number of tables, indices and the like; 0 in an empty file.
    pub(crate) objects: i64,
    /// The ID of the program that owns the file.
    pub(crate) application_id: i64,
}

pub(crate) async fn read(connection: &mut SqliteConnection) -> Result<DatabaseHeader, sqlx::Error> {
    let objects = sqlx::query_scalar!(r#"SELECT count(*) AS "n!: i64" FROM sqlite_schema"#);
    // Not a macro: SQLite describes no columns of this pragma before it runs.
    let application_id = sqlx::query_scalar("PRAGMA application_id");
    Ok(DatabaseHeader {
        objects: objects.fetch_one(&mut *connection).await?,
        application_id: application_id.fetch_one(connection).await?,
    })
}
