//! Invalid databases: one clear line, and no change.

use std::path::Path;
use std::sync::Arc;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use store::{Catalogue as _, Ledger as _, Records as _, StoreError};
use store_sqlite::Sqlite;

use crate::store::support::{key, right, trial};
use crate::store::{known, location, new_store};

pub(crate) async fn raw(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true);
    options.connect().await.unwrap()
}

async fn execute(path: &Path, sql: &'static str) {
    let mut connection = raw(path).await;
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

#[track_caller]
fn check_error<T>(result: Result<T, StoreError>, part: &str) {
    let Err(error) = result else {
        panic!("expected: {part}")
    };
    let message = error.to_string();
    assert!(message.contains(part), "{message}");
    assert!(!message.contains('\n'), "{message}");
}

/// Checks that both ways of opening report the same about a foreign file, and leave it unchanged.
async fn check_refused(content: &[u8], part: &str) {
    let directory = tempfile::tempdir().unwrap();
    let path = location(&directory);
    std::fs::write(&path, content).unwrap();
    check_error(Sqlite::open(&path).await, part);
    check_error(Sqlite::open_existing(&path).await, part);
    assert!(
        std::fs::read(&path).unwrap() == content,
        "{part}: the file was changed"
    );
}

#[test]
async fn a_file_that_is_no_database() {
    check_refused(b"0123456789", "is not an SQLite database").await;
    check_refused(&[0xFF; 8192], "is not an SQLite database").await;
    check_refused(&[0; 4096], "is not an SQLite database").await;
    let mut header = b"SQLite format 3\0".to_vec();
    header.resize(4096, 0xA5);
    check_refused(&header, "is not an SQLite database").await;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    check_error(Sqlite::open(path).await, "is not an SQLite database");
}

#[test]
async fn a_database_of_another_program() {
    let directory = tempfile::tempdir().unwrap();
    let path = location(&directory);
    execute(path.as_ref(), "CREATE TABLE study (name TEXT)").await;
    let content = std::fs::read(&path).unwrap();
    check_refused(&content, "belongs to another program").await;
}

/// Checks that every cut and every overwritten part gives an error or the trials, never a panic.
#[test]
async fn a_damaged_database() {
    let (directory, store) = new_store().await;
    let study = store.open_study(&key(), None).await.unwrap();
    for n in 0..20 {
        store
            .record_trial(&study, &trial(n, n + 1, right(1.0)))
            .await
            .unwrap();
    }
    store.close().await;
    let whole = std::fs::read(location(&directory)).unwrap();
    let damaged = directory.path().join("damaged.db");
    for step in 0..24 {
        let at = step * whole.len() / 24;
        let mut overwritten = whole.clone();
        overwritten[at..]
            .iter_mut()
            .take(600)
            .for_each(|byte| *byte = 0xA5);
        for content in [&whole[..at], &overwritten] {
            for suffix in ["", "-wal", "-shm"] {
                std::fs::remove_file(format!("{}{suffix}", damaged.display())).ok();
            }
            std::fs::write(&damaged, content).unwrap();
            let read = read_all(damaged.to_str().unwrap()).await;
            if let Err(error) = read {
                assert!(!error.to_string().contains('\n'), "{error}");
            }
        }
    }
}

async fn read_all(location: &str) -> Result<(), StoreError> {
    let store = Sqlite::open(location).await?;
    let study = store.open_study(&key(), None).await?;
    store
        .record_trial(&study, &trial(99, 1, right(1.0)))
        .await?;
    store.trials_of(&study).await?;
    known(&store).await?;
    store.close().await;
    Ok(())
}

#[test]
async fn a_database_of_a_newer_wavetune() {
    let (directory, store) = new_store().await;
    store.close().await;
    let path = location(&directory);
    let newer =
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        VALUES (9999, 'of the future', TRUE, x'00', 0)";
    execute(path.as_ref(), newer).await;
    let part = "has schema 9999, and this wavetune supports schemas up to ";
    check_error(Sqlite::open(&path).await, part);
    check_error(Sqlite::open_existing(&path).await, part);
}

#[test]
async fn a_migration_that_was_edited() {
    let (directory, store) = new_store().await;
    store.close().await;
    let path = location(&directory);
    execute(
        path.as_ref(),
        "UPDATE _sqlx_migrations SET checksum = x'00'",
    )
    .await;
    check_error(
        Sqlite::open(&path).await,
        "cannot be migrated to the current schema",
    );
}

#[test]
async fn an_empty_file_is_an_empty_database() {
    let directory = tempfile::tempdir().unwrap();
    let path = location(&directory);
    std::fs::write(&path, b"").unwrap();
    check_error(
        Sqlite::open_existing(&path).await,
        "is empty; `wavetune tune PROBLEM`",
    );
    Sqlite::open(&path).await.unwrap().check().await.unwrap();
}

#[test]
async fn reading_creates_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = location(&directory);
    check_error(Sqlite::open_existing(&path).await, "does not exist");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
async fn missing_directories_are_created() {
    let directory = tempfile::tempdir().unwrap();
    let nested = directory.path().join("a/b/trials.db");
    let nested = nested.to_str().unwrap();
    Sqlite::open(&format!("sqlite:{nested}"))
        .await
        .unwrap()
        .close()
        .await;
    Sqlite::open_existing(&format!("sqlite://{nested}"))
        .await
        .unwrap()
        .check()
        .await
        .unwrap();
    let below_file = format!("{nested}/c/trials.db");
    check_error(
        Sqlite::open(&below_file).await,
        "cannot create its directory",
    );
    check_error(
        Sqlite::open("mysql://localhost/trials").await,
        "unknown kind \"mysql\"",
    );
}

#[test]
async fn an_exclusive_lock_on_a_database_to_be_opened() {
    let directory = tempfile::tempdir().unwrap();
    let path = location(&directory);
    let mut other = raw(path.as_ref()).await;
    sqlx::raw_sql("BEGIN EXCLUSIVE")
        .execute(&mut other)
        .await
        .unwrap();
    check_error(Sqlite::open(&path).await, "locked by another process");
}

/// Checks that several processes may start on the same new file.
#[test(threads)]
async fn many_create_one_database() {
    for _ in 0..5 {
        let directory = tempfile::tempdir().unwrap();
        let path = location(&directory);
        let mut openers = tokio::task::JoinSet::new();
        for n in 0..8 {
            let path = path.clone();
            openers.spawn(async move {
                let store = Sqlite::open(&path).await?;
                let study = store.open_study(&key(), None).await?;
                store
                    .record_trial(&study, &trial(n, n + 1, right(1.0)))
                    .await
            });
        }
        while let Some(opened) = openers.join_next().await {
            opened.unwrap().unwrap();
        }
        let store = Sqlite::open(&path).await.unwrap();
        assert_eq!(store.open_study(&key(), None).await.unwrap().recorded, 8);
    }
}

/// Checks that a transaction that reads first waits for writers. SQLite refuses its write at once
/// if another connection has written since the read.
#[test]
async fn a_transaction_that_reads_first_waits_for_writers() {
    let (_directory, store) = new_store().await;
    let study = store.open_study(&key(), None).await.unwrap();
    let store = Arc::new(store);
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..4 {
        let (store, study) = (Arc::clone(&store), study.clone());
        tasks.spawn(async move {
            for ordinal in 20 * n..20 * (n + 1) {
                let tried = trial(ordinal, ordinal + 1, right(1.0));
                store.record_trial(&study, &tried).await?;
                store.forget_abandoned(study.id).await?;
            }
            Ok::<_, StoreError>(())
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended.unwrap().unwrap();
    }
}
