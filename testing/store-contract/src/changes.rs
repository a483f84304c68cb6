//! A follower of the database sees its changes and nothing else; after a deletion, all of it.

use store::{Finals, Mark, Store, Ties};

use crate::Database;
use crate::samples::{at, key, record, right, trial};

/// Returns the changed problems, whether these are all, and the next mark.
async fn news(store: &dyn Store, since: Option<Mark>) -> (Vec<String>, bool, Mark) {
    let changes = store.changes(since).await.unwrap();
    let problems = changes.problems.rows.iter();
    let mut problems: Vec<String> = problems.map(ToString::to_string).collect();
    problems.sort();
    (problems, changes.is_all, changes.mark)
}

pub(crate) async fn new_rows_are_reported_once(database: &dyn Database) {
    let store = database.open().await;
    let (first, mut other) = (key(), key());
    other.problem = "argmin:[7]xi32:i32".parse().unwrap();
    let names = [first.problem.to_string(), other.problem.to_string()];
    let (none, is_all, empty) = news(&*store, None).await;
    assert_eq!((none, is_all), (vec![], true));

    let study = store.open_study(&first, None).await.unwrap();
    let (new, is_all, opened) = news(&*store, Some(empty)).await;
    assert_eq!((new, is_all), (vec![names[0].clone()], false));

    let second = store.open_study(&other, None).await.unwrap();
    for number in 0..2 {
        let made = trial(number, number + 1, right(8.0));
        store.record_trial(&second, &made).await.unwrap();
    }
    let (new, _, both) = news(&*store, Some(opened)).await;
    assert_eq!(new, [names[1].clone()]);
    assert_eq!(news(&*store, Some(both)).await, (vec![], false, both));

    store
        .record_trial(&study, &trial(0, 1, right(8.0)))
        .await
        .unwrap();
    let (new, _, recorded) = news(&*store, Some(both)).await;
    assert_eq!(new, [names[0].clone()]);

    // The second round replaces the earlier finals.
    let mut mark = recorded;
    for winner in [0, 1] {
        let finals = Finals {
            trials: 2,
            winner,
            ties: Ties::Fold,
            speedup: 1.5,
            interval: (1.25, 1.75),
            samples: "{}".to_owned(),
            ended: at(7),
        };
        store.record_finals(second.id, &finals).await.unwrap();
        let (new, _, held) = news(&*store, Some(mark)).await;
        assert_eq!(new, [names[1].clone()]);
        mark = held;
    }
    assert_eq!(news(&*store, Some(mark)).await.0, Vec::<String>::new());
    assert_eq!(news(&*store, None).await, (names.to_vec(), true, mark));

    let spoilt = "UPDATE problem SET text = 'argmax:<b>' WHERE id = 1";
    database.spoil(spoilt).await;
    let changes = store.changes(None).await.unwrap();
    assert_eq!(changes.problems.rows.len(), 1);
    assert_eq!(changes.problems.unreadable.rows, 1);
}

pub(crate) async fn deletions_are_reported(database: &dyn Database) {
    let (store, follower) = (database.open().await, database.open().await);
    let (kept, mut other) = (key(), key());
    other.problem = "argmin:[7]xi32:i32".parse().unwrap();
    let trials = [trial(0, 1, right(8.0)), trial(1, 2, right(9.0))];
    record(&*store, &kept, &trials).await;
    // The newest of all, so that no number shows the deletion.
    let gone = record(&*store, &other, &trials).await;
    let (_, _, mark) = news(&*follower, None).await;
    store.delete_study(gone).await.unwrap();
    let (left, is_all, mark) = news(&*follower, Some(mark)).await;
    assert_eq!((left, is_all), (vec![kept.problem.to_string()], true));
    assert_eq!(news(&*follower, Some(mark)).await, (vec![], false, mark));
    // Deleting a missing study changes nothing.
    assert_eq!(store.delete_study(gone).await.unwrap(), None);
    assert_eq!(news(&*follower, Some(mark)).await, (vec![], false, mark));
}
