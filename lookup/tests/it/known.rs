//! Answers from memory equal answers from the database, after any write.

use testing_sqlite as support;

use std::collections::{BTreeMap, BTreeSet};

use configgen::{Generator, Problem, Target};
use lookup::{AnswerIndex, CachedAnswer, LookupRequest, ProblemFilter, Rung, TriedContext, look};
use rand::rngs::StdRng;
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use store::Catalogue as _;
use store::{
    Clock, FailureKind, Finals, Ledger as _, Page, ProblemSelection, Records as _, StudyFilter,
    StudyKey, Ties, Trial, TrialOutcome,
};
use store_sqlite::{FollowedDatabase, Sqlite};
use support::{at, default_trial, key, right, spoil, timing, trial};
use tempfile::TempDir;

const PROBLEMS: [&str; 5] = [
    "argmax:4x[32000]xf32",
    "argmin:[7]xi32",
    "argmax:[8]xf32:i64",
    "argmax:5x[32000]xf32",
    "argmax:5x[24064]xf32",
];
/// A problem that is never written.
const NEW: &str = "argmax:[9]xf32";
/// A problem that is never written, near some tuned ones.
const NEAR: &str = "argmax:4x[28160]xf32";
const TARGETS: [&str; 2] = ["gfx942", "gfx1100"];
const DEVICES: [&str; 2] = ["emulated:mi300x", "hip:0"];

async fn new_store() -> (TempDir, Sqlite) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trials.db");
    let store = Sqlite::open(path.to_str().unwrap()).await.unwrap();
    (directory, store)
}

/// Returns every request with these names, and with one more of each.
fn requests() -> Vec<LookupRequest> {
    let mut requests = Vec::new();
    let problems = PROBLEMS.into_iter().chain([NEW, NEAR]);
    let mut rungs = Rung::ALL.into_iter().cycle();
    for problem in problems.map(|text| text.parse::<Problem>().unwrap()) {
        for target in ["gfx942", "gfx1100", "gfx90a"] {
            for device in [None, Some(DEVICES[0]), Some(DEVICES[1]), Some("hip:9")] {
                for generator in [None, Some(Generator::NATIVE), Some(Generator::IREE)] {
                    for ties in Ties::ALL {
                        requests.push(LookupRequest {
                            device: device.map(str::to_owned),
                            generator,
                            ties,
                            at_least: rungs.next().unwrap(),
                            ..LookupRequest::new(problem.clone(), Target::named(target).unwrap())
                        });
                    }
                }
            }
        }
    }
    requests
}

/// Checks that memory answers as the database does. It must answer if there is a configuration,
/// and if the problem is new.
///
/// Asks every eleventh request, from `first` on. Returns the rungs of the answers.
async fn check(known: &AnswerIndex, store: &Sqlite, first: usize) -> BTreeSet<Rung> {
    let new = [NEW, NEAR].map(|text| text.parse::<Problem>().unwrap());
    let mut rungs = BTreeSet::new();
    for request in requests().into_iter().skip(first % 11).step_by(11) {
        let answer = look(store, &request).await.unwrap();
        let canonical = request.problem.to_string();
        // The spelling of the problem does not matter.
        let remembered = known.answer(&request, &canonical);
        assert_eq!(known.answer(&request, "as few write it"), remembered);
        let remembered = match remembered {
            None => {
                assert!(answer.found().is_none() && !new.contains(&request.problem));
                continue;
            }
            Some(CachedAnswer::Exact(line)) => line.as_str().to_owned(),
            Some(CachedAnswer::Other(other)) => {
                assert!(other.found().is_none());
                answers::line(&other)
            }
        };
        assert_eq!(remembered, answers::line(&answer), "{request:?}");
        rungs.extend(answer.rung());
    }
    rungs
}

