//! Rankings of what is in a database.

use testing_sqlite as support;

mod order;
mod pruned;
mod regressions;
mod several;
mod ties;
mod unreadable;

use store_sqlite::Sqlite;
use tempfile::TempDir;

/// A new database, and the directory that it goes away with.
async fn new_store() -> (TempDir, Sqlite) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trials.db");
    let store = Sqlite::open(path.to_str().unwrap()).await.unwrap();
    (directory, store)
}
