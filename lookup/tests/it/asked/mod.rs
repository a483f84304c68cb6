//! Questions to a database, and the sources of answers.

use configgen::{Generator, Target, check as check_legal};
use lookup::{FallbackAnswer, LookupAnswer, LookupRequest, Rung, answer};
use store::{Ledger as _, Trial};
use store_sqlite::Sqlite;
use tempfile::TempDir;

use testing_sqlite::key;

pub(crate) async fn new_store() -> (TempDir, Sqlite) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trials.db");
    let store = Sqlite::open(path.to_str().unwrap()).await.unwrap();
    (directory, store)
}

/// Tunes a problem on a device, with configurations that take this many elements in a step.
pub(crate) async fn tune(
    store: &Sqlite,
    problem: &str,
    device: &str,
    generator: Generator,
    trials: &[Trial],
) {
    let mut key = key();
    key.problem = problem.parse().unwrap();
    key.provenance.device = device.to_owned();
    key.provenance.generator = generator;
    let study = store.open_study(&key, Some(5.0)).await.unwrap();
    for trial in trials {
        store.record_trial(&study, trial).await.unwrap();
    }
}

/// Checks that a printed answer is read back as the same answer.
#[track_caller]
pub(crate) fn check_read_back(line: &str) {
    let read: LookupAnswer = serde_json::from_str(line).unwrap();
    assert_eq!(answers::line(&read), line);
}

pub(crate) const MI300X: &str = "emulated:mi300x";
pub(crate) fn request(problem: &str) -> LookupRequest {
    LookupRequest {
        at_least: Rung::Default,
        ..LookupRequest::new(problem.parse().unwrap(), Target::named("gfx942").unwrap())
    }
}

pub(crate) fn instead(answer: &LookupAnswer) -> &FallbackAnswer {
    match answer {
        LookupAnswer::Sibling(instead)
        | LookupAnswer::Neighbour(instead)
        | LookupAnswer::Default(instead) => instead,
        _ => panic!("{answer:?}"),
    }
}

/// Returns the rung of an answer, with the problem and device of its source.
pub(crate) async fn source(store: &Sqlite, request: &LookupRequest) -> String {
    let answer = answer(store, request).await.unwrap();
    let rung = answer.rung().map_or("none", Rung::name);
    if let LookupAnswer::Exact(found) = &answer {
        return format!("{rung} {}", found.provenance.device);
    }
    if answer.rung().is_none() {
        return rung.to_owned();
    }
    let instead = instead(&answer);
    let target = instead.target;
    check_legal(
        &instead.problem,
        target,
        instead.generator,
        &instead.configuration,
    )
    .unwrap();
    let Some(tuned) = &instead.tuned else {
        return rung.to_owned();
    };
    let tuned: serde_json::Value = serde_json::from_str(tuned.as_str()).unwrap();
    let [problem, device] = [&tuned["problem"], &tuned["provenance"]["device"]];
    format!(
        "{rung} {} {}",
        problem.as_str().unwrap(),
        device.as_str().unwrap()
    )
}
