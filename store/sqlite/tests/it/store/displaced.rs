//! Files of an open database that are deleted, moved or replaced: no trial is reported as stored
//! that is lost.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::pin::pin;

use futures_util::FutureExt as _;
use store::{Catalogue as _, Ledger as _, StoreError, StoreFault};
use store_sqlite::Sqlite;

use crate::store::support::{key, right, trial};
use crate::store::{known, location, new_store};

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

#[track_caller]
fn check_displaced<T: std::fmt::Debug>(result: Result<T, StoreError>, file: &Path, what: &str) {
    let error = result.unwrap_err();
    assert!(
        matches!(error.fault, StoreFault::Displaced { .. }),
        "{error:?}"
    );
    let part = format!("{} was {what} while it was open; ", file.display());
    let message = error.to_string();
    assert!(
        message.contains(&part) && !message.contains('\n'),
        "{message}"
    );
}

/// Checks that every reader and writer notices `change`, and that an earlier trial is still in
/// the database if its file is.
async fn check(change: fn(&Path), ending: &str, what: &str) {
    let (directory, store) = new_store().await;
    let path = PathBuf::from(location(&directory));
    let study = store.open_study(&key(), None).await.unwrap();
    let [first, second] = [trial(0, 1, right(2.0)), trial(1, 2, right(1.0))];
    store.record_trial(&study, &first).await.unwrap();
    store.check().await.unwrap();
    change(&path);
    let file = beside(&path, ending);
    check_displaced(store.record_trial(&study, &second).await, &file, what);
    check_displaced(store.open_study(&key(), None).await, &file, what);
    check_displaced(store.trials_of(&study).await, &file, what);
    check_displaced(known(&store).await, &file, what);
    check_displaced(known(&store).await, &file, what);
    check_displaced(store.coverage(&key().problem).await, &file, what);
    check_displaced(store.wishes().await, &file, what);
    check_displaced(store.check().await, &file, what);
    check_displaced(store.check_files(), &file, what);
    store.close().await;
    if !ending.is_empty() {
        let store = Sqlite::open(path.to_str().unwrap()).await.unwrap();
        let study = store.open_study(&key(), None).await.unwrap();
        assert_eq!(store.trials_of(&study).await.unwrap(), [first]);
    }
}

#[test]
async fn every_file_is_missed() {
    let all = |path: &Path| {
        for ending in ["", "-wal", "-shm"] {
            fs::remove_file(beside(path, ending)).unwrap();
        }
    };
    check(all, "", "deleted or moved").await;
    check(
        |path| fs::remove_file(path).unwrap(),
        "",
        "deleted or moved",
    )
    .await;
    check(
        |path| fs::rename(path, beside(path, "-old")).unwrap(),
        "",
        "deleted or moved",
    )
    .await;
    let log = |path: &Path| fs::remove_file(beside(path, "-wal")).unwrap();
    check(log, "-wal", "deleted or moved").await;
    let index = |path: &Path| fs::remove_file(beside(path, "-shm")).unwrap();
    check(index, "-shm", "deleted or moved").await;
    let replace = |path: &Path| {
        let other = beside(path, "-other");
        fs::write(&other, b"").unwrap();
        fs::rename(other, path).unwrap();
    };
    check(replace, "", "replaced by another file").await;
}

/// Checks that a redirected link is another database, and that the log lies beside the file.
#[test]
async fn a_link_that_is_turned() {
    let (directory, store) = new_store().await;
    store.close().await;
    let [link, target] = ["link.db", "trials.db"].map(|name| directory.path().join(name));
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let store = Sqlite::open(link.to_str().unwrap()).await.unwrap();
    store.check().await.unwrap();
    fs::remove_file(beside(&target, "-shm")).unwrap();
    check_displaced(
        store.check().await,
        &beside(&fs::canonicalize(&target).unwrap(), "-shm"),
        "deleted or moved",
    );
    fs::remove_file(&link).unwrap();
    fs::write(directory.path().join("other.db"), b"").unwrap();
    std::os::unix::fs::symlink(directory.path().join("other.db"), &link).unwrap();
    check_displaced(store.check().await, &link, "replaced by another file");
}

