//! What is recorded comes back as it went in, and whoever goes on from somewhere misses nothing.

use std::time::Duration;

use store::{FailureKind, Finals, Outcome, Recorded, Seen, StudyKey, Ties, Trial};
use tokio::task::JoinSet;

use crate::Database;
use crate::samples::{at, default_trial, key, right, timing, trial};

pub(crate) async fn trials_come_back_as_they_went_in(database: &dyn Database) {
    let store = database.open().await;
    let study = store.open_study(&key(), None).await.unwrap();
    let hostile = "first difference: '); DROP TABLE trial; -- \u{1} \u{1F4A5} \n\"".to_owned();
    let mut trials = vec![
        default_trial(0, 1, right(1e-3)),
        trial(1, 2, right(1e300)),
        trial(2, 3, Outcome::Tie(timing(7.1), hostile.clone())),
        trial(3, 4, Outcome::Wrong(hostile.clone())),
        Trial {
            configuration: None,
            compile_ms: None,
            input_seed: 0,
            ..default_trial(u32::MAX, 0, right(0.1 + 0.2))
        },
        Trial {
            started: at(3) + Duration::from_millis(7),
            ended: at(5) + Duration::from_millis(999),
            ..trial(100, 9, right(1.0))
        },
    ];
    for (n, kind) in (4..).zip(FailureKind::ALL) {
        trials.push(trial(n, n + 1, Outcome::Failed(kind, hostile.clone())));
    }
    // A text of PostgreSQL has none of these, so that no store keeps them.
    let with_nul = |message: &str| trial(99, 99, Outcome::Wrong(message.to_owned()));
    store
        .record_trial(&study, &with_nul("before\0after"))
        .await
        .unwrap();
    for trial in &trials {
        store.record_trial(&study, trial).await.unwrap();
    }
    trials.push(with_nul("before\u{FFFD}after"));
    trials.sort_by_key(|trial| trial.ordinal);
    assert_eq!(store.trials_of(&study).await.unwrap(), trials);
}

pub(crate) async fn the_first_trial_of_an_ordinal_stays(database: &dyn Database) {
    let store = database.open().await;
    let study = store.open_study(&key(), None).await.unwrap();
    let (first, second) = (trial(3, 1, right(8.0)), trial(3, 2, right(1.0)));
    assert_eq!(
        store.record_trial(&study, &first).await.unwrap(),
        Recorded::Stored
    );
    let again = store.record_trial(&study, &second).await.unwrap();
    assert_eq!(again, Recorded::AlreadyThere);
    assert_eq!(store.trials_of(&study).await.unwrap(), [first]);
}

pub(crate) async fn what_is_new_is_told_once_more_than_never(database: &dyn Database) {
    let store = database.open().await;
    let study = store.open_study(&key(), None).await.unwrap();
    let second = database.open().await;
    let trials = [
        trial(7, 2, right(8.0)),
        default_trial(0, 1, right(61.0)),
        trial(3, 4, right(5.0)),
    ];
    let mut seen = Seen::default();
    for trial in &trials {
        store.record_trial(&study, trial).await.unwrap();
        let (new, now) = second.trials_since(study.id, seen).await.unwrap();
        assert_eq!(new, std::slice::from_ref(trial));
        seen = now;
    }
    let (none, same) = second.trials_since(study.id, seen).await.unwrap();
    assert_eq!((none, same), (Vec::new(), seen));
    let (all, _) = second
        .trials_since(study.id, Seen::default())
        .await
        .unwrap();
    assert_eq!(all, trials);
}

pub(crate) async fn finals_are_found_by_trials_and_ties(database: &dyn Database) {
    let store = database.open().await;
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
    store.record_finals(study.id, &finals).await.unwrap();
    let found = async |trials, ties| store.finals_of(&study, trials, ties).await.unwrap();
    assert_eq!(found(1, Ties::Fold).await, Some(finals));
    assert_eq!(found(1, Ties::Any).await, None);
    assert_eq!(found(2, Ties::Fold).await, None);
}

/// Eight write into two studies, on connections of their own, while each study is read on from where the reader was.
pub(crate) async fn many_write_at_once(database: &dyn Database) {
    let reader = database.open().await;
    let mut studies = Vec::new();
    for seed in 0..2 {
        let key = StudyKey { seed, ..key() };
        studies.push(reader.open_study(&key, None).await.unwrap());
    }
    let mut writers = JoinSet::new();
    for n in 0..8 {
        let (store, study) = (database.open().await, studies[n as usize % 2].clone());
        writers.spawn(async move {
            for round in 0..20 {
                let made = trial(8 * round + n, 1 + n, right(8.0));
                let recorded = store.record_trial(&study, &made).await.unwrap();
                assert_eq!(recorded, Recorded::Stored);
            }
        });
    }
    let mut read = [Seen::default(); 2].map(|seen| (seen, Vec::new()));
    let mut mark = reader.changes(None).await.unwrap().mark;
    let mut is_over = false;
    while !is_over {
        is_over = writers.is_empty();
        for (study, (seen, ordinals)) in studies.iter().zip(&mut read) {
            let (new, now) = reader.trials_since(study.id, *seen).await.unwrap();
            ordinals.extend(new.iter().map(|trial| trial.ordinal));
            *seen = now;
        }
        mark = reader.changes(Some(mark)).await.unwrap().mark;
        while let Some(written) = writers.try_join_next() {
            written.unwrap();
        }
    }
    for (n, (_, ordinals)) in (0..2).zip(&mut read) {
        ordinals.sort_unstable();
        let expected: Vec<u32> = (0..160).filter(|ordinal| ordinal % 2 == n).collect();
        assert_eq!(*ordinals, expected);
    }
    let changes = reader.changes(Some(mark)).await.unwrap();
    assert!(changes.problems.rows.is_empty() && !changes.is_all);
}
