//! Tests of the choice of configurations, and of the problems of an export without named
//! problems.

use configgen::{Generator, Problem, native_default};
use kernel_export::{Choice, ExportRequest, Selection, choose, tuned};
use store::{Catalogue as _, StudyKey, Trial, TrialOutcome};
use store_sqlite::Sqlite;
use tempfile::TempDir;
use testing_store_contract::samples::{configuration, key, key_made, record, right, timing, trial};

/// The numbers of legal configurations for the problem of [`key`], and of an illegal one.
const LEGAL: [u32; 2] = [256, 512];
const ILLEGAL: u32 = 2;

struct Bed {
    store: Sqlite,
    _directory: TempDir,
}

impl Bed {
    async fn new() -> Bed {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("trials.db");
        let store = Sqlite::open(path.to_str().unwrap()).await.unwrap();
        Bed {
            store,
            _directory: directory,
        }
    }

    async fn record(&self, key: &StudyKey, trials: &[Trial]) {
        record(&self.store, key, trials).await;
    }

    async fn choose(&self, wanted: &ExportRequest<'_>, problems: &[&str]) -> Selection {
        let selection = choose(Some(&self.store), wanted, parsed(problems)).await;
        selection.unwrap()
    }

    async fn tuned(&self, wanted: &ExportRequest<'_>) -> Vec<String> {
        let tuned = tuned(&self.store, wanted).await.unwrap();
        tuned.rows.iter().map(Problem::to_string).collect()
    }
}

fn parsed(problems: &[&str]) -> Vec<Problem> {
    let problems = problems.iter().map(|problem| problem.parse().unwrap());
    problems.collect()
}

fn wanted() -> ExportRequest<'static> {
    ExportRequest {
        target: key().provenance.target,
        device: None,
        wish: false,
        beside_iree: false,
    }
}

/// Returns the choices in the manifest's terms.
fn told(choices: &[Choice]) -> Vec<String> {
    let choices = choices.iter().map(|choice| format!("{choice:?}"));
    choices.collect()
}

const TUNED: &str = "argmax:4x[32000]xf32:i32";
const UNTUNED: &str = "argmin:3x[100]xi32:i32";

#[tokio::test]
async fn the_best_known_goes_before_the_untuned() {
    let bed = Bed::new().await;
    let trials = [
        trial(1, LEGAL[0], right(8.0)),
        trial(2, LEGAL[1], right(4.0)),
    ];
    bed.record(&key(), &trials).await;
    // A problem counts once, at its first position.
    let selection = bed.choose(&wanted(), &[UNTUNED, TUNED, UNTUNED]).await;
    let found = told(&selection.choices);
    assert_eq!((found.len(), selection.refused.len()), (2, 0));
    let default = native_default(&parsed(&[UNTUNED])[0], wanted().target).unwrap();
    assert!(found[0].contains(&format!("{default:?}")), "{found:?}");
    assert!(found[0].contains("chosen: Default"), "{found:?}");
    let best = configuration(LEGAL[1]);
    assert!(found[1].contains(&format!("{best:?}")), "{found:?}");
    assert!(found[1].contains("time_us: 4.0"), "{found:?}");
    // Without a database all problems are untuned; another device has tuned nothing.
    let without = choose(None, &wanted(), parsed(&[TUNED])).await.unwrap();
    let elsewhere = ExportRequest {
        device: Some("emulated:mi300a"),
        ..wanted()
    };
    let elsewhere = bed.choose(&elsewhere, &[TUNED]).await;
    assert_eq!(told(&without.choices), told(&elsewhere.choices));
    assert!(told(&without.choices)[0].contains("chosen: Default"));
}

