//! Databases of the shared server.

use std::cell::Cell;

use sqlx::Connection as _;
use testing::Failed;
use testing_postgres::Database;
use testing_store_contract::block_on;

/// Checks that each test has a database of its own.
pub(crate) fn databases_are_apart() -> Result<(), Failed> {
    let (one, other) = (Database::create()?, Database::create()?);
    one.execute("CREATE TABLE trial (id int)")?;
    other.execute("CREATE TABLE trial (id int)")?;
    let url = one.url();
    block_on(async {
        let mut open = crate::store::raw(&url).await;
        drop(one);
        open.ping().await.expect_err("its database is gone");
        let again = sqlx::PgConnection::connect(&url).await;
        let error = again.expect_err("its database is gone").to_string();
        assert!(error.contains("does not exist"), "{error}");
    });
    other.execute("SELECT id FROM trial")?;
    Ok(())
}

/// Checks that a schema is created once, and that a test changes only its own copy.
pub(crate) fn a_schema_is_made_once() -> Result<(), Failed> {
    let schema = ("a_schema_is_made_once", std::process::id());
    let made = Cell::new(0);
    let migrated = || {
        Database::migrated(&schema, |url| {
            made.set(made.get() + 1);
            block_on(async {
                let mut connection = crate::store::raw(url).await;
                let table = sqlx::raw_sql("CREATE TABLE trial (id int)");
                table.execute(&mut connection).await.unwrap();
                connection.close().await.unwrap();
            });
        })
    };
    let first = migrated()?;
    first.execute("ALTER TABLE trial RENAME TO changed")?;
    migrated()?.execute("SELECT id FROM trial")?;
    assert_eq!(made.get(), 1);
    Ok(())
}
