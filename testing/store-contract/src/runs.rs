//! The runs of a service survive its restart.

use std::time::{Duration, SystemTime};

use store::{Priority, Repeat, RunState, Store, StudyId, SubmissionOutcome};

use crate::Database;
use crate::samples::{key, submitted};

async fn study(store: &dyn Store, seed: u64) -> StudyId {
    let mut key = key();
    key.seed = seed;
    store.open_study(&key, None).await.unwrap().id
}

pub(crate) async fn a_run_goes_from_state_to_state(database: &dyn Database) {
    let store = database.open().await;
    let [one, other] = [study(&*store, 1).await, study(&*store, 2).await];
    assert_eq!(store.run(one).await.unwrap(), None);
    let before = SystemTime::now();
    assert_eq!(store.running().await.unwrap(), 0);
    store
        .start_run(one, "an order", Priority::default())
        .await
        .unwrap();
    store
        .start_run(other, "another", Priority::default())
        .await
        .unwrap();
    assert_eq!(store.running().await.unwrap(), 2);
    let run = store.run(one).await.unwrap().unwrap();
    assert_eq!((run.study, run.order.as_str()), (one, "an order"));
    assert_eq!((run.state, &run.reason), (RunState::Running, &None));
    let age = before.duration_since(run.asked).unwrap_or_default();
    assert!(age.as_secs() < 60, "{age:?}");
    let change = async |from: &[RunState], to, reason| {
        let changed = store.change_run(one, from, to, reason, None).await.unwrap();
        let run = store.run(one).await.unwrap().unwrap();
        assert_eq!(
            store.run(other).await.unwrap().unwrap().state,
            RunState::Running
        );
        (changed, run.state, run.reason)
    };
    let failed = RunState::Failed;
    let paused = change(&[RunState::Running], RunState::Paused, None).await;
    assert_eq!(paused, (true, RunState::Paused, None));
    let refused = change(&[RunState::Running, RunState::Done], failed, Some("no")).await;
    assert_eq!(refused, (false, RunState::Paused, None));
    let ended = change(&RunState::ALL, failed, Some("no device")).await;
    assert_eq!(ended, (true, failed, Some("no device".to_owned())));
    let none = store
        .change_run(StudyId(99), &RunState::ALL, failed, None, None)
        .await;
    assert!(!none.unwrap());
    // In another process.
    let again = database.open().await;
    let known = async |state| {
        let runs = again.runs(state, None, 10).await.unwrap();
        assert!(runs.unreadable.is_none());
        runs.rows
            .into_iter()
            .map(|run| run.study)
            .collect::<Vec<_>>()
    };
    assert_eq!(known(None).await, [one, other]);
    assert_eq!(known(Some(RunState::Running)).await, [other]);
    assert_eq!(again.running().await.unwrap(), 1);
    let counts: Vec<(RunState, u64)> = RunState::ALL.into_iter().zip([0, 1, 0, 0, 0, 1]).collect();
    assert_eq!(again.count_runs().await.unwrap(), counts);
    assert_eq!(known(Some(failed)).await, [one]);
    assert_eq!(known(Some(RunState::Done)).await, []);
    for (after, limit, expected) in [
        (None, 1, vec![one]),
        (Some(one), 9, vec![other]),
        (Some(other), 9, vec![]),
    ] {
        let runs = again.runs(None, after, limit).await.unwrap().rows;
        let studies: Vec<StudyId> = runs.into_iter().map(|run| run.study).collect();
        assert_eq!(studies, expected, "{after:?} {limit}");
    }
    // A run that is requested again starts again, with the new request.
    again
        .start_run(one, "a larger order", Priority::default())
        .await
        .unwrap();
    let run = again.run(one).await.unwrap().unwrap();
    assert_eq!((run.state, run.reason), (RunState::Running, None));
    assert_eq!(run.order, "a larger order");
    // A running run keeps its time of request.
    let asked = run.asked;
    let asked_again = async || {
        tokio::time::sleep(Duration::from_millis(5)).await;
        again
            .start_run(one, "the same", Priority::default())
            .await
            .unwrap();
        again.run(one).await.unwrap().unwrap().asked
    };
    assert_eq!(asked_again().await, asked);
    let (from, to) = ([RunState::Running], RunState::Paused);
    let paused = again.change_run(one, &from, to, None, None).await;
    assert!(paused.unwrap());
    assert!(asked_again().await > asked);
}

pub(crate) async fn a_state_of_a_newer_wavetune_is_left_out(database: &dyn Database) {
    let store = database.open().await;
    let [one, other] = [study(&*store, 1).await, study(&*store, 2).await];
    store.start_run(one, "", Priority::default()).await.unwrap();
    store
        .start_run(other, "", Priority::default())
        .await
        .unwrap();
    let spoilt = "UPDATE run SET state = 'asleep' WHERE study_id = (SELECT min(id) FROM study)";
    database.spoil(spoilt).await;
    let runs = store.runs(None, None, 10).await.unwrap();
    assert_eq!(runs.unreadable.rows, 1);
    assert_eq!(runs.rows.len(), 1);
    assert_eq!(runs.rows[0].study, other);
    let error = store.run(one).await.unwrap_err().to_string();
    assert!(error.contains("unknown value \"asleep\""), "{error}");
}

pub(crate) async fn a_request_that_is_repeated_is_known(database: &dyn Database) {
    let store = database.open().await;
    assert_eq!(store.repeat("a", "1").await.unwrap(), Repeat::New);
    let submit = async |count, key, digest| submitted(&*store, count, Some((key, digest))).await;
    let SubmissionOutcome::New { studies, .. } = submit(2, "a", "1").await else {
        panic!("a new request");
    };
    let known = Repeat::Known(studies);
    assert_eq!(store.repeat("a", "1").await.unwrap(), known);
    assert_eq!(store.repeat("a", "2").await.unwrap(), Repeat::Other);
    assert_eq!(store.repeat("b", "1").await.unwrap(), Repeat::New);
    // The first answer stays, and the second request submits nothing.
    assert_eq!(submit(3, "a", "2").await, SubmissionOutcome::Repeated);
    assert_eq!(store.repeat("a", "1").await.unwrap(), known);
    assert_eq!(store.running().await.unwrap(), 2);
}
