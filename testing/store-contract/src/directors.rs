//! One replica of a service directs a run, another takes over when it is silent, and all know its
//! progress.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use store::{Priority, Run, RunReport, RunState, Store, StudyId, StudyKey};

use crate::Database;
use crate::samples::key;

/// A time longer than any test.
const HOUR: Duration = Duration::from_hours(1);

/// A time after which every director counts as silent.
const NONE: Duration = Duration::ZERO;

/// Starts this many runs.
async fn started<const N: usize>(store: &dyn Store) -> [StudyId; N] {
    let mut studies = [StudyId(0); N];
    for (seed, id) in (0..).zip(&mut studies) {
        let key = StudyKey { seed, ..key() };
        *id = store.open_study(&key, None).await.unwrap().id;
        store
            .start_run(*id, "an order", Priority::default())
            .await
            .unwrap();
    }
    studies
}

async fn run(store: &dyn Store, study: StudyId) -> Run {
    store.run(study).await.unwrap().unwrap()
}

async fn directs(store: &dyn Store, study: StudyId, director: &str, patience: Duration) -> bool {
    let directed = store.direct_run(study, director, patience).await;
    directed.unwrap()
}

async fn undirected(store: &dyn Store, silence: Duration) -> Vec<StudyId> {
    store.undirected_runs(silence, 9).await.unwrap()
}

fn report(study: StudyId, director: &str, progress: Option<&str>) -> RunReport {
    RunReport {
        study,
        director: director.to_owned(),
        progress: progress.map(str::to_owned),
    }
}

/// Returns the runs with an accepted report, in the order of their studies.
async fn reported(store: &dyn Store, reports: &[RunReport]) -> Vec<StudyId> {
    let mut taken = store.report_runs(reports).await.unwrap();
    taken.sort_unstable();
    taken
}

pub(crate) async fn one_directs_a_run(database: &dyn Database) {
    let (store, second) = (database.open().await, database.open().await);
    let [one, other] = started(&*store).await;
    let new = run(&*store, one).await;
    assert_eq!((new.director, new.silent, new.progress), (None, None, None));
    assert_eq!(undirected(&*store, HOUR).await, [one, other]);
    assert_eq!(store.undirected_runs(HOUR, 1).await.unwrap(), [one]);

    assert!(directs(&*store, one, "a", HOUR).await);
    assert!(!directs(&*second, one, "b", HOUR).await);
    assert!(directs(&*store, one, "a", HOUR).await);
    let held = run(&*second, one).await;
    assert_eq!(held.director.as_deref(), Some("a"));
    assert!(held.silent.unwrap() < HOUR);
    assert_eq!((held.state, held.changed), (new.state, new.changed));
    assert_eq!(run(&*second, other).await.director, None);
    let listed = second.runs(None, None, 9).await.unwrap().rows;
    let directors: Vec<_> = listed.iter().map(|run| run.director.as_deref()).collect();
    assert_eq!(directors, [Some("a"), None]);
    assert_eq!(undirected(&*second, HOUR).await, [other]);

    // Only its own director can leave a run.
    second.leave_run(one, "b").await.unwrap();
    assert!(!directs(&*second, one, "b", HOUR).await);
    store.leave_run(one, "a").await.unwrap();
    assert_eq!(run(&*store, one).await.silent, None);
    assert!(directs(&*second, one, "b", HOUR).await);

    // A run that is not running has no director.
    let changed = store.change_run(other, &RunState::ALL, RunState::Paused, None, None);
    assert!(changed.await.unwrap());
    assert!(!directs(&*store, other, "a", NONE).await);
    assert!(!directs(&*store, StudyId(99), "a", NONE).await);
    assert_eq!(undirected(&*store, NONE).await, [one]);
}

pub(crate) async fn a_silent_director_is_replaced(database: &dyn Database) {
    let store = database.open().await;
    let [one] = started(&*store).await;
    let patience = Duration::from_millis(300);
    assert!(directs(&*store, one, "dead", HOUR).await);
    tokio::time::sleep(patience).await;
    assert!(run(&*store, one).await.silent.unwrap() >= patience);
    assert_eq!(undirected(&*store, HOUR).await, []);
    assert_eq!(undirected(&*store, patience).await, [one]);
    assert!(!directs(&*store, one, "a", HOUR).await);

    // The silence counts from the last sign of life.
    for hear in ["report", "direct"] {
        tokio::time::sleep(patience).await;
        let before = Instant::now();
        match hear {
            "report" => {
                let heard = reported(&*store, &[report(one, "dead", None)]).await;
                assert_eq!(heard, [one]);
            }
            _ => assert!(directs(&*store, one, "dead", HOUR).await),
        }
        let silent = run(&*store, one).await.silent.unwrap();
        let most = before.elapsed() + Duration::from_millis(1);
        assert!(silent <= most, "{hear}: {silent:?} in {most:?}");
    }

    tokio::time::sleep(patience).await;
    assert!(directs(&*store, one, "a", patience).await);
    assert_eq!(run(&*store, one).await.director.as_deref(), Some("a"));
    assert!(!directs(&*store, one, "dead", HOUR).await);
}

