//! Ranges of a tuning spec: the plan for shapes between tuned ones, its samples, and the written
//! entries.

use testing_sqlite as support;

use configgen::{Generator, Target};
use iree_export::tuning_spec::{
    ExportError, PendingSample, Ranges, SpecSelection, iree_spec, ranges,
};
use store::{Ledger as _, Status, Ties, Trial, TrialOutcome};
use store_sqlite::Sqlite;
use support::{default_trial, key_made, right, trial};

const MI300X: &str = "emulated:mi300x";

async fn new_store() -> (tempfile::TempDir, Sqlite) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trials.db");
    let store = Sqlite::open(path.to_str().unwrap()).await.unwrap();
    (directory, store)
}

/// Records trials of IREE's kernels with this version of iree-compile.
async fn tune(store: &Sqlite, problem: &str, version: &str, trials: &[Trial]) {
    let mut key = key_made(|made| {
        made.generator = Generator::IREE;
        made.compiler = "iree-compile".to_owned();
        made.compiler_version = version.to_owned();
    });
    key.problem = problem.parse().unwrap();
    let study = store.open_study(&key, Some(5.0)).await.unwrap();
    for trial in trials {
        store.record_trial(&study, trial).await.unwrap();
    }
}

fn wanted() -> SpecSelection<'static> {
    SpecSelection {
        target: Target::named("gfx942").unwrap(),
        problems: &[],
        device: Some(MI300X),
        compiler_version: None,
        taking: None,
        ties: Ties::default(),
        stand_ins: &[],
        ranges: None,
    }
}

/// Returns a database with two problems, one of them fast with two configurations. The second
/// number of a trial is its columns in a step.
async fn two_problems() -> (tempfile::TempDir, Sqlite) {
    let (directory, store) = new_store().await;
    let trials = [
        default_trial(0, 256, right(10.0)),
        trial(1, 1024, right(5.0)),
        trial(2, 512, right(8.0)),
    ];
    tune(&store, "argmax:4x[4096]xf32", "3.13.0", &trials).await;
    let trials = [trial(0, 2048, right(9.0))];
    tune(&store, "argmax:6x[8192]xf32", "3.13.0", &trials).await;
    (directory, store)
}

/// Tries all samples with these verdicts, and returns them in order.
fn tried(ranges: &mut Ranges, verdict: impl Fn(&PendingSample) -> Status) -> Vec<String> {
    let mut tried = Vec::new();
    while let Some(next) = ranges.next() {
        assert!(ranges.open() > 0);
        assert_eq!(next.device, MI300X);
        let step = next.configuration.lowering.partial_reduction[1];
        tried.push(format!("{} by {step}", next.problem));
        ranges.tell(&next, verdict(&next));
    }
    assert_eq!(ranges.open(), 0);
    tried
}

/// Returns the comments of a spec's range entries.
async fn written(store: &Sqlite, ranges: &Ranges) -> String {
    let wanted = SpecSelection {
        ranges: Some(ranges),
        ..wanted()
    };
    let exported = iree_spec(store, &wanted).await.unwrap().spec.unwrap();
    let comments = exported.text.lines().filter(|line| line.contains(": as "));
    let comments: Vec<&str> = comments.map(str::trim_start).collect();
    assert_eq!(comments.len(), exported.ranges);
    let matchers = exported.text.lines().filter(|line| line.contains("to"));
    let matchers = matchers.filter(|line| line.contains("-> @apply")).count();
    assert_eq!(matchers, exported.ranges);
    comments.join("\n")
}

