//! Checks and copies of a database: copies are intact, and can replace it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use sqlx::Connection as _;
use store::{Catalogue as _, Finals, Ledger as _, ProblemSelection, Task, Ties, Trial};
use store_sqlite::Sqlite;
use tempfile::TempDir;

use crate::store::faults::raw;
use crate::store::support::{at, default_trial, key, right, spoil, trial};
use crate::store::{location, new_store};

/// Returns a database with a study, two trials and finals.
async fn filled() -> (TempDir, Sqlite) {
    let (directory, store) = new_store().await;
    let study = store.open_study(&key(), None).await.unwrap();
    for made in [default_trial(0, 1, right(9.0)), trial(1, 2, right(4.0))] {
        store.record_trial(&study, &made).await.unwrap();
    }
    let finals = Finals {
        trials: 2,
        winner: 1,
        ties: Ties::Fold,
        speedup: 2.0,
        interval: (1.5, 2.5),
        samples: "{}".to_owned(),
        ended: at(5),
    };
    store.record_finals(study.id, &finals).await.unwrap();
    (directory, store)
}

async fn check_found(spoilt: &'static str, part: &str) {
    let (_directory, store) = filled().await;
    assert_eq!(store.verify().await.unwrap(), Vec::<String>::new());
    spoil(&store, spoilt).await;
    let found = store.verify().await.unwrap();
    assert!(
        found.iter().any(|line| line.contains(part)),
        "{spoilt}: {found:?}"
    );
}

#[test]
async fn corrupt_rows_are_found() {
    for (spoilt, part) in [
        (
            "UPDATE trial SET configuration = '{\"a\": 1}' WHERE ordinal = 1",
            "trial 2, configuration: ",
        ),
        (
            "UPDATE trial SET role = 'judge' WHERE ordinal = 1",
            "trial 2, role: unknown value \"judge\"",
        ),
        (
            "UPDATE problem SET text = 'argmax:<b>'",
            "problem 1, text: ",
        ),
        (
            "UPDATE provenance SET clock = 'sundial'",
            "study 1, clock: ",
        ),
        ("UPDATE study SET ties = 'none'", "study 1, ties: "),
        ("UPDATE final SET ties = 'none'", "final 1, ties: "),
        (
            "INSERT INTO wish VALUES ('argmax:<b>', 'gfx942', '', '', 1, 0, 0)",
            "wish 1, problem: ",
        ),
        (
            "PRAGMA foreign_keys = OFF; DELETE FROM study",
            "trial 2 refers to a missing row of study",
        ),
        (
            "PRAGMA foreign_keys = OFF; DELETE FROM trial WHERE ordinal = 1",
            "trial 1, which won finals of study 1, is missing",
        ),
        (
            "PRAGMA ignore_check_constraints = ON; UPDATE study SET bound_us = -1",
            "CHECK constraint failed in study",
        ),
    ] {
        check_found(spoilt, part).await;
    }
}

#[test]
async fn a_damaged_file_is_found() {
    let (directory, store) = filled().await;
    let study = store.open_study(&key(), None).await.unwrap();
    for n in 2..200 {
        store
            .record_trial(&study, &trial(n, n + 1, right(8.0)))
            .await
            .unwrap();
    }
    store.close().await;
    let path = location(&directory);
    let mut bytes = fs::read(&path).unwrap();
    // A page of the table of trials, and no other.
    let text = b"partial_reduction";
    let trial = bytes.windows(text.len()).rposition(|part| part == text);
    let page = trial.unwrap() / 4096 * 4096;
    bytes[page..page + 4096].fill(0x5a);
    fs::write(&path, bytes).unwrap();
    let store = Sqlite::open_existing(&path).await.unwrap();
    assert!(!store.verify().await.unwrap().is_empty());
    // A copy of a damaged database is refused.
    let backup = directory.path().join("backup.db");
    let error = store.back_up(&backup).await.unwrap_err();
    assert!(error.to_string().contains("damaged"), "{error}");
    store.close().await;
    assert_eq!(files(&directory), ["trials.db"]);
}

