//! Several processes share the work of a study.

use std::time::Duration;

use store::{RecordOutcome, Store, Study, StudyKey, Task};

use crate::Database;
use crate::samples::{default_trial, key, right};

const ALL: [Task; 3] = [Task::Trial(0), Task::Trial(1), Task::Finals(2)];

/// Takes all tasks for `owner`.
async fn take(store: &dyn Store, study: &Study, owner: &str) -> Vec<Task> {
    store.take(study, owner, &ALL).await.unwrap()
}

async fn others(store: &dyn Store, study: &Study, owner: &str) -> u32 {
    store.stay(study, owner).await.unwrap()
}

pub(crate) async fn claims_are_exclusive(database: &dyn Database) {
    let store = database.open().await;
    let study = store.open_study(&key(), None).await.unwrap();
    let second = database.open().await;
    let first = store.take(&study, "a", &ALL[1..]).await.unwrap();
    assert_eq!(first, ALL[1..]);
    assert_eq!(take(&*second, &study, "b").await, ALL[..1]);
    // An owner may ask again for tasks that it has.
    assert_eq!(take(&*store, &study, "a").await, ALL[1..]);
    // Tasks of another study are independent.
    let other = StudyKey { seed: 3, ..key() };
    let other = store.open_study(&other, None).await.unwrap();
    assert_eq!(take(&*store, &other, "b").await, ALL);

    store.leave(Some(&study), "a").await.unwrap();
    assert_eq!(take(&*second, &study, "b").await, ALL);
    assert_eq!(take(&*store, &study, "a").await, []);
    // From all studies.
    store.leave(None, "b").await.unwrap();
    for study in [&study, &other] {
        assert_eq!(take(&*store, study, "c").await, ALL);
    }
}

pub(crate) async fn finished_batches_are_not_claimed(database: &dyn Database) {
    let store = database.open().await;
    let study = store.open_study(&key(), None).await.unwrap();
    store
        .record_trial(&study, &default_trial(0, 1, right(7.0)))
        .await
        .unwrap();
    assert_eq!(take(&*store, &study, "a").await, ALL[1..]);
}

pub(crate) async fn silent_processes_lose_their_claims(database: &dyn Database) {
    // A busy machine may stand still for a good part of a second.
    let patience = Duration::from_secs(2);
    let store = database.open_patient(patience).await;
    let study = store.open_study(&key(), None).await.unwrap();
    assert_eq!(take(&*store, &study, "dead").await, ALL);
    assert_eq!(take(&*store, &study, "b").await, []);
    // An owner that reports keeps its tasks.
    for _ in 0..6 {
        tokio::time::sleep(patience / 5).await;
        assert_eq!(others(&*store, &study, "dead").await, 1);
        assert_eq!(others(&*store, &study, "b").await, 1);
        assert_eq!(take(&*store, &study, "b").await, []);
    }
    tokio::time::sleep(patience + patience / 4).await;
    assert_eq!(others(&*store, &study, "b").await, 0);
    assert_eq!(take(&*store, &study, "b").await, ALL);
    // The owner was only suspended: it gets nothing back, but its first result stays.
    assert_eq!(take(&*store, &study, "dead").await, []);
    let late = default_trial(0, 1, right(3.0));
    let again = default_trial(0, 1, right(4.0));
    let recorded = store.record_trial(&study, &late).await.unwrap();
    assert_eq!(recorded, RecordOutcome::Stored);
    let recorded = store.record_trial(&study, &again).await.unwrap();
    assert_eq!(recorded, RecordOutcome::AlreadyThere);
    assert_eq!(store.trials_of(&study).await.unwrap(), [late]);
}