#[tokio::test]
async fn configurations_right_on_all_samples_are_written() {
    let (_directory, store) = two_problems().await;
    let mut ranges = ranges(&store, &wanted()).await.unwrap();
    assert_eq!(written(&store, &ranges).await, "");
    let tried = tried(&mut ranges, |next| match next.problem.shape.sizes() {
        [6, 8192] => Status::Tie,
        _ => Status::Right,
    });
    // The first sample is known to be correct.
    expect_test::expect![[r#"
        argmax:4x[6144]xf32:i32 by 1024
        argmax:4x[8192]xf32:i32 by 1024
        argmax:5x[5120]xf32:i32 by 1024
        argmax:5x[6144]xf32:i32 by 1024
        argmax:6x[4096]xf32:i32 by 1024
        argmax:6x[8192]xf32:i32 by 1024
        argmax:4x[4608]xf32:i32 by 512
        argmax:4x[6144]xf32:i32 by 512
        argmax:4x[8192]xf32:i32 by 512
        argmax:5x[5120]xf32:i32 by 512
        argmax:6x[4096]xf32:i32 by 512
        argmax:6x[8192]xf32:i32 by 512"#]]
    .assert_eq(&tried.join("\n"));
    expect_test::expect![[r#"
        // argmax:4..6x[4096..8192 by 1024]xf32:i32: as argmax:4x[4096]xf32:i32: 5.00 us modelled on emulated:mi300x, 10.00 us by default (2.00x), trial 1 of study 1; right: 4x4096, 4x6144, 4x8192, 5x5120, 5x6144, 6x4096; with another tie-break: 6x8192
        // argmax:4..6x[4096..8192 by 512]xf32:i32: as argmax:4x[4096]xf32:i32: 8.00 us modelled on emulated:mi300x, 10.00 us by default (1.25x), trial 2 of study 1; right: 4x4096, 4x4608, 4x6144, 4x8192, 5x5120, 6x4096; with another tie-break: 6x8192"#]].assert_eq(&written(&store, &ranges).await);
    // A selection without ranges gets none.
    let exported = iree_spec(&store, &wanted()).await.unwrap().spec.unwrap();
    assert_eq!(exported.ranges, 0);
    assert!(!exported.text.contains("dim_bounds"), "{}", exported.text);
}

/// Checks that any bad sample keeps its range out of the spec, and that no other sample of it is
/// tried.
#[tokio::test]
async fn a_sample_that_is_wrong_keeps_its_range_out() {
    let (_directory, store) = two_problems().await;
    // The tuned problem is one more sample, with a known verdict.
    const SAMPLES: u32 = 6;
    let by_1024 = "argmax:4..6x[4096..8192 by 1024]";
    let by_512 = "argmax:4..6x[4096..8192 by 512]";
    let by_2048 = "argmax:4..6x[4096..8192 by 2048]";
    for status in [Status::Wrong, Status::Failed] {
        for failing in 0..SAMPLES {
            let mut ranges = ranges(&store, &wanted()).await.unwrap();
            let seen = std::cell::Cell::new(0);
            let tried = tried(&mut ranges, |next| {
                let is_of_first = next.configuration.lowering.partial_reduction[1] == 1024;
                let number = seen.replace(seen.get() + u32::from(is_of_first));
                match is_of_first && number == failing {
                    true => status,
                    false => Status::Right,
                }
            });
            let of_first = tried
                .iter()
                .filter(|text| text.ends_with("by 1024"))
                .count();
            assert_eq!(of_first as u32, failing + 1, "{tried:?}");
            let text = written(&store, &ranges).await;
            assert!(!text.contains(by_1024), "{text}");
            assert!(text.contains(by_2048) && text.contains(by_512), "{text}");
        }
    }
}

#[tokio::test]
async fn samples_that_were_tried_are_known() {
    let (_directory, store) = two_problems().await;
    let all = tried(&mut ranges(&store, &wanted()).await.unwrap(), |_| {
        Status::Right
    });
    let wrong = || TrialOutcome::Wrong("row 0: index 1 for 0".to_owned());
    let sample = "argmax:6x[4096]xf32";
    tune(&store, sample, "3.13.0", &[trial(0, 1024, wrong())]).await;
    // A trial on another device does not count.
    let mut elsewhere = key_made(|made| {
        made.generator = Generator::IREE;
        made.device = "emulated:mi300a".to_owned();
    });
    elsewhere.problem = "argmax:4x[8192]xf32".parse().unwrap();
    let study = store.open_study(&elsewhere, None).await.unwrap();
    let trial = trial(0, 512, wrong());
    store.record_trial(&study, &trial).await.unwrap();

    let mut ranges = ranges(&store, &wanted()).await.unwrap();
    let fewer = tried(&mut ranges, |_| Status::Right);
    let expected = all.into_iter().filter(|text| !text.ends_with("by 1024"));
    let expected: Vec<String> = expected.collect();
    assert!(!expected.is_empty());
    // The shapes that the first range would have covered are tried with the next.
    let (instead, others): (Vec<String>, Vec<String>) = fewer
        .into_iter()
        .partition(|text| text.ends_with("by 2048"));
    assert_eq!(others, expected);
    assert!(!instead.is_empty());
    let text = written(&store, &ranges).await;
    assert!(!text.contains("argmax:4..6x[4096..8192 by 1024]"), "{text}");
    assert!(text.contains("argmax:4..6x[4096..8192 by 512]"), "{text}");
}

/// Checks that iree-compile's default stays if it is as good: for the tuned problems, and for all
/// shapes between.
#[tokio::test]
async fn no_range_is_worse_than_the_default() {
    let (_directory, store) = new_store().await;
    let slow = [
        default_trial(0, 256, right(4.0)),
        trial(1, 1024, right(5.0)),
    ];
    tune(&store, "argmax:4x[4096]xf32", "3.13.0", &slow).await;
    tune(&store, "argmax:8x[4096]xf32", "3.13.0", &slow).await;
    let planned = ranges(&store, &wanted()).await.unwrap();
    assert_eq!(planned.next(), None);
    let fast = [
        default_trial(0, 256, right(9.0)),
        trial(1, 1024, right(5.0)),
    ];
    tune(&store, "argmax:2x[4096]xf32", "3.13.0", &fast).await;
    let planned = ranges(&store, &wanted()).await.unwrap();
    let next = planned.next().unwrap();
    assert_eq!(next.problem.to_string(), "argmax:3x[4096]xf32:i32");
    // The default of another version is unknown, so no entry would precede the range.
    let mut left_out = slow;
    left_out[0].configuration = None;
    tune(&store, "argmin:4x[4096]xf32", "3.14.0", &left_out).await;
    tune(&store, "argmin:2x[4096]xf32", "3.14.0", &fast).await;
    let wanted = SpecSelection {
        compiler_version: Some("3.14.0"),
        ..wanted()
    };
    assert_eq!(iree_spec(&store, &wanted).await.unwrap().left_out, 1);
    assert_eq!(ranges(&store, &wanted).await.unwrap().next(), None);
}

#[tokio::test]
async fn another_compiler_is_refused_unless_it_is_asked_for() {
    let (_directory, store) = new_store().await;
    for problem in ["argmax:4x[4096]xf32", "argmax:8x[4096]xf32"] {
        tune(&store, problem, "3.14.0", &[trial(0, 1024, right(5.0))]).await;
    }
    let wanted = |compiler_version, taking| SpecSelection {
        compiler_version,
        taking,
        ..wanted()
    };
    for (asked, taking, is_refused) in [
        (None, None, true),
        (None, Some("3.13.0rc20261016"), true),
        (None, Some("3.14.0"), false),
        (Some("3.14.0"), None, false),
        (Some("3.14.0"), Some("3.13.0"), false),
    ] {
        let wanted = wanted(asked, taking);
        let spec = iree_spec(&store, &wanted).await;
        let planned = ranges(&store, &wanted).await;
        if is_refused {
            let expected = format!(
                "the known configurations were tuned with iree-compile 3.14.0, and the export is for {}",
                taking.unwrap_or("3.13.0")
            );
            for error in [spec.unwrap_err(), planned.unwrap_err()] {
                assert!(matches!(error, ExportError::AnotherCompiler { .. }));
                assert_eq!(error.to_string(), expected);
            }
            continue;
        }
        let text = spec.unwrap().spec.unwrap().text;
        assert!(text.contains("// Made with iree-compile 3.14.0;"), "{text}");
        assert!(planned.unwrap().next().is_some());
    }
}
