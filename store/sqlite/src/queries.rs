//! What several queries share: a database's header, and the columns of a problem.

use configgen::Problem;
use sqlx::SqliteConnection;

/// What tells whose database a file is.
pub(crate) struct Header {
    /// Tables, indices and the like; 0 in an empty file.
    pub(crate) objects: i64,
    /// The program that the file belongs to.
    pub(crate) application_id: i64,
}

pub(crate) async fn header(connection: &mut SqliteConnection) -> Result<Header, sqlx::Error> {
    let objects = sqlx::query_scalar!(r#"SELECT count(*) AS "n!: i64" FROM sqlite_schema"#);
    // Not a macro: SQLite describes no columns of this pragma until it runs.
    let application_id = sqlx::query_scalar("PRAGMA application_id");
    Ok(Header {
        objects: objects.fetch_one(&mut *connection).await?,
        application_id: application_id.fetch_one(connection).await?,
    })
}

/// What people filter problems by.
pub(crate) struct Features {
    pub(crate) operation: &'static str,
    pub(crate) comparator: Option<&'static str>,
    pub(crate) element: &'static str,
    pub(crate) rank: i64,
    pub(crate) rows: i64,
    pub(crate) reduced: i64,
}

pub(crate) fn features(problem: &Problem) -> Features {
    // A problem has no more elements than 2^40.
    let number = |size: u64| i64::try_from(size).unwrap_or(i64::MAX);
    Features {
        operation: problem.reduction.operation(),
        comparator: problem
            .arg_compare()
            .and_then(|reduction| reduction.comparator.name()),
        element: problem.element.name(),
        rank: number(problem.shape.rank() as u64),
        rows: number(problem.shape.rows()),
        reduced: number(problem.shape.reduced_size()),
    }
}
