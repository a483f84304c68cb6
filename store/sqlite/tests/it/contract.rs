//! SQLite keeps the promises of every store.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use store::Store;
use store_sqlite::Sqlite;
use tempfile::TempDir;
use testing::{Failed, Trial};
use testing_store_contract::{Database, Held};

/// A file in a temporary directory.
struct File {
    directory: TempDir,
}

impl File {
    fn new() -> Result<File, Failed> {
        let directory = tempfile::tempdir()?;
        Ok(File { directory })
    }

    async fn store(&self) -> Sqlite {
        let path = self.directory.path().join("trials.db");
        Sqlite::open(path.to_str().unwrap()).await.unwrap()
    }

    async fn raw(&self) -> SqliteConnection {
        let path = self.directory.path().join("trials.db");
        let options = SqliteConnectOptions::new().filename(path);
        options.connect().await.unwrap()
    }
}

#[async_trait]
impl Database for File {
    async fn open(&self) -> Arc<dyn Store> {
        Arc::new(self.store().await)
    }

    async fn open_patient(&self, patience: Duration) -> Arc<dyn Store> {
        Arc::new(self.store().await.with_patience(patience))
    }

    async fn spoil(&self, sql: &'static str) {
        let mut connection = self.raw().await;
        sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }

    async fn count(&self, table: &'static str) -> i64 {
        let query = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
        let count = sqlx::query_scalar(query);
        count.fetch_one(&mut self.raw().await).await.unwrap()
    }

    async fn hold(&self) -> Box<dyn Held> {
        let mut connection = self.raw().await;
        let lock = sqlx::raw_sql("BEGIN IMMEDIATE");
        lock.execute(&mut connection).await.unwrap();
        Box::new(Locked(connection))
    }
}

/// A connection with the write lock.
struct Locked(SqliteConnection);

#[async_trait]
impl Held for Locked {
    async fn release(mut self: Box<Self>) {
        let unlock = sqlx::raw_sql("COMMIT");
        unlock.execute(&mut self.0).await.unwrap();
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    testing_store_contract::tests(File::new)
}
