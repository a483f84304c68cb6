//! Several processes share the work of a study.

use std::time::Duration;

use store::{Finals, Ledger as _, Recorded, Seen, Study, StudyKey, Task, Ties};
use store_sqlite::Sqlite;

use crate::support::{at, default_trial, key, right, trial};
use crate::{location, new_store};

const ALL: [Task; 3] = [Task::Trial(0), Task::Trial(1), Task::Finals(2)];

/// What `owner` gets of all tasks.
async fn take(store: &Sqlite, study: &Study, owner: &str) -> Vec<Task> {
    store.take(study, owner, &ALL).await.unwrap()
}

async fn others(store: &Sqlite, study: &Study, owner: &str) -> u32 {
    store.stay(study, owner).await.unwrap()
}

#[tokio::test]
async fn what_one_has_taken_another_does_not_get() {
    let (directory, store) = new_store().await;
    let study = store.open_study(&key(), None).await.unwrap();
    let second = Sqlite::open(&location(&directory)).await.unwrap();
    let first = store.take(&study, "a", &ALL[1..]).await.unwrap();
    assert_eq!(first, ALL[1..]);
    assert_eq!(take(&second, &study, "b").await, ALL[..1]);
    // Whoever has something may ask again.
    assert_eq!(take(&store, &study, "a").await, ALL[1..]);
    // Tasks of another study are others.
    let other = StudyKey { seed: 3, ..key() };
    let other = store.open_study(&other, None).await.unwrap();
    assert_eq!(take(&store, &other, "b").await, ALL);

    store.leave(Some(&study), "a").await.unwrap();
    assert_eq!(take(&second, &study, "b").await, ALL);
    assert_eq!(take(&store, &study, "a").await, []);
    // From all studies.
    store.leave(None, "b").await.unwrap();
    for study in [&study, &other] {
        assert_eq!(take(&store, study, "c").await, ALL);
    }
}

#[tokio::test]
async fn what_is_done_is_taken_by_nobody() {
    let (_directory, store) = new_store().await;
    let study = store.open_study(&key(), None).await.unwrap();
    store
        .record_trial(&study, &default_trial(0, 1, right(7.0)))
        .await
        .unwrap();
    assert_eq!(take(&store, &study, "a").await, ALL[1..]);
}

#[tokio::test]
async fn who_is_silent_loses_what_it_took() {
    let patience = Duration::from_millis(400);
    let (_directory, store) = new_store().await;
    let store = store.with_patience(patience);
    let study = store.open_study(&key(), None).await.unwrap();
    assert_eq!(take(&store, &study, "dead").await, ALL);
    assert_eq!(take(&store, &study, "b").await, []);
    // One that says that it is there keeps what it has.
    for _ in 0..6 {
        tokio::time::sleep(patience / 5).await;
        assert_eq!(others(&store, &study, "dead").await, 1);
        assert_eq!(others(&store, &study, "b").await, 1);
        assert_eq!(take(&store, &study, "b").await, []);
    }
    tokio::time::sleep(patience + patience / 4).await;
    assert_eq!(others(&store, &study, "b").await, 0);
    assert_eq!(take(&store, &study, "b").await, ALL);
    // It has only slept: it gets nothing back, and what it stores first stays.
    assert_eq!(take(&store, &study, "dead").await, []);
    let late = default_trial(0, 1, right(3.0));
    let again = default_trial(0, 1, right(4.0));
    let recorded = store.record_trial(&study, &late).await.unwrap();
    assert_eq!(recorded, Recorded::Stored);
    let recorded = store.record_trial(&study, &again).await.unwrap();
    assert_eq!(recorded, Recorded::AlreadyThere);
    assert_eq!(store.trials_of(&study).await.unwrap(), [late]);
}

#[tokio::test]
async fn what_is_new_is_told_once_more_than_never() {
    let (directory, store) = new_store().await;
    let study = store.open_study(&key(), None).await.unwrap();
    let second = Sqlite::open(&location(&directory)).await.unwrap();
    let trials = [
        trial(7, 2, right(8.0)),
        default_trial(0, 1, right(61.0)),
        trial(3, 4, right(5.0)),
    ];
    let mut seen = Seen::default();
    for trial in &trials {
        store.record_trial(&study, trial).await.unwrap();
        let (new, now) = second.trials_since(&study, seen).await.unwrap();
        assert_eq!(new, std::slice::from_ref(trial));
        seen = now;
    }
    let (none, same) = second.trials_since(&study, seen).await.unwrap();
    assert_eq!((none, same), (Vec::new(), seen));
    let (all, _) = second.trials_since(&study, Seen::default()).await.unwrap();
    assert_eq!(all, trials);
}

#[tokio::test]
async fn finals_are_found_by_trials_and_ties() {
    let (_directory, store) = new_store().await;
    let study = store.open_study(&key(), None).await.unwrap();
    store
        .record_trial(&study, &default_trial(0, 1, right(7.0)))
        .await
        .unwrap();
    let finals = Finals {
        trials: 1,
        winner: 0,
        ties: Ties::Fold,
        speedup: 1.0 / 3.0,
        interval: (0.1, 0.7),
        samples: "{}".to_owned(),
        ended: at(5) + Duration::from_millis(3),
    };
    store.record_finals(&study, &finals).await.unwrap();
    let found = async |trials, ties| store.finals_of(&study, trials, ties).await.unwrap();
    assert_eq!(found(1, Ties::Fold).await, Some(finals));
    assert_eq!(found(1, Ties::Any).await, None);
    assert_eq!(found(2, Ties::Fold).await, None);
}
