//! A trial's error comes back as written, from every query.

use store::{
    Finals, LedgerPosition, Page, Status, StudyFilter, StudyId, Ties, Trial, TrialFilter,
    TrialOutcome, TrialSort,
};

use crate::Database;
use crate::merging::portion;
use crate::samples::{at, default_trial, key, record, right, timing, trial, with_error};

fn trials() -> Vec<Trial> {
    let errors = [0.0, 1.0, 0.1 + 0.2, 5e-324].map(Some);
    let mut trials = vec![with_error(Some(1.0 / 3.0), default_trial(0, 1, right(9.0)))];
    let right = |(n, error): (u32, &Option<f64>)| with_error(*error, trial(n, n + 1, right(8.0)));
    trials.extend((1..).zip(&errors).map(right));
    // As an early version recorded it, and without a correct value.
    trials.push(trial(5, 6, self::right(7.0)));
    trials.push(trial(
        6,
        7,
        TrialOutcome::Tie(timing(6.0), "row 0".to_owned()),
    ));
    trials.push(trial(7, 8, TrialOutcome::Wrong("row 0".to_owned())));
    trials
}

pub(crate) async fn an_error_comes_back_as_it_was_written(database: &dyn Database) {
    let store = database.open().await;
    let trials = trials();
    let id = record(&*store, &key(), &trials).await;
    let finals = Finals {
        trials: 8,
        winner: 3,
        ties: Ties::Fold,
        speedup: 1.125,
        interval: (1.0, 1.25),
        samples: "{}".to_owned(),
        ended: at(50),
    };
    store.record_finals(id, &finals).await.unwrap();
    let study = store.open_study(&key(), None).await.unwrap();
    assert_eq!(store.trials_of(&study).await.unwrap(), trials);
    let (new, _) = store
        .trials_since(id, LedgerPosition::default())
        .await
        .unwrap();
    assert_eq!(new, trials);
    let all = TrialFilter::default();
    for sort in [TrialSort::Ordinal, TrialSort::Time, TrialSort::Compiled] {
        let listed = store.list_trials(id, &all, sort, Page::first(99)).await;
        for record in listed.unwrap().rows {
            let ordinal = record.trial.ordinal as usize;
            assert_eq!(record.trial, trials[ordinal], "{sort:?}");
        }
    }
    let listed = store.list_all_trials(&all, Page::first(99)).await.unwrap();
    let listed = listed.rows.into_iter().map(|record| record.trial);
    assert_eq!(listed.collect::<Vec<_>>(), trials);
    let fastest = store.fastest(&[id], Status::Right, 9).await.unwrap();
    for known in fastest.trials {
        assert_eq!(known.trial, trials[known.trial.ordinal as usize]);
    }
    let defaults = store.defaults(&[id]).await.unwrap().rows;
    assert_eq!(defaults[0].trial, trials[0]);
    let wanted = trials[3].configuration.as_ref().unwrap();
    let found = store.trials_with(&[id], wanted).await.unwrap().rows;
    assert_eq!(found[0].trial, trials[3]);
    let held = store.finals(&[id]).await.unwrap().rows;
    assert_eq!(held[0].winner.trial, trials[3]);
}

/// Checks every way of writing an error: alone, with others, and by import, also in place of the
/// same trial without an error.
pub(crate) async fn an_error_is_written_by_whoever_writes(database: &dyn Database) {
    let store = database.open().await;
    let trials = trials();
    let study = store.open_study(&key(), None).await.unwrap();
    store.record_trials(study.id, &trials).await.unwrap();
    assert_eq!(store.trials_of(&study).await.unwrap(), trials);
    let without: Vec<Trial> = { trials.iter() }
        .map(|it| with_error(None, it.clone()))
        .collect();
    for order in [[&without, &trials], [&trials, &without]] {
        store.delete_study(study_id(&*store).await).await.unwrap();
        for given in order {
            let taken = store.take_in(&portion(key(), 1, given), false).await;
            assert_eq!(taken.unwrap().parted, None);
        }
        let study = store.open_study(&key(), None).await.unwrap();
        assert_eq!(store.trials_of(&study).await.unwrap(), trials);
    }
}

async fn study_id(store: &dyn store::Store) -> StudyId {
    let all = StudyFilter::default();
    let listed = store.list_studies(&all, Page::first(9)).await.unwrap();
    listed.rows[0].known.id
}

/// Checks that an error is from 0 to 1, and only of a correct trial.
pub(crate) async fn invalid_errors_are_not_stored(database: &dyn Database) {
    let store = database.open().await;
    let study = store.open_study(&key(), None).await.unwrap();
    let tie = TrialOutcome::Tie(timing(3.0), "row 0".to_owned());
    for (error, outcome, expected) in [
        (
            1.0 + f64::EPSILON,
            right(8.0),
            "is not a fraction of the allowed bound",
        ),
        (-1e-9, right(8.0), "is not a fraction of the allowed bound"),
        (f64::NAN, right(8.0), "the error NaN"),
        (f64::INFINITY, right(8.0), "the error inf"),
        (0.5, tie, "an error of a tie result"),
        (0.0, TrialOutcome::Wrong(String::new()), "of a wrong result"),
    ] {
        let bad = with_error(Some(error), trial(1, 2, outcome));
        let told = store.record_trial(&study, &bad).await.unwrap_err();
        assert!(told.to_string().contains(expected), "{told}");
        let given = portion(key(), 1, &[bad]);
        let told = store.take_in(&given, false).await.unwrap_err();
        assert!(told.to_string().contains(expected), "{told}");
    }
    assert_eq!(database.count("trial").await, 0);
}