/// Checks that the list has each problem with trials, and each of its contexts once.
async fn check_list(known: &AnswerIndex, store: &Sqlite) {
    let studies = store.studies(ProblemSelection::All, None).await.unwrap();
    let mut expected: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for study in &studies.rows {
        let made = &study.provenance;
        let place = format!("{} {} {}", made.target, made.device, made.generator);
        let places = expected.entry(study.problem.to_string()).or_default();
        places.insert(place);
    }
    let mut listed = Vec::new();
    let mut after = None;
    loop {
        let page = known
            .problems(&ProblemFilter::default(), after.as_deref(), 2)
            .unwrap();
        assert_eq!(page.unreadable.is_none(), studies.unreadable.is_none());
        listed.extend(page.rows);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(listed.len(), expected.len());
    for (tried, (problem, expected)) in listed.iter().zip(expected) {
        let place = |it: &TriedContext| format!("{} {} {}", it.target, it.device, it.generator);
        let places: Vec<String> = tried.places.iter().map(place).collect();
        assert_eq!(tried.problem, problem);
        assert_eq!(places, Vec::from_iter(expected), "{problem}");
    }
}

fn one_of<T: Clone>(rng: &mut StdRng, of: &[T]) -> T {
    of[rng.random_range(0..of.len())].clone()
}

fn random_key(rng: &mut StdRng) -> StudyKey {
    let mut key = key();
    key.problem = one_of(rng, &PROBLEMS).parse().unwrap();
    key.seed = rng.random_range(0..2);
    let made = &mut key.provenance;
    made.target = Target::named(one_of(rng, &TARGETS)).unwrap();
    made.device = one_of(rng, &DEVICES).to_owned();
    made.generator = one_of(rng, &Generator::ALL);
    made.clock = one_of(rng, &Clock::ALL);
    made.compiler_version = one_of(rng, &["22.1.0", "22.2.0"]).to_owned();
    key
}

fn random_outcome(rng: &mut StdRng) -> TrialOutcome {
    let time_us = f64::from(rng.random_range(1..40)) / 4.0;
    match rng.random_range(0..4) {
        0 => TrialOutcome::Tie(timing(time_us), "row 0: index 3 for 1".to_owned()),
        1 => TrialOutcome::Wrong("row 0".to_owned()),
        2 => TrialOutcome::Failed(FailureKind::Compile, "no".to_owned()),
        _ => right(time_us),
    }
}

/// Opens a study, records a trial, or records finals.
async fn write(rng: &mut StdRng, store: &Sqlite, ordinal: u32) {
    let key = random_key(rng);
    let study = store.open_study(&key, Some(0.25)).await.unwrap();
    let outcome = random_outcome(rng);
    // Steps that the rules accept.
    let configuration = rng.random_range(1..5) * 256;
    let made = match rng.random_range(0..6) {
        0 => return,
        1 => default_trial(ordinal, configuration, outcome),
        2 => Trial {
            configuration: None,
            ..default_trial(ordinal, configuration, outcome)
        },
        3 => {
            let time_us = f64::from(rng.random_range(1..40)) / 4.0;
            trial(ordinal, configuration, TrialOutcome::Timed(timing(time_us)))
        }
        _ => trial(ordinal, configuration, outcome),
    };
    store.record_trial(&study, &made).await.unwrap();
    if rng.random_ratio(1, 4) {
        let finals = Finals {
            trials: ordinal + 1,
            winner: ordinal,
            ties: one_of(rng, &Ties::ALL),
            speedup: 1.5,
            interval: (1.25, 1.75),
            samples: "{}".to_owned(),
            ended: at(rng.next_u64() % 100),
        };
        store.record_finals(study.id, &finals).await.unwrap();
    }
}

/// Deletes a study; sometimes the last opened one, whose numbers the next study then gets.
async fn delete(rng: &mut StdRng, store: &Sqlite) {
    let all = StudyFilter::default();
    let studies = store
        .list_studies(&all, Page::first(100))
        .await
        .unwrap()
        .rows;
    let Some(newest) = studies.first() else {
        return;
    };
    let study = match rng.random_ratio(1, 2) {
        true => newest,
        false => &studies[rng.random_range(0..studies.len())],
    };
    let deleted = store.delete_study(study.known.id).await.unwrap();
    assert!(deleted.is_some());
}

#[test]
async fn memory_answers_as_the_database_does() {
    let mut rungs = BTreeSet::new();
    for seed in 0..5 {
        let (_directory, store) = new_store().await;
        let known = AnswerIndex::default();
        known.refresh(&store).await.unwrap();
        let rng = &mut StdRng::seed_from_u64(seed);
        for ordinal in 0..24 {
            match rng.random_ratio(1, 3) {
                true => delete(rng, &store).await,
                false => write(rng, &store, ordinal).await,
            }
            known.refresh(&store).await.unwrap();
            if ordinal % 6 == 5 {
                let first = 5 * seed as usize + ordinal as usize / 6;
                rungs.extend(check(&known, &store, first).await);
                check_list(&known, &store).await;
            }
        }
        // A new index has the same answers.
        let late = AnswerIndex::default();
        late.refresh(&store).await.unwrap();
        check(&late, &store, 5 * seed as usize + 4).await;
        check_list(&late, &store).await;
    }
    // Memory does not know whether a sibling's configuration was incorrect here.
    let told = [Rung::Exact, Rung::Neighbour, Rung::Predicted, Rung::Default];
    assert_eq!(Vec::from_iter(rungs), told);
}

#[test]
async fn unreadable_rows_are_left_to_the_database() {
    let (_directory, store) = new_store().await;
    for problem in &PROBLEMS[..2] {
        let mut key = key();
        key.problem = problem.parse().unwrap();
        let study = store.open_study(&key, None).await.unwrap();
        store
            .record_trial(&study, &trial(0, 1, right(8.0)))
            .await
            .unwrap();
    }
    let ask = |known: &AnswerIndex, problem: &str| {
        let request = LookupRequest::new(problem.parse().unwrap(), key().provenance.target);
        known.answer(&request, problem)
    };
    // The number of listed problems, and that of unreadable rows.
    let list = |known: &AnswerIndex| {
        let page = known.problems(&ProblemFilter::default(), None, 9).unwrap();
        (page.rows.len(), page.unreadable.rows)
    };
    // An index that has read nothing answers nothing.
    assert_eq!(
        AnswerIndex::default().problems(&ProblemFilter::default(), None, 9),
        None
    );
    assert_eq!(ask(&AnswerIndex::default(), NEW), None);
    spoil(
        &store,
        "UPDATE trial SET configuration = '{\"a\": 1}' WHERE study_id = 1",
    )
    .await;
    let known = AnswerIndex::default();
    known.refresh(&store).await.unwrap();
    assert_eq!(ask(&known, PROBLEMS[0]), None);
    assert!(matches!(
        ask(&known, PROBLEMS[1]),
        Some(CachedAnswer::Exact(_))
    ));
    assert!(matches!(ask(&known, NEW), Some(CachedAnswer::Other(_))));
    assert_eq!(list(&known), (2, 1));

    spoil(
        &store,
        "UPDATE problem SET text = 'argmax:<b>' WHERE id = 1",
    )
    .await;
    let known = AnswerIndex::default();
    known.refresh(&store).await.unwrap();
    // The problem may be the unreadable one.
    assert_eq!(ask(&known, NEW), None);
    assert_eq!(list(&known), (1, 1));
    assert!(matches!(
        ask(&known, PROBLEMS[1]),
        Some(CachedAnswer::Exact(_))
    ));
}

#[test]
async fn another_database_is_another_memory() {
    let (directory, store) = new_store().await;
    let study = store.open_study(&key(), None).await.unwrap();
    store
        .record_trial(&study, &trial(0, 1, right(8.0)))
        .await
        .unwrap();
    let path = directory.path().join("trials.db");
    let followed = FollowedDatabase::new(store);
    let known = AnswerIndex::default();
    let request = LookupRequest::new(key().problem, key().provenance.target);
    let ask = || known.answer(&request, &request.problem.to_string());
    known.refresh(&followed).await.unwrap();
    assert!(matches!(ask(), Some(CachedAnswer::Exact(_))));

    std::fs::remove_file(&path).unwrap();
    assert!(known.refresh(&followed).await.is_err());
    assert_eq!(ask(), None);

    for ending in ["-wal", "-shm"] {
        std::fs::remove_file(format!("{}{ending}", path.display())).ok();
    }
    let other = Sqlite::open(path.to_str().unwrap()).await.unwrap();
    let mut smaller = key();
    smaller.problem = PROBLEMS[1].parse().unwrap();
    let study = other.open_study(&smaller, None).await.unwrap();
    other
        .record_trial(&study, &trial(0, 1, right(8.0)))
        .await
        .unwrap();
    known.refresh(&followed).await.unwrap();
    assert!(matches!(ask(), Some(CachedAnswer::Other(_))));
    check(&known, &other, 0).await;
}
