//! A database's header, by which it is known whose it is.

use sqlx::SqliteConnection;

/// What tells whose database a file is.
pub(crate) struct DatabaseHeader {
    /// Tables, indices and the like; 0 in an empty file.
    pub(crate) objects: i64,
    /// The program that the file belongs to.
    pub(crate) application_id: i64,
}

pub(crate) async fn read(connection: &mut SqliteConnection) -> Result<DatabaseHeader, sqlx::Error> {
    let objects = sqlx::query_scalar!(r#"SELECT count(*) AS "n!: i64" FROM sqlite_schema"#);
    // Not a macro: SQLite describes no columns of this pragma until it runs.
    let application_id = sqlx::query_scalar("PRAGMA application_id");
    Ok(DatabaseHeader {
        objects: objects.fetch_one(&mut *connection).await?,
        application_id: application_id.fetch_one(connection).await?,
    })
}
