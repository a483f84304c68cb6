//! Pruning removes the samples of trials that decide nothing, and keeps all else.

use std::collections::BTreeSet;
use std::time::Duration;

use store::{
    FailureKind, Finals, PruningSummary, Status, Store, StudyId, StudyKey, Ties, Trial,
    TrialOutcome,
};

use crate::Database;
use crate::samples::{at, default_trial, key, record, right, timing, trial};

/// Returns the trial with its time as the only sample.
fn pruned(trial: &Trial) -> Trial {
    let mut trial = trial.clone();
    if let TrialOutcome::Right(timing) | TrialOutcome::Tie(timing, _) = &mut trial.outcome {
        timing.samples_us = vec![timing.time_us];
    }
    trial
}

/// Returns the ordinals of the trials with all samples, and asserts that nothing else has
/// changed.
async fn whole(store: &dyn Store, key: &StudyKey, trials: &[Trial]) -> BTreeSet<u32> {
    let study = store.open_study(key, None).await.unwrap();
    let known = store.trials_of(&study).await.unwrap();
    assert_eq!(known.len(), trials.len());
    let pairs = known.iter().zip(trials);
    let whole = pairs.filter(|(known, trial)| match known == trial {
        true => known.outcome.timing().is_some(),
        false => {
            assert_eq!(**known, pruned(trial));
            false
        }
    });
    whole.map(|(known, _)| known.ordinal).collect()
}

pub(crate) async fn samples_of_undecisive_trials_are_pruned(database: &dyn Database) {
    let store = database.open().await;
    let tie = |time| TrialOutcome::Tie(timing(time), "row 1".to_owned());
    let failed = TrialOutcome::Failed(FailureKind::Crash, "it died".to_owned());
    let trials = [
        default_trial(0, 1, right(9.0)),
        trial(1, 2, right(3.0)),
        trial(2, 3, right(0.1 + 0.2)),
        trial(3, 4, right(4.0)),
        trial(4, 5, tie(1.0)),
        trial(5, 6, tie(2.0)),
        trial(6, 7, failed),
        trial(7, 8, right(5.0)),
        trial(8, 9, TrialOutcome::Wrong("row 2".to_owned())),
    ];
    let id = record(&*store, &key(), &trials).await;
    let finals = Finals {
        trials: 9,
        winner: 3,
        ties: Ties::Fold,
        speedup: 2.0,
        interval: (1.5, 2.5),
        samples: "{}".to_owned(),
        ended: at(50),
    };
    store.record_finals(id, &finals).await.unwrap();
    // The fastest was tried again: it is no longer served, and another takes its place.
    let twin = StudyKey { seed: 1, ..key() };
    let again = [trial(0, 3, right(8.0))];
    record(&*store, &twin, &again).await;

    let tried = store.prune_study(id, 1, true).await.unwrap();
    assert_eq!(
        whole(&*store, &key(), &trials).await,
        [0, 1, 2, 3, 4, 5, 7].into()
    );
    let taken = store.prune_study(id, 1, false).await.unwrap();
    assert_eq!(taken, tried);
    assert_eq!(taken.trials, 3);
    assert!((20..200).contains(&taken.bytes), "{}", taken.bytes);
    assert_eq!(whole(&*store, &key(), &trials).await, [0, 1, 3, 4].into());
    assert_eq!(whole(&*store, &twin, &again).await, [0].into());
    let held = store.finals(&[id]).await.unwrap().rows;
    assert_eq!(held[0].winner.trial, trials[3]);
    // A second call finds nothing to prune.
    assert_eq!(
        store.prune_study(id, 1, false).await.unwrap(),
        PruningSummary::default()
    );
    assert_eq!(
        store.prune_study(StudyId(999_999), 1, false).await.unwrap(),
        PruningSummary::default()
    );
    let fastest = store.fastest(&[id], Status::Right, 9).await.unwrap().trials;
    let ordinals: Vec<u32> = fastest.iter().map(|known| known.trial.ordinal).collect();
    assert_eq!(ordinals, [2, 1, 3, 7, 0]);
}

pub(crate) async fn running_studies_keep_their_samples(database: &dyn Database) {
    let store = database.open().await;
    let trials = [
        default_trial(0, 1, right(9.0)),
        trial(1, 2, right(3.0)),
        trial(2, 3, right(4.0)),
    ];
    let id = record(&*store, &key(), &trials).await;
    let study = store.open_study(&key(), None).await.unwrap();
    store.stay(&study, "ann").await.unwrap();
    let error = store
        .prune_study(id, 1, false)
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("is being worked on by ann"), "{error}");
    assert_eq!(whole(&*store, &key(), &trials).await, [0, 1, 2].into());
    // A dead owner holds nothing.
    let store = database.open_patient(Duration::ZERO).await;
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert_eq!(store.prune_study(id, 1, false).await.unwrap().trials, 1);
}
