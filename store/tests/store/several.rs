//! Several studies of one provenance: which default a ranking is compared with, and whose finals count.

use configgen::Generator;
use store::{Finals, Outcome, StudyKey, Ties, Trial};

use crate::new_store;
use crate::support::{at, default_trial, key, right, timing, trial};

/// The default trial that ended in the `ended`-th second.
fn default(ended: u64, outcome: Outcome) -> Trial {
    Trial {
        ended: at(ended),
        ..default_trial(0, 1, outcome)
    }
}

/// Studies that differ in their seeds alone, opened in this order, with these defaults; the one that counts.
#[track_caller]
fn check(defaults: &[Trial], expected: &Trial) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (_directory, store) = new_store().await;
        for (seed, default) in (0..).zip(defaults) {
            let key = StudyKey { seed, ..key() };
            let study = store.open_study(&key, None).await.unwrap();
            for trial in [default, &trial(1, 2, right(2.0))] {
                store.record_trial(&study, trial).await.unwrap();
            }
        }
        let rankings = store
            .rankings(&key().problem, Some(key().target), Ties::Fold, 3)
            .await
            .unwrap()
            .rows;
        assert_eq!(rankings.len(), 1);
        assert_eq!(rankings[0].default.as_ref(), Some(expected));
        let time_us = expected.outcome.timing().map(|timing| timing.time_us);
        assert_eq!(rankings[0].default_time_us(), time_us);
    });
}

/// As of any configuration: not the first, not the fastest, and not that of the study that was opened last.
#[test]
fn the_latest_default_counts() {
    let [older, newer] = [default(5, right(30.0)), default(90, right(40.0))];
    check(&[older.clone(), newer.clone()], &newer);
    check(&[newer.clone(), older.clone()], &newer);
    let wrong = default(95, Outcome::Wrong("row 0".to_owned()));
    check(&[newer.clone(), wrong.clone(), older.clone()], &wrong);
    check(
        &[wrong, default(96, right(50.0)), older],
        &default(96, right(50.0)),
    );
}

/// A default that is no more than its generator promises has a time; of one that is less there is nothing to compare with.
#[test]
fn a_default_that_is_not_served_has_no_time() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for (generator, expected) in [(Generator::NATIVE, None), (Generator::IREE, Some(3.0))] {
        runtime.block_on(async {
            let (_directory, store) = new_store().await;
            let key = StudyKey { generator, ..key() };
            let study = store.open_study(&key, None).await.unwrap();
            let tie = Outcome::Tie(timing(3.0), "row 0".to_owned());
            for trial in [default(1, tie), trial(1, 2, right(2.0))] {
                store.record_trial(&study, &trial).await.unwrap();
            }
            let rankings = store.rankings(&key.problem, Some(key.target), Ties::Fold, 3);
            let rankings = rankings.await.unwrap().rows;
            assert_eq!(rankings[0].default_time_us(), expected, "{generator}");
            assert_eq!(rankings[0].speedup(), expected.map(|_| 1.5), "{generator}");
        });
    }
}

/// Finals that ended in these seconds, of studies that were opened in this order; the configuration that is first.
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
            // Each study has a winner of its own, which is its slower one.
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
            store.record_finals(&study, &finals).await.unwrap();
        }
        let key = key();
        let rankings = store.rankings(&key.problem, Some(key.target), Ties::Fold, 9);
        let ranking = rankings.await.unwrap().rows.remove(0);
        let step = |place: &store::Ranked| place.configuration.lowering.partial_reduction[1];
        let mut found: Vec<u32> = ranking.best.iter().map(step).collect();
        assert_eq!(found[0], expected, "{ended:?}");
        // Each configuration has one place.
        found.sort_unstable();
        let all: Vec<u32> = (0..ended.len() as u32).chain([10]).collect();
        assert_eq!(found, all, "{ended:?}");
    });
}

/// Whichever study they are of.
#[test]
fn the_latest_finals_count() {
    check_finals(&[100, 200], 1);
    check_finals(&[200, 100], 0);
    check_finals(&[100, 300, 200], 1);
}
