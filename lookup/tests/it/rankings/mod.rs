//! Rankings of a database.

use testing_sqlite as support;

mod order;
mod pruned;
mod regressions;
mod several;
mod ties;
mod unreadable;

use store_sqlite::Sqlite;
use tempfile::TempDir;

/// Returns a new database, and its temporary directory.
async fn new_store() -> (TempDir, Sqlite) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trials.db");
    let store = Sqlite::open(path.to_str().unwrap()).await.unwrap();
    (directory, store)
}
