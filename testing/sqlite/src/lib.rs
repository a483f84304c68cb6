//! Damage to the databases of the SQLite store's tests.

use std::path::Path;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use store::Ledger as _;
use store_sqlite::Sqlite;
pub use testing_store_contract::samples::*;

/// Changes rows as no interface does, such as into those of a newer build.
pub async fn spoil(store: &Sqlite, sql: &'static str) {
    execute(store.name().as_ref(), sql).await;
}

/// Executes statements on a file, even one in use.
pub async fn execute(path: &Path, sql: &'static str) {
    let options = SqliteConnectOptions::new().filename(path);
    let mut connection = options.connect().await.unwrap();
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}
