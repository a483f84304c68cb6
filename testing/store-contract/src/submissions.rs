//! Runs are submitted together, get their numbers before their studies, and share the directors.

use std::time::Duration;

use store::{
    DeletionSummary, Priority, RunState, Store, StudyId, StudyKey, Submission, SubmissionOutcome,
    TokenId,
};

use crate::Database;
use crate::samples::key;

fn of(token: i64, is_urgent: bool) -> Priority {
    Priority {
        submitter: Some(TokenId(token)),
        is_urgent,
    }
}

/// Returns the numbers of submitted runs.
fn numbers(submitted: SubmissionOutcome) -> Vec<StudyId> {
    match submitted {
        SubmissionOutcome::New { studies, .. } => studies,
        other => panic!("{other:?}"),
    }
}

async fn submit(store: &dyn Store, orders: &[&str], priority: Priority) -> Vec<StudyId> {
    let orders: Vec<String> = orders.iter().map(|&order| order.to_owned()).collect();
    let submission = Submission {
        orders: &orders,
        priority,
        state: RunState::Running,
        most_open: None,
        request: None,
    };
    numbers(store.submit_runs(submission).await.unwrap())
}

/// Checks that a study that is opened meanwhile takes no number of a run.
pub(crate) async fn a_run_has_a_number_that_no_study_gets(database: &dyn Database) {
    let (store, other) = (database.open().await, database.open().await);
    let first = store.open_study(&key(), None).await.unwrap().id;
    let runs = submit(&*store, &["one", "two"], Priority::default()).await;
    let orders: Vec<String> = {
        let mut orders = Vec::new();
        for &run in &runs {
            let run = store.run(run).await.unwrap().unwrap();
            orders.push(run.order);
        }
        orders
    };
    assert_eq!(orders, ["one", "two"]);
    let twin = StudyKey { seed: 2, ..key() };
    let second = other.open_study(&twin, None).await.unwrap().id;
    assert!(
        !runs.contains(&second) && !runs.contains(&first),
        "{runs:?}"
    );
    // The run's own study has its number, at each opening.
    let own = StudyKey { seed: 3, ..key() };
    for _ in 0..2 {
        let opened = store.open_study_as(&own, None, Some(runs[0])).await;
        assert_eq!(opened.unwrap().id, runs[0]);
    }
    // An existing study keeps its number, and a number in use is not assigned again.
    let opened = store.open_study_as(&twin, None, Some(runs[1])).await;
    assert_eq!(opened.unwrap().id, second);
    let third = StudyKey { seed: 4, ..key() };
    let opened = store
        .open_study_as(&third, None, Some(first))
        .await
        .unwrap()
        .id;
    assert!(![first, second, runs[0], runs[1]].contains(&opened));
}

/// Checks that a submission beyond the token's limit writes nothing.
pub(crate) async fn all_runs_are_submitted_or_none(database: &dyn Database) {
    let store = database.open().await;
    let submit = async |count: usize, token: i64| {
        let orders = vec!["an order".to_owned(); count];
        let submission = Submission {
            orders: &orders,
            priority: of(token, false),
            state: RunState::Waiting,
            most_open: Some(4),
            request: None,
        };
        store.submit_runs(submission).await.unwrap()
    };
    let three = numbers(submit(3, 1).await);
    assert_eq!(submit(2, 1).await, SubmissionOutcome::TooMany { open: 3 });
    let known = async || store.runs(Some(RunState::Waiting), None, 99).await;
    assert_eq!(known().await.unwrap().rows.len(), 3);
    // Another token has its own limit, and a run that has ended no longer counts.
    assert_eq!(numbers(submit(4, 2).await).len(), 4);
    let (from, to) = ([RunState::Waiting], RunState::Cancelled);
    let changed = store.change_run(three[0], &from, to, None, None).await;
    assert!(changed.unwrap());
    assert_eq!(numbers(submit(2, 1).await).len(), 2);
    assert_eq!(submit(1, 1).await, SubmissionOutcome::TooMany { open: 4 });
}

