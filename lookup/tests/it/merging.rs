//! Two databases that import each other answer the same, and an interrupted merge can be
//! repeated.

use testing_sqlite as support;

use std::path::Path;

use async_trait::async_trait;
use configgen::Generator;
use lookup::{LookupRequest, answer};
use store::{
    Finals, ImportError, ImportSummary, IntoRecords, Ledger as _, MergeError, MergeSummary,
    Portion, PortionImporter, StudyId, StudyKey, Ties, Trial, TrialOutcome, merge,
};
use store_sqlite::Sqlite;
use support::{at, default_trial, key, key_made, right, spoil, trial};
use tempfile::TempDir;

/// A database in a temporary directory.
struct Bed {
    store: Sqlite,
    directory: TempDir,
}

impl Bed {
    async fn new() -> Bed {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("trials.db");
        let store = Sqlite::open(path.to_str().unwrap()).await.unwrap();
        Bed { store, directory }
    }

    /// Records a study with these trials, the last of which wins the finals, if there are any.
    async fn record(&self, key: &StudyKey, trials: &[Trial], finals: Option<u64>) {
        // Clocks have milliseconds, and the names decide between studies opened in the same one.
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        let study = self.store.open_study(key, Some(2.5)).await.unwrap();
        for trial in trials {
            self.store.record_trial(&study, trial).await.unwrap();
        }
        let Some(second) = finals else { return };
        let finals = Finals {
            trials: trials.len() as u32,
            winner: trials.last().unwrap().ordinal,
            ties: Ties::Fold,
            speedup: 2.0,
            interval: (1.5, 2.5),
            samples: "{}".to_owned(),
            ended: at(second),
        };
        self.store.record_finals(study.id, &finals).await.unwrap();
    }

    /// Returns a new database that imports this one and then `others`.
    async fn with(&self, others: &[&Bed]) -> Bed {
        let new = Bed::new().await;
        for bed in [self].iter().chain(others) {
            take_in(&new, bed).await;
        }
        new
    }
}

async fn take_in(into: &Bed, from: &Bed) -> MergeSummary {
    let (records, only_try) = (&into.store, false);
    let mut taker = IntoRecords { records, only_try };
    merge(&from.store, &mut taker, |_| {}).await.unwrap()
}

/// Returns all answers: lookups, all rankings, and regressions.
async fn told(store: &Sqlite) -> Vec<String> {
    let mut told = Vec::new();
    for ties in Ties::ALL {
        let mut rankings = lookup::all_rankings(store, ties, 9).await.unwrap();
        // Each database numbers its studies itself.
        let ranked = rankings.rows.iter_mut().flat_map(|it| &mut it.best);
        ranked.for_each(|it| it.study = StudyId(0));
        told.extend(rankings.rows.iter().map(|ranking| format!("{ranking:?}")));
        for problem in ["argmax:4x[32000]xf32", "argmin:[64]xf32", "argmax:[9]xf32"] {
            for generator in [None, Some(Generator::NATIVE), Some(Generator::IREE)] {
                let target = key().provenance.target;
                let mut request = LookupRequest::new(problem.parse().unwrap(), target);
                (request.ties, request.generator) = (ties, generator);
                let answer = answer(store, &request).await.unwrap();
                told.push(answers::line(&answer));
            }
        }
    }
    let range = |samples: &[f64]| Some((samples[0], samples[0]));
    let slower = lookup::regressions(store, range).await.unwrap();
    told.extend(slower.rows.iter().map(|one| format!("{one:?}")));
    told
}

fn at_second(second: u64, made: Trial) -> Trial {
    let (started, ended) = (at(second), at(second + 1));
    Trial {
        started,
        ended,
        ..made
    }
}

fn of(seed: u64, version: &str, generator: Generator) -> StudyKey {
    let made = key_made(|made| {
        made.compiler_version = version.to_owned();
        made.generator = generator;
    });
    StudyKey { seed, ..made }
}

/// Returns the databases of two machines.
///
/// Both have begun one study, and continued it differently. Each has studies that tried
/// configurations of the other again. One used a newer compiler before the other used the older
/// one again.
async fn machines() -> [Bed; 2] {
    let [one, other] = [Bed::new().await, Bed::new().await];
    let (native, iree) = (Generator::NATIVE, Generator::IREE);
    let wrong = TrialOutcome::Wrong("row 0".to_owned());
    let start = [default_trial(0, 1, right(9.0)), trial(1, 2, right(6.0))];
    let mine = [&start[..], &[trial(2, 3, right(5.0))]].concat();
    let theirs = [
        default_trial(0, 1, right(9.0)),
        at_second(7, trial(1, 4, right(3.0))),
        at_second(8, trial(3, 5, right(4.0))),
    ];
    one.record(&of(0, "22", native), &mine, Some(50)).await;
    other.record(&of(0, "22", native), &theirs, Some(40)).await;
    // The same configuration: first correct and fast here, later incorrect there.
    let fast = [at_second(20, trial(0, 7, right(1.0)))];
    one.record(&of(1, "22", native), &fast, None).await;
    let late = [at_second(30, trial(0, 7, wrong.clone()))];
    other.record(&of(2, "22", native), &late, None).await;
    // And the reverse.
    let early = [at_second(10, trial(0, 8, wrong))];
    other.record(&of(3, "22", native), &early, None).await;
    let again = [at_second(60, trial(0, 8, right(2.0)))];
    one.record(&of(4, "22", native), &again, None).await;
    // The newer compiler was used here, and later the older one there.
    one.record(&of(0, "23", iree), &[trial(0, 1, right(8.0))], None)
        .await;
    other
        .record(&of(0, "21", iree), &[trial(0, 1, right(4.0))], None)
        .await;
    let small = StudyKey {
        problem: "argmin:[64]xf32".parse().unwrap(),
        ..of(0, "22", native)
    };
    other.record(&small, &start, None).await;
    [one, other]
}

