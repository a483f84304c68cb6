//! Several studies of one provenance: the default and the finals that count.

use configgen::Generator;
use store::{Finals, Ledger as _, StudyKey, Ties, Trial, TrialOutcome};

use crate::rankings::new_store;
use crate::rankings::support::{at, default_trial, key, key_made, right, timing, trial};

/// Returns a default trial that ended in this second.
fn default(ended: u64, outcome: TrialOutcome) -> Trial {
    Trial {
        ended: at(ended),
        ..default_trial(0, 1, outcome)
    }
}

/// Checks the default that counts, for studies that differ only in their seeds. The defaults are
/// recorded in this order.
#[track_caller]
fn check(defaults: &[Trial], expected: &Trial) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (_directory, store) = new_store().await;
        let mut studies = Vec::new();
        for seed in (0..defaults.len() as u64).rev() {
            let key = StudyKey { seed, ..key() };
            studies.push(store.open_study(&key, None).await.unwrap());
        }
        for (study, default) in studies.into_iter().rev().zip(defaults) {
            for trial in [default, &trial(1, 2, right(2.0))] {
                store.record_trial(&study, trial).await.unwrap();
            }
        }
        let rankings = lookup::rankings(
            &store,
            &key().problem,
            Some(key().provenance.target),
            Ties::Fold,
            3,
        )
        .await
        .unwrap()
        .rows;
        assert_eq!(rankings.len(), 1);
        assert_eq!(rankings[0].default.as_ref(), Some(expected));
        let time_us = expected.outcome.timing().map(|timing| timing.time_us);
        assert_eq!(rankings[0].default_time_us(), time_us);
    });
}

/// Checks that the last recorded default counts, as for any configuration: not the first, the
/// fastest, or the latest by a clock.
#[test]
fn the_default_that_was_recorded_last_counts() {
    let [slow, fast] = [default(90, right(40.0)), default(5, right(30.0))];
    check(&[slow.clone(), fast.clone()], &fast);
    check(&[fast.clone(), slow.clone()], &slow);
    let wrong = default(1, TrialOutcome::Wrong("row 0".to_owned()));
    check(&[slow.clone(), fast.clone(), wrong.clone()], &wrong);
    check(&[wrong, fast, slow.clone()], &slow);
}

/// Checks that a default has a time if its generator may serve it, and otherwise none.
#[test]
fn a_default_that_is_not_served_has_no_time() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for (generator, expected) in [(Generator::NATIVE, None), (Generator::IREE, Some(3.0))] {
        runtime.block_on(async {
            let (_directory, store) = new_store().await;
            let key = key_made(|made| made.generator = generator);
            let study = store.open_study(&key, None).await.unwrap();
            let tie = TrialOutcome::Tie(timing(3.0), "row 0".to_owned());
            for trial in [default(1, tie), trial(1, 2, right(2.0))] {
                store.record_trial(&study, &trial).await.unwrap();
            }
            let rankings = lookup::rankings(
                &store,
                &key.problem,
                Some(key.provenance.target),
                Ties::Fold,
                3,
            );
            let rankings = rankings.await.unwrap().rows;
            assert_eq!(rankings[0].default_time_us(), expected, "{generator}");
            assert_eq!(rankings[0].speedup(), expected.map(|_| 1.5), "{generator}");
        });
    }
}

/// Checks the first configuration, for finals recorded in this order that ended in these seconds.
#[track_caller]
fn check_finals(ended: &[u64], expected: u32) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (_directory, store) = new_store().await;
        for (number, &second) in (0..).zip(ended) {
            let key = StudyKey {
                seed: number.into(),
                ..key()
            };
            let study = store.open_study(&key, None).await.unwrap();
            // Each study has a winner of its own, its slower trial.
            for trial in [trial(0, 10, right(1.0)), trial(1, number, right(2.0))] {
                store.record_trial(&study, &trial).await.unwrap();
            }
            let finals = Finals {
                trials: 2,
                ties: Ties::Fold,
                winner: 1,
                speedup: 1.0,
                interval: (1.0, 1.0),
                samples: "{}".to_owned(),
                ended: at(second),
            };
            store.record_finals(study.id, &finals).await.unwrap();
        }
        let key = key();
        let rankings = lookup::rankings(
            &store,
            &key.problem,
            Some(key.provenance.target),
            Ties::Fold,
            9,
        );
        let ranking = rankings.await.unwrap().rows.remove(0);
        let step = |place: &lookup::RankingEntry| place.configuration.lowering.partial_reduction[1];
        let mut found: Vec<u32> = ranking.best.iter().map(step).collect();
        assert_eq!(found[0], expected, "{ended:?}");
        // Each configuration has one entry.
        found.sort_unstable();
        let all: Vec<u32> = (0..ended.len() as u32).chain([10]).collect();
        assert_eq!(found, all, "{ended:?}");
    });
}

/// Checks that the last recorded finals count, from any study, and regardless of the clock.
#[test]
fn the_finals_that_were_held_last_count() {
    check_finals(&[100, 200], 1);
    check_finals(&[200, 100], 1);
    check_finals(&[100, 300, 200], 2);
}