/// Checks that a run of an existing study goes on as that study's run, under either number.
pub(crate) async fn a_run_moves_to_the_study_that_is_there(database: &dyn Database) {
    let store = database.open().await;
    let study = store.open_study(&key(), None).await.unwrap().id;
    let [run] = submit(&*store, &["asked"], of(7, true)).await[..] else {
        panic!("one run");
    };
    assert!(store.direct_run(run, "me", Duration::ZERO).await.unwrap());
    let settle = |director| store.settle_run(run, study, "worked out", of(7, true), director);
    assert!(!settle("another").await.unwrap());
    assert_eq!(store.run(study).await.unwrap(), None);
    assert!(settle("me").await.unwrap());
    assert!(!settle("me").await.unwrap());
    for number in [run, study] {
        let known = store.run(number).await.unwrap().unwrap();
        assert_eq!((known.study, known.order.as_str()), (study, "worked out"));
        assert_eq!((known.state, known.director), (RunState::Running, None));
        assert_eq!(known.priority, of(7, true));
    }
    assert_eq!(store.running().await.unwrap(), 1);
    let listed = store.runs(None, None, 9).await.unwrap().rows;
    assert_eq!(listed.len(), 1);
    // Deleting the study deletes both.
    store.delete_study(study).await.unwrap();
    assert_eq!(store.run(run).await.unwrap(), None);
    assert_eq!(store.run(study).await.unwrap(), None);
}

pub(crate) async fn a_run_settles_as_its_own_study(database: &dyn Database) {
    let store = database.open().await;
    let [run] = submit(&*store, &["asked"], Priority::default()).await[..] else {
        panic!("one run");
    };
    assert!(store.direct_run(run, "me", Duration::ZERO).await.unwrap());
    let study = store
        .open_study_as(&key(), None, Some(run))
        .await
        .unwrap()
        .id;
    let settled = store.settle_run(run, study, "worked out", Priority::default(), "me");
    assert!(settled.await.unwrap());
    let known = store.run(run).await.unwrap().unwrap();
    assert_eq!(
        (known.order.as_str(), known.state),
        ("worked out", RunState::Running)
    );
    assert_eq!(known.director.as_deref(), Some("me"));
}

/// Checks that a run without a study can be deleted.
pub(crate) async fn a_run_without_a_study_is_deleted(database: &dyn Database) {
    let store = database.open().await;
    let runs = submit(&*store, &["one", "two"], Priority::default()).await;
    let deleted = store.delete_study(runs[0]).await.unwrap();
    assert_eq!(deleted, Some(DeletionSummary::default()));
    assert_eq!(store.delete_study(runs[0]).await.unwrap(), None);
    let left = store.runs(None, None, 9).await.unwrap().rows;
    assert_eq!(left.len(), 1);
}

/// Checks the order of runs: the submitter with the fewest directed runs first, then urgent ones,
/// then the oldest.
pub(crate) async fn submitters_take_turns(database: &dyn Database) {
    let store = database.open().await;
    let greedy = submit(&*store, &["1", "2", "3"], of(1, true)).await;
    let modest = submit(&*store, &["4", "5"], of(2, false)).await;
    let urgent = submit(&*store, &["6"], of(2, true)).await;
    let nobody = submit(&*store, &["7"], Priority::default()).await;
    assert_eq!(store.submitters().await.unwrap(), 3);
    let hour = Duration::from_hours(1);
    let next = async |full: &[Option<TokenId>]| store.next_run(hour, full).await.unwrap();
    let direct = async |full: &[Option<TokenId>]| {
        let run = next(full).await?;
        assert!(store.direct_run(run, "me", hour).await.unwrap());
        Some(run)
    };
    let mut taken = Vec::new();
    while let Some(run) = direct(&[]).await {
        taken.push(run);
    }
    // Urgent runs of several submitters go by number, and so again in the next round.
    let expected = [
        greedy[0], urgent[0], nobody[0], greedy[1], modest[0], greedy[2], modest[1],
    ];
    assert_eq!(taken, expected);
    for &run in &taken {
        store.leave_run(run, "me").await.unwrap();
    }
    let (one, two) = (Some(TokenId(1)), Some(TokenId(2)));
    assert_eq!(next(&[one]).await, Some(urgent[0]));
    assert_eq!(next(&[one, two]).await, Some(nobody[0]));
    assert_eq!(next(&[one, two, None]).await, None);
    // A silent director counts as none.
    assert!(store.direct_run(greedy[0], "me", hour).await.unwrap());
    let silent = store.next_run(Duration::ZERO, &[two, None]).await.unwrap();
    assert_eq!(silent, Some(greedy[0]));
}