/// Checks that IREE's own kernel is better if it is faster and has the same tie-break. The lookup
/// compares them only on request.
#[tokio::test]
async fn the_better_generator_is_known() {
    let tie = |time_us| TrialOutcome::Tie(timing(time_us), "row 0".to_owned());
    for (native, iree, expected) in [
        (Some(right(4.0)), Some(right(3.0)), true),
        (Some(right(4.0)), Some(right(5.0)), false),
        (Some(right(4.0)), Some(tie(3.0)), false),
        (Some(right(4.0)), None, false),
        (None, Some(tie(3.0)), true),
        (None, None, false),
    ] {
        let bed = Bed::new().await;
        let of_iree = key_made(|made| made.generator = Generator::IREE);
        for (key, outcome) in [(key(), native), (of_iree, iree)] {
            if let Some(outcome) = outcome {
                bed.record(&key, &[trial(1, LEGAL[0], outcome)]).await;
            }
        }
        for beside_iree in [false, true] {
            let wanted = ExportRequest {
                beside_iree,
                ..wanted()
            };
            let found = told(&bed.choose(&wanted, &[TUNED]).await.choices);
            let is_behind = found[0].contains("is_behind_iree: true");
            assert_eq!(is_behind, expected && beside_iree, "{found:?}");
        }
    }
}

#[tokio::test]
async fn illegal_configurations_are_refused() {
    let bed = Bed::new().await;
    bed.record(&key(), &[trial(1, ILLEGAL, right(4.0))]).await;
    let selection = bed.choose(&wanted(), &[TUNED, UNTUNED]).await;
    assert_eq!(selection.choices.len(), 1);
    let [refused] = &selection.refused[..] else {
        panic!("{selection:?}")
    };
    assert_eq!(
        (refused.problem.clone(), refused.rejection.rule),
        (key().problem, "N7")
    );
    assert!(
        refused
            .to_string()
            .starts_with("argmax:4x[32000]xf32:i32: rule N7: ")
    );
    let given = |n| Choice::from_configuration(key().problem, wanted().target, configuration(n));
    assert_eq!(*given(ILLEGAL).unwrap_err(), *refused);
    assert!(told(&[given(LEGAL[0]).unwrap()])[0].contains("chosen: Given"));
}

#[tokio::test]
async fn tuned_problems_are_listed_once() {
    let bed = Bed::new().await;
    assert!(bed.tuned(&wanted()).await.is_empty());
    let other = key_made(|made| made.device = "emulated:mi300a".to_owned());
    let iree = StudyKey {
        problem: UNTUNED.parse().unwrap(),
        ..key_made(|made| made.generator = Generator::IREE)
    };
    for key in [&key(), &other, &iree] {
        bed.record(key, &[trial(1, LEGAL[0], right(8.0))]).await;
    }
    assert_eq!(bed.tuned(&wanted()).await, [TUNED]);
    let on = |device| ExportRequest {
        device: Some(device),
        ..wanted()
    };
    assert_eq!(bed.tuned(&on("emulated:mi300a")).await, [TUNED]);
    assert!(bed.tuned(&on("emulated:mi300")).await.is_empty());
    let target = "gfx1100".parse().unwrap();
    assert!(
        bed.tuned(&ExportRequest { target, ..wanted() })
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn wishes_are_noted_on_request() {
    let bed = Bed::new().await;
    bed.record(&key(), &[trial(1, LEGAL[0], right(8.0))]).await;
    let wishes = async || {
        bed.store.flush_wishes().await.unwrap();
        let wishes = bed.store.wishes().await.unwrap().rows;
        let named = wishes
            .iter()
            .map(|it| (it.wish.problem.to_string(), it.wish.generator));
        named.collect::<Vec<_>>()
    };
    let noted = bed.choose(&wanted(), &[TUNED, UNTUNED]).await.noted;
    assert_eq!((noted, wishes().await), (0, vec![]));
    let wishing = ExportRequest {
        wish: true,
        ..wanted()
    };
    let noted = bed.choose(&wishing, &[TUNED, UNTUNED]).await.noted;
    let wished = (UNTUNED.to_owned(), Some(Generator::NATIVE));
    assert_eq!((noted, wishes().await), (1, vec![wished]));
    bed.store.close().await;
}
