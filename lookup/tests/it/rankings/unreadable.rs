//! Rows that this build cannot read: left out and reported, while the other rows answer.

use store::{Catalogue as _, Ledger as _, StudyKey, Ties, TrialOutcome, Unreadable};
use store_sqlite::Sqlite;

use crate::rankings::new_store;
use crate::rankings::support::{default_trial, key, provenance, right, spoil, trial};

async fn record(store: &Sqlite, key: &StudyKey, trials: &[(u32, TrialOutcome)]) {
    let study = store.open_study(key, None).await.unwrap();
    for (number, outcome) in trials {
        let trial = match number {
            1 => default_trial(0, 1, outcome.clone()),
            _ => trial(number - 1, *number, outcome.clone()),
        };
        store.record_trial(&study, &trial).await.unwrap();
    }
}

#[track_caller]
fn check_told(unreadable: &Unreadable, rows: u64, first: &str) {
    assert_eq!(unreadable.rows, rows, "{unreadable}");
    assert!(unreadable.first.len() as u64 <= rows);
    let told = unreadable.to_string();
    assert!(told.contains(first) && !told.contains('\n'), "{told}");
}

/// Checks the remaining best and default after `sql` has spoilt rows of a study with four trials,
/// and of another problem.
async fn check(sql: &'static str, best: &[u32], default: bool, rows: u64, first: &str) {
    let (_directory, store) = new_store().await;
    let times = [9.0, 2.0, 3.0, 4.0];
    let trials: Vec<(u32, TrialOutcome)> = (1..).zip(times.map(right)).collect();
    record(&store, &key(), &trials).await;
    let mut other = key();
    other.problem = "argmin:[7]xi32".parse().unwrap();
    other.provenance = provenance("23.0.0");
    record(&store, &other, &[(5, right(1.0))]).await;
    spoil(&store, sql).await;
    // All depths, including those that reach no further than the spoilt rows.
    for depth in 1..=4 {
        let all = lookup::all_rankings(&store, Ties::Fold, depth)
            .await
            .unwrap();
        let (one, others): (Vec<_>, Vec<_>) =
            (all.rows.iter()).partition(|it| it.problem == key().problem);
        assert_eq!(others.len(), 1, "{sql}: another problem is another matter");
        let number = |it: &lookup::RankingEntry| it.configuration.lowering.partial_reduction[1];
        let numbers: Vec<u32> = one
            .iter()
            .flat_map(|it| it.best.iter().map(number))
            .collect();
        let expected: Vec<u32> = best.iter().copied().take(depth as usize).collect();
        assert_eq!(numbers, expected, "{sql}: {depth}");
        assert_eq!(one.iter().any(|it| it.default.is_some()), default, "{sql}");
    }
    let all = lookup::all_rankings(&store, Ties::Fold, 4).await.unwrap();
    check_told(&all.unreadable, rows, first);
}

#[test]
async fn trials() {
    let knob = "trial 2, configuration: unknown field `a`";
    check(
        "UPDATE trial SET configuration = '{\"a\": 1}' WHERE id = 2",
        &[3, 4, 1],
        true,
        1,
        knob,
    )
    .await;
    check(
        "UPDATE trial SET configuration = '{\"a\": 1}' WHERE id IN (2, 3)",
        &[4, 1],
        true,
        2,
        knob,
    )
    .await;
    check(
        "UPDATE trial SET configuration = '{\"a\": 1}' WHERE id < 5",
        &[],
        false,
        4,
        "trial ",
    )
    .await;
    let samples = "trial 3, samples_us: ";
    check(
        "UPDATE trial SET samples_us = '[1' WHERE id = 3",
        &[2, 4, 1],
        true,
        1,
        samples,
    )
    .await;
    // Among the fastest and the default, but one row.
    check(
        "UPDATE trial SET samples_us = 'x' WHERE id = 1",
        &[2, 3, 4],
        false,
        1,
        "trial 1, samples_us",
    )
    .await;
    check(
        "UPDATE trial SET ordinal = 4294967296 WHERE id = 2",
        &[3, 4, 1],
        true,
        1,
        "trial 2, ordinal",
    )
    .await;
}

#[test]
async fn studies() {
    check(
        "UPDATE problem SET text = 'argmax:garbage' WHERE id = 1",
        &[],
        false,
        1,
        "study 1, problem: ",
    )
    .await;
    check(
        "UPDATE provenance SET target = 'gfx9999' WHERE id = 1",
        &[],
        false,
        1,
        "study 1, target: ",
    )
    .await;
    check(
        "UPDATE provenance SET generator = 'triton' WHERE id = 1",
        &[],
        false,
        1,
        "study 1, generator: ",
    )
    .await;
}

/// Checks that an older provenance answers if all rows of the newest are unreadable.
#[test]
async fn an_older_provenance_that_can_be_read() {
    let (_directory, store) = new_store().await;
    record(&store, &key(), &[(2, right(3.0))]).await;
    let mut newer = key();
    newer.provenance = provenance("23.0.0");
    record(&store, &newer, &[(3, right(2.0))]).await;
    spoil(
        &store,
        "UPDATE trial SET configuration = '{\"a\": 1}' WHERE study_id = 2",
    )
    .await;
    let key = key();
    let found = lookup::rankings(
        &store,
        &key.problem,
        Some(key.provenance.target),
        Ties::Fold,
        1,
    );
    let found = found.await.unwrap();
    assert_eq!(found.rows[0].best[0].timing.time_us, 3.0);
    check_told(&found.unreadable, 1, "trial 2, configuration");
}

/// Checks that many unreadable rows are counted, and few are listed.
#[test]
async fn many() {
    let (_directory, store) = new_store().await;
    let trials: Vec<(u32, TrialOutcome)> = (2..=100).map(|n| (n, right(f64::from(n)))).collect();
    record(&store, &key(), &trials).await;
    spoil(
        &store,
        "UPDATE trial SET configuration = '{\"a\": 1}' WHERE ordinal < 90",
    )
    .await;
    let found = lookup::all_rankings(&store, Ties::Fold, 1).await.unwrap();
    assert_eq!(found.rows[0].best[0].timing.time_us, 91.0);
    check_told(&found.unreadable, 89, "trial 1, configuration");
    assert_eq!(found.unreadable.first.len(), 3);
}

#[test]
async fn trials_of_a_problem() {
    let (_directory, store) = new_store().await;
    record(&store, &key(), &[(2, right(3.0))]).await;
    let mut other = key();
    other.provenance = provenance("23.0.0");
    record(&store, &other, &[(3, right(2.0))]).await;
    spoil(
        &store,
        "UPDATE provenance SET target = 'gfx9999' WHERE id = 2",
    )
    .await;
    let coverage = store.coverage(&key().problem).await.unwrap();
    assert_eq!(coverage.rows.len(), 1);
    check_told(&coverage.unreadable, 1, "provenance 2, target: ");
}

/// Checks that a study loads all its trials or none: a missing one would be tried again.
#[test]
async fn the_trials_of_a_study() {
    let (_directory, store) = new_store().await;
    record(&store, &key(), &[(2, right(3.0)), (3, right(2.0))]).await;
    spoil(
        &store,
        "UPDATE trial SET configuration = '{\"a\": 1}' WHERE id = 2",
    )
    .await;
    let study = store.open_study(&key(), None).await.unwrap();
    let error = store.trials_of(&study).await.unwrap_err().to_string();
    assert!(
        error.contains("trial 2, configuration: unknown field"),
        "{error}"
    );
    assert!(!error.contains('\n'), "{error}");
}
