//! Tests of the store on databases of their own.

#[path = "../support/mod.rs"]
#[allow(unreachable_pub)]
mod support;

mod displaced;
mod faults;
mod load;
mod migrating;
mod rankings;
mod several;
mod studies;
mod ties;
mod unreadable;
mod wishes;

use store::Store;
use tempfile::TempDir;

/// A new database, and the directory that it goes away with.
async fn new_store() -> (TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&location(&directory)).await.unwrap();
    (directory, store)
}

fn location(directory: &TempDir) -> String {
    directory
        .path()
        .join("trials.db")
        .to_str()
        .unwrap()
        .to_owned()
}
