//! Records come back as written, and a reader that continues from a position misses nothing.

use std::time::Duration;

use store::{
    FailureKind, Finals, LedgerPosition, RecordOutcome, StudyId, StudyKey, Ties, Trial,
    TrialOutcome,
};
use tokio::task::JoinSet;

use crate::Database;
use crate::samples::{at, default_trial, key, right, timing, trial};

pub(crate) async fn trials_come_back_as_they_went_in(database: &dyn Database) {
    let store = database.open().await;
    let study = store.open_study(&key(), None).await.unwrap();
    let hostile = "first difference: '); DROP TABLE trial; -- \u{1} \u{1F4A5} \n\"".to_owned();
    let mut trials = vec![
        default_trial(0, 1, right(2e-3)),
        trial(1, 2, right(1e11)),
        trial(2, 3, TrialOutcome::Tie(timing(7.1), hostile.clone())),
        trial(3, 4, TrialOutcome::Wrong(hostile.clone())),
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
        trials.push(trial(n, n + 1, TrialOutcome::Failed(kind, hostile.clone())));
    }
    // A text of PostgreSQL cannot hold a NUL, so no store keeps one.
    let with_nul = |message: &str| trial(99, 99, TrialOutcome::Wrong(message.to_owned()));
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

pub(crate) async fn trials_are_found_by_their_configuration(database: &dyn Database) {
    let store = database.open().await;
    let mut other = key();
    other.seed ^= 1;
    let mut studies = Vec::new();
    for key in [key(), other] {
        studies.push(store.open_study(&key, None).await.unwrap());
    }
    let wrong = || TrialOutcome::Wrong("row 0".to_owned());
    for (study, trial) in [
        (0, default_trial(0, 1, right(8.0))),
        (1, trial(4, 1, wrong())),
        (0, trial(1, 2, wrong())),
        (0, trial(2, 1, right(7.0))),
    ] {
        store.record_trial(&studies[study], &trial).await.unwrap();
    }
    let find = async |studies: &[StudyId], configuration: u32| {
        let wanted = trial(0, configuration, wrong()).configuration.unwrap();
        let found = store.trials_with(studies, &wanted).await.unwrap();
        assert!(found.unreadable.is_none());
        let place = |it: &store::KnownTrial| (it.study, it.trial.ordinal);
        found.rows.iter().map(place).collect::<Vec<_>>()
    };
    let [one, two] = [studies[0].id, studies[1].id];
    assert_eq!(find(&[one, two], 1).await, [(one, 0), (two, 4), (one, 2)]);
    assert_eq!(find(&[one], 1).await, [(one, 0), (one, 2)]);
    assert_eq!(find(&[one, two], 2).await, [(one, 1)]);
    assert_eq!(find(&[two], 2).await, []);
    assert_eq!(find(&[one, two], 3).await, []);
}

pub(crate) async fn the_first_trial_of_an_ordinal_stays(database: &dyn Database) {
    let store = database.open().await;
    let study = store.open_study(&key(), None).await.unwrap();
    let (first, second) = (trial(3, 1, right(8.0)), trial(3, 2, right(1.0)));
    assert_eq!(
        store.record_trial(&study, &first).await.unwrap(),
        RecordOutcome::Stored
    );
    let again = store.record_trial(&study, &second).await.unwrap();
    assert_eq!(again, RecordOutcome::AlreadyThere);
    assert_eq!(store.trials_of(&study).await.unwrap(), [first]);
}

pub(crate) async fn trials_are_recorded_together(database: &dyn Database) {
    let store = database.open().await;
    let study = store.open_study(&key(), None).await.unwrap();
    let record = async |trials: &[Trial]| store.record_trials(study.id, trials).await.unwrap();
    let first = [
        trial(7, 2, right(8.0)),
        default_trial(0, 1, right(61.0)),
        trial(
            3,
            4,
            TrialOutcome::Failed(FailureKind::Compile, "no".to_owned()),
        ),
    ];
    assert_eq!(record(&first).await, 3);
    // New trials are in the order in which they were given.
    let (new, seen) = store
        .trials_since(study.id, LedgerPosition::default())
        .await
        .unwrap();
    assert_eq!(new, first);
    assert_eq!(record(&first).await, 0);
    // The first of two trials with one ordinal stays: an earlier one, or the first of the list.
    let others = [
        trial(9, 6, right(2.0)),
        trial(3, 5, right(1.0)),
        trial(5, 7, right(4.0)),
        trial(9, 8, right(3.0)),
    ];
    assert_eq!(record(&others).await, 2);
    let (new, _) = store.trials_since(study.id, seen).await.unwrap();
    assert_eq!(new, [others[0].clone(), others[2].clone()]);
    assert_eq!(store.trials_of(&study).await.unwrap().len(), 5);
    assert_eq!(record(&[]).await, 0);
}

pub(crate) async fn together_means_all_or_none(database: &dyn Database) {
    let store = database.open().await;
    let study = store.open_study(&key(), None).await.unwrap();
    let good = trial(1, 1, right(8.0));
    let bad = Trial {
        compile_ms: Some(-1.0),
        ..trial(2, 2, right(8.0))
    };
    for (study, trials, expected) in [
        (
            study.id,
            [good.clone(), trial(2, 2, right(f64::NAN))],
            "trial 2: samples_us: NaN is not a possible kernel time",
        ),
        // A negative time of compilation.
        (study.id, [good.clone(), bad], "compile_ms"),
        (StudyId(99), [good.clone(), trial(2, 2, right(8.0))], ""),
    ] {
        let error = store.record_trials(study, &trials).await.unwrap_err();
        assert!(!error.fault.passes(), "{error}");
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(database.count("trial").await, 0, "{error}");
    }
    assert_eq!(store.record_trials(StudyId(99), &[]).await.unwrap(), 0);
    assert_eq!(store.record_trials(study.id, &[good]).await.unwrap(), 1);
}

pub(crate) async fn ended_studies_are_reported(database: &dyn Database) {
    let store = database.open().await;
    let study = store.open_study(&key(), None).await.unwrap();
    let key = StudyKey { seed: 3, ..key() };
    let other = store.open_study(&key, None).await.unwrap();
    let trials = [3, u32::MAX, 0, 20].map(|ordinal| trial(ordinal, 1, right(8.0)));
    store.record_trials(study.id, &trials).await.unwrap();
    store
        .record_trial(&other, &trial(1, 1, right(8.0)))
        .await
        .unwrap();
    for (study, asked, expected) in [
        (study.id, vec![20, 1, u32::MAX, 2, 0], vec![20, u32::MAX, 0]),
        (study.id, vec![1, 2], vec![]),
        (study.id, vec![], vec![]),
        (other.id, vec![0, 1, 3], vec![1]),
        (StudyId(99), vec![0], vec![]),
    ] {
        let ended = store.ended(study, &asked).await.unwrap();
        assert_eq!(ended, expected, "{asked:?} of {study:?}");
    }
}

pub(crate) async fn new_runs_are_reported_at_least_once(database: &dyn Database) {
    let store = database.open().await;
    let study = store.open_study(&key(), None).await.unwrap();
    let second = database.open().await;
    let trials = [
        trial(7, 2, right(8.0)),
        default_trial(0, 1, right(61.0)),
        trial(3, 4, right(5.0)),
    ];
    let mut seen = LedgerPosition::default();
    for trial in &trials {
        store.record_trial(&study, trial).await.unwrap();
        let (new, now) = second.trials_since(study.id, seen).await.unwrap();
        assert_eq!(new, std::slice::from_ref(trial));
        seen = now;
    }
    let (none, same) = second.trials_since(study.id, seen).await.unwrap();
    assert_eq!((none, same), (Vec::new(), seen));
    let (all, _) = second
        .trials_since(study.id, LedgerPosition::default())
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
    let found = async |trials, ties| store.finals_of(study.id, trials, ties).await.unwrap();
    assert_eq!(found(1, Ties::Fold).await, Some(finals));
    assert_eq!(found(1, Ties::Any).await, None);
    assert_eq!(found(2, Ties::Fold).await, None);
}

/// Checks eight writers into two studies, while a reader of each continues from its position.
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
                assert_eq!(recorded, RecordOutcome::Stored);
            }
        });
    }
    let mut read = [LedgerPosition::default(); 2].map(|seen| (seen, Vec::new()));
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

/// Checks a batch that two agents report in different orders: each trial is stored once, and
/// there is no deadlock.
pub(crate) async fn two_write_the_same(database: &dyn Database) {
    let store = database.open().await;
    let study = store.open_study(&key(), None).await.unwrap();
    let trials: Vec<Trial> = (0..400)
        .map(|ordinal| trial(ordinal, 1, right(8.0)))
        .collect();
    let mut writers = JoinSet::new();
    for is_turned in [false, true] {
        let (store, study, trials) = (database.open().await, study.id, trials.clone());
        writers.spawn(async move {
            let mut stored = 0;
            for batch in trials.chunks(40) {
                let mut batch = batch.to_vec();
                if is_turned {
                    batch.reverse();
                }
                stored += store.record_trials(study, &batch).await.unwrap();
            }
            stored
        });
    }
    let stored: u64 = writers.join_all().await.into_iter().sum();
    assert_eq!(stored, 400);
    assert_eq!(store.trials_of(&study).await.unwrap(), trials);
}
