//! The best configuration if some have another tie-break.

use configgen::Generator;
use store::{Clock, Finals, Ledger as _, StudyKey, Ties, Trial, TrialOutcome};
use store_sqlite::Sqlite;

use crate::rankings::new_store;
use crate::rankings::support::{at, default_trial, key, key_made, right, timing, trial};

fn iree() -> StudyKey {
    key_made(|made| made.generator = Generator::IREE)
}

fn tie(time_us: f64) -> TrialOutcome {
    TrialOutcome::Tie(timing(time_us), "row 0: index 3 for 1".to_owned())
}

async fn record(store: &Sqlite, key: &StudyKey, trials: &[Trial]) {
    let study = store.open_study(key, None).await.unwrap();
    for trial in trials {
        store.record_trial(&study, trial).await.unwrap();
    }
}

/// Checks the configurations of each ranking by number, at most `depth` of each.
async fn check(store: &Sqlite, ties: Ties, depth: u32, expected: &[&[u32]]) {
    let key = key();
    let found = lookup::rankings(
        store,
        &key.problem,
        Some(key.provenance.target),
        ties,
        depth,
    );
    let found = found.await.unwrap().rows;
    let number = |ranked: &lookup::RankingEntry| ranked.configuration.lowering.partial_reduction[1];
    let numbers: Vec<Vec<u32>> = found
        .iter()
        .map(|ranking| ranking.best.iter().map(number).collect())
        .collect();
    assert_eq!(numbers, expected, "{ties}, {depth}");
}

#[test]
async fn right_ones_are_before_faster_ties_unless_any_index_will_do() {
    let (_directory, store) = new_store().await;
    let trials = [
        default_trial(0, 1, right(4.91)),
        trial(1, 2, tie(4.66)),
        trial(2, 3, right(5.5)),
        trial(3, 4, tie(4.7)),
    ];
    record(&store, &iree(), &trials).await;
    for (depth, fold, any) in [
        (1, &[1][..], &[2][..]),
        (2, &[1, 3], &[2, 4]),
        (9, &[1, 3, 2, 4], &[2, 4, 1, 3]),
    ] {
        check(&store, Ties::Fold, depth, &[fold]).await;
        check(&store, Ties::Any, depth, &[any]).await;
    }
}

#[test]
async fn ties_are_served_if_nothing_is_right() {
    let (_directory, store) = new_store().await;
    let wrong = TrialOutcome::Wrong("row 0".to_owned());
    record(
        &store,
        &iree(),
        &[trial(0, 1, tie(8.0)), trial(1, 2, wrong)],
    )
    .await;
    for ties in Ties::ALL {
        check(&store, ties, 1, &[&[1]]).await;
    }
}

/// Checks that a correct ranking precedes all others: with a slower generator, and with the other
/// clock.
#[test]
async fn rankings_that_are_right_come_first() {
    let (_directory, store) = new_store().await;
    let measured = {
        let mut key = iree();
        key.provenance.clock = Clock::Measured;
        key.provenance.device = "hip:0".to_owned();
        key
    };
    record(&store, &key(), &[trial(0, 1, right(9.0))]).await;
    record(&store, &iree(), &[trial(0, 2, tie(8.0))]).await;
    record(&store, &measured, &[trial(0, 3, tie(20.0))]).await;
    check(&store, Ties::Fold, 1, &[&[1], &[3], &[2]]).await;
    check(&store, Ties::Any, 1, &[&[3], &[2], &[1]]).await;
    // A list of all problems keeps the clocks apart.
    let all = lookup::all_rankings(&store, Ties::Fold, 1)
        .await
        .unwrap()
        .rows;
    let generators: Vec<_> = all
        .iter()
        .map(|it| (it.provenance.clock, it.provenance.generator))
        .collect();
    let expected = [
        (Clock::Measured, Generator::IREE),
        (Clock::Modelled, Generator::NATIVE),
        (Clock::Modelled, Generator::IREE),
    ];
    assert_eq!(generators, expected);
}

/// Checks that finals decide among their participants: with the fold's tie-break, no tie took
/// part.
#[test]
async fn finals_decide_among_those_that_took_part() {
    let finals = |ties, winner| Finals {
        trials: 4,
        winner,
        ties,
        speedup: 1.1,
        interval: (1.05, 1.15),
        samples: "{}".to_owned(),
        ended: at(100),
    };
    // Trials 0 to 3 have the configurations 1 to 4. Without finals, 1 is first with the fold's
    // tie-break, and 3 with any.
    for (held, fold, any) in [
        (vec![finals(Ties::Fold, 1)], 2, 3),
        (vec![finals(Ties::Any, 3)], 1, 4),
        // A correct winner over all has beaten all correct ones.
        (vec![finals(Ties::Any, 1)], 2, 2),
        (vec![finals(Ties::Any, 3), finals(Ties::Fold, 1)], 2, 4),
        // This study had no correct trial; another study has one.
        (vec![finals(Ties::Fold, 3)], 1, 3),
    ] {
        let (_directory, store) = new_store().await;
        let trials = [
            trial(0, 1, right(5.0)),
            trial(1, 2, right(5.1)),
            trial(2, 3, tie(4.0)),
            trial(3, 4, tie(4.1)),
        ];
        record(&store, &iree(), &trials).await;
        let study = store.open_study(&iree(), None).await.unwrap();
        for finals in &held {
            store.record_finals(study.id, finals).await.unwrap();
        }
        check(&store, Ties::Fold, 1, &[&[fold]]).await;
        check(&store, Ties::Any, 1, &[&[any]]).await;
    }
}