/// Checks that other processes delete no file, and that a returned file is the same.
#[test]
async fn others_come_and_go() {
    let (directory, first) = new_store().await;
    let path = location(&directory);
    let second = Sqlite::open(&path).await.unwrap();
    let reader = Sqlite::open_existing(&path).await.unwrap();
    first.close().await;
    second.check().await.unwrap();
    let study = second.open_study(&key(), None).await.unwrap();
    second
        .record_trial(&study, &trial(0, 1, right(2.0)))
        .await
        .unwrap();
    reader.check().await.unwrap();
    second.close().await;
    reader.check().await.unwrap();
    let elsewhere = directory.path().join("elsewhere.db");
    fs::rename(&path, &elsewhere).unwrap();
    assert!(reader.check().await.is_err());
    fs::rename(&elsewhere, &path).unwrap();
    assert_eq!(known(&reader).await.unwrap().len(), 1);
}

/// Checks that callers that go away at any moment close no connection: with the last one, SQLite
/// would remove the log.
#[test]
async fn callers_may_go() {
    let (directory, store) = new_store().await;
    let log = beside(Path::new(&location(&directory)), "-wal");
    let written = || fs::metadata(&log).map(|log| log.ino()).ok();
    let before = written();
    assert!(before.is_some());
    for polls in (0..20).cycle().take(400) {
        {
            let mut asked = pin!(store.check());
            for _ in 0..polls {
                if asked.as_mut().now_or_never().is_some() {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        assert_eq!(written(), before, "gone after {polls} polls");
    }
    store.check().await.unwrap();
}

/// Checks that of two files at one path, each has its own content.
#[test]
async fn another_database_in_its_place() {
    let (directory, store) = new_store().await;
    let path = location(&directory);
    for name in ["trials.db", "trials.db-wal", "trials.db-shm"] {
        fs::remove_file(directory.path().join(name)).unwrap();
    }
    check_displaced(store.check_files(), path.as_ref(), "deleted or moved");
    let other = Sqlite::open(&path).await.unwrap();
    let study = other.open_study(&key(), None).await.unwrap();
    other
        .record_trial(&study, &trial(0, 1, right(2.0)))
        .await
        .unwrap();
    check_displaced(
        store.open_study(&key(), None).await,
        path.as_ref(),
        "replaced by another file",
    );
    let reopened = store.reopen().await.unwrap();
    store.close().await;
    assert_eq!(known(&reopened).await.unwrap().len(), 1);
    other
        .record_trial(&study, &trial(1, 2, right(1.0)))
        .await
        .unwrap();
    assert_eq!(reopened.trials_of(&study).await.unwrap().len(), 2);
}

/// Checks that a moved file keeps the trials of its log, and that the file in its place is read
/// without that log.
#[test]
async fn a_log_goes_with_its_file() {
    let (directory, store) = new_store().await;
    let path = PathBuf::from(location(&directory));
    let study = store.open_study(&key(), None).await.unwrap();
    store
        .record_trial(&study, &trial(0, 1, right(2.0)))
        .await
        .unwrap();
    let [moved, other] = ["-moved", "-other"].map(|ending| beside(&path, ending));
    let empty = Sqlite::open(other.to_str().unwrap()).await.unwrap();
    empty.close().await;
    fs::rename(&path, &moved).unwrap();
    fs::rename(&other, &path).unwrap();
    let reopened = store.reopen().await.unwrap();
    assert_eq!(known(&reopened).await.unwrap(), []);
    let moved = Sqlite::open(moved.to_str().unwrap()).await.unwrap();
    let study = moved.open_study(&key(), None).await.unwrap();
    assert_eq!(moved.trials_of(&study).await.unwrap().len(), 1);
}