#[test]
async fn merges_commute() {
    let [one, other] = machines().await;
    let alone = [told(&one.store).await, told(&other.store).await];
    let third = one.with(&[&other]).await;
    let known = told(&third.store).await;
    assert!(known != alone[0] && known != alone[1]);
    assert_eq!(told(&other.with(&[&one]).await.store).await, known);

    // Each imports the other, one after the other.
    let merged = take_in(&one, &other).await;
    assert!(merged.left_out.is_empty() && merged.unreadable.is_none());
    assert_eq!(told(&one.store).await, known);
    take_in(&other, &one).await;
    assert_eq!(told(&other.store).await, known);
    // There is nothing left to import.
    for (into, from) in [(&one, &other), (&other, &one), (&one, &third)] {
        let merged = take_in(into, from).await;
        let changes = [
            merged.new_studies,
            merged.added,
            merged.replaced,
            merged.finals,
        ];
        assert_eq!(changes, [0; 4]);
        assert_eq!(told(&into.store).await, known);
    }
}

/// An importer that takes this many portions and then fails.
struct Dies<'a> {
    into: IntoRecords<'a>,
    left: usize,
}

#[async_trait]
impl PortionImporter for Dies<'_> {
    async fn take_in(&mut self, portion: Portion) -> Result<ImportSummary, ImportError> {
        let left = self.left.checked_sub(1);
        self.left = left.ok_or_else(|| ImportError::All("killed".into()))?;
        self.into.take_in(portion).await
    }
}

#[test]
async fn a_merge_that_was_interrupted_is_done_again() {
    let [one, other] = machines().await;
    let known = told(&one.with(&[&other]).await.store).await;
    let mut interrupted = 0;
    for left in 0.. {
        let into = one.with(&[]).await;
        let (records, only_try) = (&into.store, false);
        let taker = IntoRecords { records, only_try };
        let mut dies = Dies { into: taker, left };
        match merge(&other.store, &mut dies, |_| {}).await {
            Ok(_) => break,
            Err(MergeError::Write(error)) => assert_eq!(error.to_string(), "killed"),
            Err(error) => panic!("{error}"),
        }
        interrupted += 1;
        take_in(&into, &other).await;
        assert_eq!(told(&into.store).await, known, "after {left} portions");
    }
    // Five studies, and the finals of one that continued differently.
    assert_eq!(interrupted, 5);
}

#[test]
async fn unreadable_rows_are_reported_and_the_rest_merged() {
    let [one, other] = machines().await;
    let sql = "UPDATE trial SET status = 'newer' WHERE ordinal = 3;
        UPDATE provenance SET generator = 'newer' WHERE compiler_version = '21'";
    spoil(&other.store, sql).await;
    let merged = take_in(&one, &other).await;
    assert_eq!((merged.unreadable.rows, merged.studies), (2, 4));
    assert_eq!((merged.new_studies, merged.added), (3, 4));
}

/// Returns the reasons of the left out studies.
fn reasons(merged: &MergeSummary) -> Vec<&str> {
    let reasons = merged.left_out.iter().map(|it| it.reason.as_str());
    reasons.collect()
}

#[test]
async fn running_studies_are_not_merged() {
    let [one, other] = machines().await;
    let study = of(2, "22", Generator::NATIVE);
    let study = other.store.open_study(&study, None).await.unwrap();
    other.store.stay(&study, "ann").await.unwrap();
    let merged = take_in(&one, &other).await;
    assert_eq!(reasons(&merged), ["is being worked on by ann"]);
    assert_eq!((merged.studies, merged.new_studies), (5, 3));
    other.store.leave(None, "ann").await.unwrap();
    assert_eq!(take_in(&one, &other).await.new_studies, 1);

    let study = of(0, "22", Generator::NATIVE);
    let study = one.store.open_study(&study, None).await.unwrap();
    one.store.stay(&study, "bob").await.unwrap();
    let merged = take_in(&one, &other).await;
    let reason = format!(
        "study {} is being worked on by bob; end that first, or wait until it is done",
        study.id.0
    );
    assert_eq!(reasons(&merged), [reason]);
}

/// Checks that a copy is deleted on close, and that its database stays.
#[test]
async fn a_copy_goes_away_and_its_database_stays() {
    let [one, _] = machines().await;
    let path = one.directory.path().join("trials.db");
    one.store.close().await;
    let before = std::fs::read(&path).unwrap();
    let copy = Sqlite::open_copy(path.to_str().unwrap()).await.unwrap();
    let at = copy.path().to_owned();
    assert!(at.exists() && at != path);
    copy.close().await;
    drop(copy);
    assert!(!at.exists());
    for ending in ["-wal", "-shm"] {
        let beside = format!("{}{ending}", at.display());
        assert!(!Path::new(&beside).exists());
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
}
