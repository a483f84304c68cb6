//! Tests of the store on databases of their own.

use testing_sqlite as support;

mod displaced;
mod faults;
mod large;
mod load;
mod requests;
mod upkeep;

use store::{Catalogue as _, KnownTrial, ProblemSelection, Status, StoreError};
use store_sqlite::Sqlite;
use tempfile::TempDir;

/// Returns a new database, and its temporary directory.
async fn new_store() -> (TempDir, Sqlite) {
    let directory = tempfile::tempdir().unwrap();
    let store = Sqlite::open(&location(&directory)).await.unwrap();
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

/// Returns the correct trials of all studies.
async fn known(store: &Sqlite) -> Result<Vec<KnownTrial>, StoreError> {
    let studies = store.studies(ProblemSelection::All, None).await?.rows;
    let all: Vec<_> = studies.iter().map(|study| study.id).collect();
    Ok(store.fastest(&all, Status::Right, 1000).await?.trials)
}