/// Returns the files of a directory, in order.
fn files(directory: &TempDir) -> Vec<String> {
    let files = fs::read_dir(directory.path()).unwrap();
    let mut names: Vec<String> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

async fn trials(path: &Path) -> Vec<Trial> {
    let store = Sqlite::open_existing(path.to_str().unwrap()).await.unwrap();
    assert_eq!(store.verify().await.unwrap(), Vec::<String>::new());
    let study = store.open_study(&key(), None).await.unwrap();
    let trials = store.trials_of(&study).await.unwrap();
    store.close().await;
    trials
}

#[test(threads)]
async fn a_backup_is_the_database_at_one_moment() {
    let (directory, store) = new_store().await;
    let study = store.open_study(&key(), None).await.unwrap();
    let written = Arc::new(AtomicU32::new(0));
    let is_enough = Arc::new(AtomicBool::new(false));
    let writer = {
        let (store, written) = (store.clone(), Arc::clone(&written));
        let is_enough = Arc::clone(&is_enough);
        tokio::spawn(async move {
            for n in 0.. {
                if is_enough.load(Ordering::SeqCst) {
                    break;
                }
                store
                    .record_trial(&study, &trial(n, n + 1, right(8.0)))
                    .await
                    .unwrap();
                written.store(n + 1, Ordering::SeqCst);
            }
        })
    };
    for number in 0..5 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let path = directory.path().join(format!("backup{number}.db"));
        let before = written.load(Ordering::SeqCst) as usize;
        store.back_up(&path).await.unwrap();
        let after = written.load(Ordering::SeqCst) as usize + 1;
        let ordinals = trials(&path).await.into_iter().map(|trial| trial.ordinal);
        let ordinals: Vec<u32> = ordinals.collect();
        assert!(
            before <= ordinals.len() && ordinals.len() <= after,
            "{before} {after}"
        );
        assert!(ordinals.iter().copied().eq(0..ordinals.len() as u32));
    }
    // An aborted task might leave a connection that closes after the store.
    is_enough.store(true, Ordering::SeqCst);
    writer.await.unwrap();
    // An existing file is not overwritten.
    let path = directory.path().join("backup0.db");
    let bytes = fs::read(&path).unwrap();
    let error = store.back_up(&path).await.unwrap_err().to_string();
    assert!(
        error.contains("backup0.db: exists already; name another file"),
        "{error}"
    );
    assert!(fs::read(&path).unwrap() == bytes);
    store.close().await;
    let names = [
        "backup0.db",
        "backup1.db",
        "backup2.db",
        "backup3.db",
        "backup4.db",
        "trials.db",
    ];
    assert_eq!(files(&directory), names);
}

async fn check_refused(database: &str, backup: &Path, part: &str) {
    let refused = Sqlite::restore(database, backup.to_str().unwrap()).await;
    let error = refused.unwrap_err().to_string();
    assert!(error.contains(part), "{error}");
}

#[test]
async fn a_backup_takes_the_place_of_the_database() {
    let (directory, store) = filled().await;
    let path = location(&directory);
    let backup = directory.path().join("backup.db");
    store.back_up(&backup).await.unwrap();
    let study = store.open_study(&key(), None).await.unwrap();
    let later = trial(2, 3, right(3.0));
    store.record_trial(&study, &later).await.unwrap();
    store.take(&study, "ann", &[Task::Trial(7)]).await.unwrap();

    check_refused(&path, &backup, "study 1 is being worked on by ann").await;
    store.leave(None, "ann").await.unwrap();
    check_refused(&path, &backup, "locked by another process").await;
    assert_eq!(store.trials_of(&study).await.unwrap().len(), 3);
    store.close().await;

    let damaged = directory.path().join("damaged.db");
    fs::copy(&backup, &damaged).unwrap();
    let mut connection = raw(&damaged).await;
    let lose = sqlx::raw_sql("PRAGMA foreign_keys = OFF; DELETE FROM study");
    lose.execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    check_refused(&path, &damaged, "is damaged: ").await;
    check_refused(&path, &directory.path().join("none.db"), "does not exist").await;
    assert_eq!(files(&directory), ["backup.db", "damaged.db", "trials.db"]);

    let kept = Sqlite::restore(&path, backup.to_str().unwrap())
        .await
        .unwrap();
    let kept: PathBuf = kept.unwrap();
    assert_eq!(trials(Path::new(&path)).await.len(), 2);
    assert_eq!(trials(&kept).await.len(), 3);
    for path in [Path::new(&path), &kept] {
        let mut connection = raw(path).await;
        let mode = sqlx::query_scalar("PRAGMA journal_mode");
        let mode: String = mode.fetch_one(&mut connection).await.unwrap();
        assert_eq!(mode, "wal");
        connection.close().await.unwrap();
    }

    // A missing or unreadable database has no owners to wait for.
    fs::remove_file(&path).unwrap();
    let kept = Sqlite::restore(&path, backup.to_str().unwrap())
        .await
        .unwrap();
    assert_eq!((kept, trials(Path::new(&path)).await.len()), (None, 2));
    fs::write(&path, "no database").unwrap();
    let kept = Sqlite::restore(&path, backup.to_str().unwrap())
        .await
        .unwrap();
    assert_eq!(fs::read_to_string(kept.unwrap()).unwrap(), "no database");
    assert_eq!(trials(Path::new(&path)).await.len(), 2);
    let store = Sqlite::open_existing(&path).await.unwrap();
    let studies = store
        .studies(ProblemSelection::All, None)
        .await
        .unwrap()
        .rows;
    assert_eq!(store.finals(&[studies[0].id]).await.unwrap().rows.len(), 1);
}