/// Checks that a suspended director that was replaced changes nothing.
pub(crate) async fn a_replaced_director_changes_nothing(database: &dyn Database) {
    let store = database.open().await;
    let [one] = started(&*store).await;
    assert!(directs(&*store, one, "slept", HOUR).await);
    assert!(directs(&*store, one, "a", NONE).await);
    let end = async |director| {
        let from = [RunState::Running];
        let ended = store.change_run(one, &from, RunState::Done, None, Some(director));
        ended.await.unwrap()
    };
    let wrong = [report(one, "slept", Some("far"))];
    assert_eq!(reported(&*store, &wrong).await, []);
    assert!(!end("slept").await);
    store.leave_run(one, "slept").await.unwrap();
    let held = run(&*store, one).await;
    assert_eq!(held.state, RunState::Running);
    assert_eq!((held.director.as_deref(), held.progress), (Some("a"), None));

    assert!(end("a").await);
    let ended = run(&*store, one).await;
    assert_eq!((ended.state, ended.director), (RunState::Done, None));
    assert_eq!(ended.silent, None);
    let late = [report(one, "a", Some("far"))];
    assert_eq!(reported(&*store, &late).await, []);
    assert!(!end("a").await);
}

pub(crate) async fn progress_stays_until_a_run_begins_again(database: &dyn Database) {
    let store = database.open().await;
    let [one] = started(&*store).await;
    let change = async |to| {
        let changed = store.change_run(one, &RunState::ALL, to, None, None).await;
        assert!(changed.unwrap());
    };
    let progress = async || run(&*store, one).await.progress;
    let far = Some("{\"far\": \"'); DROP TABLE run; -- \u{1F4A5}\"}".to_owned());
    assert!(directs(&*store, one, "a", HOUR).await);
    reported(&*store, &[report(one, "a", far.as_deref())]).await;
    assert_eq!(progress().await, far);
    reported(&*store, &[report(one, "a", None)]).await;
    assert_eq!(progress().await, far);
    assert!(directs(&*store, one, "b", NONE).await);
    assert_eq!(progress().await, far);
    // A run can be paused without directing it.
    change(RunState::Paused).await;
    let paused = run(&*store, one).await;
    assert_eq!((paused.director, paused.silent), (None, None));
    assert_eq!(paused.progress, far);
    change(RunState::Running).await;
    assert!(directs(&*store, one, "c", HOUR).await);
    assert_eq!(progress().await, far);

    store
        .start_run(one, "a larger order", Priority::default())
        .await
        .unwrap();
    let again = run(&*store, one).await;
    assert_eq!(
        (again.director, again.silent, again.progress),
        (None, None, None)
    );
    assert_eq!(reported(&*store, &[report(one, "c", None)]).await, []);
}

pub(crate) async fn several_reports_are_one_question(database: &dyn Database) {
    let store = database.open().await;
    let [one, two, others, paused] = started(&*store).await;
    let mine = "') a \"director\"";
    for study in [one, two, paused] {
        assert!(directs(&*store, study, mine, HOUR).await);
    }
    assert!(directs(&*store, others, "another", HOUR).await);
    let state = RunState::Paused;
    let changed = store.change_run(paused, &RunState::ALL, state, None, None);
    assert!(changed.await.unwrap());
    let all = [StudyId(99), paused, others, two, one];
    let reports = all.map(|study| report(study, mine, Some(&format!("{}", study.0))));
    assert_eq!(reported(&*store, &reports).await, [one, two]);
    for (study, is_told) in [(one, true), (two, true), (others, false), (paused, false)] {
        let progress = run(&*store, study).await.progress;
        assert_eq!(progress, is_told.then(|| study.0.to_string()));
    }
    // Each report with its own progress and its own director.
    let reports = [
        report(others, "another", Some("other words")),
        report(two, mine, None),
        report(one, mine, Some("words")),
    ];
    assert_eq!(reported(&*store, &reports).await, [one, two, others]);
    let kept = two.0.to_string();
    for (study, words) in [(one, "words"), (two, &kept), (others, "other words")] {
        let progress = run(&*store, study).await.progress;
        assert_eq!(progress.as_deref(), Some(words));
    }
    assert_eq!(reported(&*store, &[]).await, []);
}

/// Checks that one of several replicas gets each run: at first, and after its director is silent.
pub(crate) async fn of_all_who_want_a_run_one_gets_it(database: &dyn Database) {
    let mut replicas = Vec::new();
    for n in 0..4 {
        replicas.push((format!("replica {n}"), database.open().await));
    }
    let store = database.open().await;
    let runs: [StudyId; 5] = started(&*store).await;
    let patience = Duration::from_secs(2);
    for round in ["free", "silent"] {
        let wanted = replicas.iter().map(async |(name, replica)| {
            let mut got = Vec::new();
            for study in runs {
                if directs(&**replica, study, &format!("{name}, {round}"), patience).await {
                    got.push(study);
                }
            }
            got
        });
        let mut got = join_all(wanted).await.concat();
        got.sort_unstable();
        assert_eq!(got, runs, "{round}");
        tokio::time::sleep(patience).await;
    }
}
