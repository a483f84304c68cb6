//! Regressions: the compared versions, and the result.

use configgen::Clock;
use store::{Ledger as _, Provenance, StudyKey, TrialOutcome};

use crate::rankings::new_store;
use crate::rankings::support::{key_made, right, trial};

/// Returns the least and the largest sample: a quarter below and above the time.
fn range(samples: &[f64]) -> Option<(f64, f64)> {
    let [low, high] = [f64::min, f64::max].map(|of| samples.iter().copied().reduce(of));
    Some((low?, high?))
}

/// A version of the compiler, another change of the provenance, and the time that the study
/// finds.
type Study = (&'static str, fn(&mut Provenance), Option<f64>);

/// Checks the regressions of studies in the order of their opening: the versions before and
/// after, and the factor.
#[track_caller]
fn check(studies: &[Study], expected: &[(&str, &str, f64)]) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let found = runtime.block_on(async {
        let (_directory, store) = new_store().await;
        for &(version, change, time_us) in studies {
            let key = key_made(|made| {
                made.compiler_version = version.to_owned();
                change(made);
            });
            let study = store.open_study(&key, None).await.unwrap();
            let outcome = time_us.map_or(TrialOutcome::Wrong("row 0".to_owned()), right);
            let known = study.recorded as u32;
            store
                .record_trial(&study, &trial(known, known + 1, outcome))
                .await
                .unwrap();
        }
        lookup::regressions(&store, range).await.unwrap().rows
    });
    let found: Vec<(&str, &str, f64)> = (found.iter())
        .map(|one| {
            let version = |side: &lookup::RegressionSide| side.provenance.compiler_version.clone();
            (
                version(&one.before).leak() as &str,
                version(&one.after).leak() as &str,
                one.factor,
            )
        })
        .collect();
    assert_eq!(found, expected);
}

fn same(_: &mut Provenance) {}

fn measured(made: &mut Provenance) {
    made.clock = Clock::Measured;
    made.device = "hip:0".to_owned();
}

#[test]
fn a_version_is_compared_with_the_one_that_follows() {
    check(&[("1", same, Some(8.0))], &[]);
    check(
        &[("1", same, Some(8.0)), ("2", same, Some(10.0))],
        &[("1", "2", 1.25)],
    );
    check(&[("1", same, Some(8.0)), ("2", same, Some(8.0))], &[]);
    check(&[("1", same, Some(10.0)), ("2", same, Some(8.0))], &[]);
    // The worst first, without the improvements in between.
    let several = [
        ("1", same as fn(&mut Provenance), Some(8.0)),
        ("2", same, Some(10.0)),
        ("3", same, Some(4.0)),
        ("4", same, Some(8.0)),
    ];
    check(&several, &[("3", "4", 2.0), ("1", "2", 1.25)]);
    // The newer version is the last opened one, whatever its name.
    let again = [
        ("2", same as fn(&mut Provenance), Some(8.0)),
        ("1", same, Some(10.0)),
    ];
    check(&again, &[("2", "1", 1.25)]);
    // A version without a configuration to serve is skipped.
    let wrong = [
        ("1", same as fn(&mut Provenance), Some(8.0)),
        ("2", same, None),
        ("3", same, Some(16.0)),
    ];
    check(&wrong, &[("1", "3", 2.0)]);
    // The best of a version counts, from any study.
    let seeds = [
        ("1", same as fn(&mut Provenance), Some(8.0)),
        ("2", same, Some(20.0)),
        ("2", same, Some(7.0)),
    ];
    check(&seeds, &[]);
}

#[test]
fn times_that_mean_something_else_are_not_compared() {
    let changes: [fn(&mut Provenance); 6] = [
        measured,
        |made| made.device = "emulated:mi300a".to_owned(),
        |made| made.model = "89abcdef".to_owned(),
        |made| made.mode = "warm".to_owned(),
        |made| made.inputs = 3,
        |made| made.generator = configgen::Generator::IREE,
    ];
    for change in changes {
        check(&[("1", same, Some(8.0)), ("2", change, Some(80.0))], &[]);
        check(&[("1", change, Some(8.0)), ("2", same, Some(80.0))], &[]);
    }
}

/// Checks that a regression is reported only if the samples leave no doubt.
#[test]
fn measured_times_have_intervals() {
    let two = |time_us| {
        [
            ("1", measured as fn(&mut Provenance), Some(8.0)),
            ("2", measured, Some(time_us)),
        ]
    };
    check(&two(16.0), &[("1", "2", 2.0)]);
    check(&two(12.0), &[]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (_directory, store) = new_store().await;
        for (version, time_us) in [("1", 8.0), ("2", 16.0)] {
            let mut key: StudyKey = key_made(measured);
            key.provenance.compiler_version = version.to_owned();
            let study = store.open_study(&key, None).await.unwrap();
            store
                .record_trial(&study, &trial(0, 1, right(time_us)))
                .await
                .unwrap();
        }
        let found = lookup::regressions(&store, range).await.unwrap().rows;
        let told = lookup::regression(&found[0]);
        let close = |one: f64, other: f64| (one - other).abs() < 1e-9;
        assert!(
            close(told.low, 1.2) && close(told.high, 10.0 / 3.0),
            "{} {}",
            told.low,
            told.high
        );
        assert!(told.same_configuration);
        assert_eq!((told.before.time_us, told.after.samples), (8.0, 3));
        // Too few samples prove nothing.
        assert_eq!(
            lookup::regressions(&store, |_| None).await.unwrap().rows,
            []
        );
    });
}
