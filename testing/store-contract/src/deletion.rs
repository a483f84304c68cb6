//! A study is deleted with its rows in other tables, unless a process works on it.

use std::time::Duration;

use store::{
    DeletionSummary, FailureKind, Finals, Priority, RecordOutcome, StudyFilter, StudyId, StudyKey,
    Task, Ties, TrialOutcome,
};
use tokio::task::JoinSet;

use crate::Database;
use crate::samples::{at, default_trial, key, record, right, trial};
use crate::study_list::check_studies;

/// Counts the rows of every table with rows of a study.
async fn count(database: &dyn Database) -> [i64; 8] {
    let tables = [
        "problem",
        "provenance",
        "study",
        "trial",
        "final",
        "worker",
        "taken",
        "run",
    ];
    let mut counts = [0; 8];
    for (count, table) in counts.iter_mut().zip(tables) {
        *count = database.count(table).await;
    }
    counts
}

pub(crate) async fn a_deleted_study_is_gone_with_all_that_was_its_own(database: &dyn Database) {
    let store = database.open().await;
    let shared = [default_trial(0, 1, right(9.0)), trial(1, 2, right(4.0))];
    let id = record(&*store, &key(), &shared).await;
    let twin = record(&*store, &StudyKey { seed: 1, ..key() }, &shared).await;
    let study = store.open_study(&key(), None).await.unwrap();
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
    store
        .start_run(id, "an order", Priority::default())
        .await
        .unwrap();
    let task = [Task::Trial(9)];
    store.take(&study, "ann", &task).await.unwrap();
    let error = store.delete_study(id).await.unwrap_err().to_string();
    let part = "is being worked on by ann; end that first, or wait until it is done";
    assert!(error.ends_with(part), "{error}");
    assert_eq!(store.trials_of(&study).await.unwrap(), shared);

    // A dead owner holds nothing.
    let store = database.open_patient(Duration::ZERO).await;
    tokio::time::sleep(Duration::from_millis(5)).await;
    let deleted = store.delete_study(id).await.unwrap();
    assert_eq!(
        deleted,
        Some(DeletionSummary {
            trials: 2,
            finals: 1
        })
    );
    assert_eq!(store.delete_study(id).await.unwrap(), None);
    check_studies(&*store, StudyFilter::default(), &[twin]).await;
    // The twin still uses the problem and the provenance.
    let known = store.changes(None).await.unwrap();
    assert_eq!(known.problems.rows, [key().problem]);
    assert_eq!(count(database).await, [1, 1, 1, 2, 0, 0, 0, 0]);
    store.delete_study(twin).await.unwrap();
    assert_eq!(count(database).await, [0; 8]);
}

pub(crate) async fn abandoned_trials_are_deleted(database: &dyn Database) {
    let store = database.open().await;
    let failed = |kind| TrialOutcome::Failed(kind, "no".to_owned());
    let trials = [
        default_trial(0, 1, right(9.0)),
        trial(1, 2, failed(FailureKind::Abandoned)),
        trial(2, 3, failed(FailureKind::Crash)),
        trial(3, 4, failed(FailureKind::Abandoned)),
    ];
    let id = record(&*store, &key(), &trials).await;
    let twin = StudyKey { seed: 1, ..key() };
    record(&*store, &twin, &trials).await;
    let mark = store.changes(None).await.unwrap().mark;
    let study = store.open_study(&key(), None).await.unwrap();
    store.stay(&study, "ann").await.unwrap();
    let error = store.forget_abandoned(id).await.unwrap_err().to_string();
    assert!(error.contains("is being worked on by ann"), "{error}");
    store.leave(Some(&study), "ann").await.unwrap();
    assert_eq!(store.forget_abandoned(id).await.unwrap(), 2);
    assert_eq!(store.forget_abandoned(id).await.unwrap(), 0);
    assert_eq!(store.forget_abandoned(StudyId(999_999)).await.unwrap(), 0);
    let left = store.trials_of(&study).await.unwrap();
    assert_eq!(left, [trials[0].clone(), trials[2].clone()]);
    let other = store.open_study(&twin, None).await.unwrap();
    assert_eq!(store.trials_of(&other).await.unwrap(), trials);
    // A follower reads all of the database again.
    assert!(store.changes(Some(mark)).await.unwrap().is_all);
    // The trials are made again.
    let again = trial(1, 2, right(4.0));
    assert_eq!(
        store.record_trial(&study, &again).await.unwrap(),
        RecordOutcome::Stored
    );
}

/// Checks that a study can be opened with its problem while others of the problem are deleted.
pub(crate) async fn a_study_is_opened_while_others_are_deleted(database: &dyn Database) {
    let mut people = JoinSet::new();
    for seed in 0..4 {
        let store = database.open().await;
        let key = StudyKey { seed, ..key() };
        people.spawn(async move {
            for round in 0..15 {
                let study = store.open_study(&key, None).await.unwrap();
                let made = trial(round, 1, right(8.0));
                store.record_trial(&study, &made).await.unwrap();
                let deleted = store.delete_study(study.id).await.unwrap();
                assert_eq!(deleted.map(|deleted| deleted.trials), Some(1));
            }
        });
    }
    people.join_all().await;
    assert_eq!(count(database).await, [0; 8]);
}
