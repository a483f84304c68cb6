//! Rows of another program: for all that the constraints of the schema allow, every reader
//! answers, reports the row as unreadable, or returns an error. None panics.

use std::panic;
use std::sync::Mutex;

use configgen::Generator;
use lookup::{AnswerIndex, LookupRequest};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value as Json;
use server_fleet::{OfferedStudy, Plan, Strategy as Search};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Row as _};
use store::{
    AccessToken, FailureKind, Finals, IntoRecords, Priority, RunState, Study, Submission, Task,
    Ties, TokenScope, Trial, TrialOutcome, Wish, merge,
};
use store_sqlite::Sqlite;
use tempfile::TempDir;

use crate::http::agent::offer;
use crate::http::service::Service;
use crate::http::support::{at, default_trial, key, right, timing, trial};

/// Cases in a run of CI. `full` runs random ones.
const FEW: u32 = 10;

/// A value for a column. The column's type selects the part.
#[derive(Debug, Clone)]
struct Value {
    integer: i64,
    real: f64,
    text: Text,
    is_null: bool,
}

#[derive(Debug, Clone)]
enum Text {
    Plain(String),
    /// Possibly not UTF-8.
    Bytes(Vec<u8>),
    /// The existing text, with one of its JSON numbers changed.
    Changed(usize, f64),
}

/// A row, one of its columns, and the new value. Indices are modulo the counts.
type Change = (usize, usize, Value);

fn integer() -> impl Strategy<Value = i64> {
    prop_oneof![
        any::<i64>(),
        -3..70_i64,
        prop::sample::select(vec![
            i64::MIN,
            i64::MAX,
            i64::from(u32::MAX),
            i64::from(u32::MAX) + 1,
            253_402_300_799_999,
            253_402_300_800_000,
            9_000_000_000_000_000,
        ]),
    ]
}

fn real() -> impl Strategy<Value = f64> {
    prop_oneof![
        proptest::num::f64::ANY,
        0.0..100.0_f64,
        prop::sample::select(vec![
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::MAX,
            f64::MIN_POSITIVE,
            1e-300,
            5e-324,
            1e300,
            0.0,
            -1.0,
        ]),
    ]
}

/// Texts with a meaning somewhere, and similar ones.
const WORDS: [&str; 32] = [
    "",
    "\0",
    "right",
    "tie",
    "wrong",
    "failed",
    "default",
    "candidate",
    "compile",
    "abandoned",
    "measured",
    "modelled",
    "fold",
    "any",
    "running",
    "paused",
    "done",
    "native",
    "iree",
    "gfx90a",
    "evolution",
    "argmax:?x[7]xf32:i32:count=1..9",
    "sum:[4294967295]xf64",
    "argmax:4x[32000]xf32:i32",
    "[]",
    "{}",
    "[1e400]",
    "[1e308,1e308,1e308]",
    "[null]",
    "[5,5]",
    "\u{202E}\u{1b}[31m",
    "read nothing",
];

fn text() -> impl Strategy<Value = Text> {
    prop_oneof![
        3 => prop::sample::select(WORDS.to_vec()).prop_map(|word| Text::Plain(word.to_owned())),
        1 => any::<String>().prop_map(Text::Plain),
        1 => Just(Text::Plain("x".repeat(1 << 20))),
        1 => vec(any::<u8>(), 0..40).prop_map(Text::Bytes),
        4 => (any::<usize>(), real()).prop_map(|(place, number)| Text::Changed(place, number)),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    (integer(), real(), text(), prop::bool::weighted(0.1)).prop_map(
        |(integer, real, text, is_null)| Value {
            integer,
            real,
            text,
            is_null,
        },
    )
}

/// Replaces a number of some JSON, or cuts the text there.
fn changed(text: &str, place: usize, number: f64) -> String {
    fn numbers<'a>(json: &'a mut Json, into: &mut Vec<&'a mut Json>) {
        match json {
            Json::Number(_) => into.push(json),
            Json::Array(all) => all.iter_mut().for_each(|one| numbers(one, into)),
            Json::Object(all) => all.values_mut().for_each(|one| numbers(one, into)),
            _ => {}
        }
    }
    if let Ok(mut json) = serde_json::from_str::<Json>(text) {
        let mut all = Vec::new();
        numbers(&mut json, &mut all);
        if !all.is_empty() {
            let place = place % all.len();
            *all[place] = match number.fract() == 0.0 || place.is_multiple_of(2) {
                true => Json::from(number as i64),
                false => Json::from(number),
            };
            return json.to_string();
        }
    }
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let end = ends.get(place % ends.len().max(1)).copied().unwrap_or(0);
    text[..end].to_owned()
}

/// Fills every table of a database.
pub(crate) async fn fill(service: &Service) {
    let store = &service.store;
    let held = |winner| Finals {
        trials: 5,
        winner,
        ties: Ties::Fold,
        speedup: 2.0,
        interval: (1.5, 2.5),
        samples: r#"{"race":[[0,1.5]]}"#.to_owned(),
        ended: at(50),
    };
    let failed = |kind| TrialOutcome::Failed(kind, "it ended".to_owned());
    let trials = [
        default_trial(0, 1, right(9.0)),
        trial(1, 2, right(4.5)),
        trial(2, 3, TrialOutcome::Tie(timing(3.0), "row 0".to_owned())),
        trial(3, 4, TrialOutcome::Wrong("row 1".to_owned())),
        trial(4, 5, failed(FailureKind::Abandoned)),
    ];
    let mut other = key();
    other.problem = "argmax:5x[32000]xf32".parse().unwrap();
    other.provenance.generator = Generator::IREE;
    let mut studies: Vec<Study> = Vec::new();
    for key in [&key(), &other] {
        let study = store.open_study(key, Some(2.5)).await.unwrap();
        store.record_trials(study.id, &trials).await.unwrap();
        store.record_finals(study.id, &held(1)).await.unwrap();
        studies.push(study);
    }
    let order = OfferedStudy {
        plan: Plan {
            problem: key().problem,
            strategy: Search::Evolution,
            seed: 0,
            budget: 5,
            effort: None,
            ties: Ties::Fold,
        },
        offer: offer("mi300x"),
        is_urgent: false,
        recorded: Some(0),
        served: None,
        submitter: None,
    };
    let order = serde_json::to_string(&order).unwrap();
    let priority = Priority {
        submitter: None,
        is_urgent: true,
    };
    for study in &studies {
        let started = store.start_run(study.id, &order, priority);
        started.await.unwrap();
    }
    let from = [RunState::Running];
    let done = store.change_run(studies[0].id, &from, RunState::Done, Some("held"), None);
    assert!(done.await.unwrap());
    let wish = Wish {
        problem: "argmax:[77]xf32".parse().unwrap(),
        target: key().provenance.target,
        device: None,
        generator: None,
    };
    store.record_wish(&wish).await.unwrap();
    store.flush_wishes().await.unwrap();
    let scopes = [TokenScope::Read].into_iter().collect();
    let token = AccessToken::new([3; 32]).hash();
    let life = std::time::Duration::from_secs(60);
    store
        .create_token(token, "ann", &scopes, life)
        .await
        .unwrap();
    let submission = Submission {
        orders: &[order],
        priority,
        state: RunState::Waiting,
        most_open: None,
        request: Some(("key", "digest")),
    };
    store.submit_runs(submission).await.unwrap();
    store
        .take(&studies[1], "an owner", &[Task::Trial(9)])
        .await
        .unwrap();
}

/// Returns table, column and type of all data of wavetune.
pub(crate) async fn columns(connection: &mut SqliteConnection) -> Vec<(String, String, String)> {
    let rows = sqlx::query(
        "SELECT m.name, c.name, c.type FROM sqlite_master m JOIN pragma_table_xinfo(m.name) c
        WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE '_sqlx%' AND c.hidden = 0
        ORDER BY 1, c.cid",
    );
    let rows = rows.fetch_all(connection).await.unwrap();
    rows.iter()
        .map(|row| (row.get(0), row.get(1), row.get(2)))
        .collect()
}

/// Changes a value, unless a constraint forbids it. Returns true if it did.
async fn change(connection: &mut SqliteConnection, change: &Change) -> bool {
    let (row, column, value) = change;
    let columns = columns(connection).await;
    assert!(columns.len() > 90, "{columns:?}");
    let (table, column, kind) = &columns[column % columns.len()];
    let count: i64 = sqlx::query_scalar(AssertSqlSafe(format!("SELECT count(*) FROM {table}")))
        .fetch_one(&mut *connection)
        .await
        .unwrap();
    if count == 0 {
        return false;
    }
    let before = format!("SELECT CAST({column} AS BLOB) FROM {table} LIMIT 1 OFFSET ?1");
    let place = *row as i64 % count;
    let before: Option<Vec<u8>> = sqlx::query_scalar(AssertSqlSafe(before))
        .bind(place)
        .fetch_one(&mut *connection)
        .await
        .unwrap();
    let before = String::from_utf8_lossy(&before.unwrap_or_default()).into_owned();
    // All columns identify a row of a table without row IDs.
    let all: Vec<String> = (columns.iter())
        .filter(|(its, ..)| its == table)
        .map(|(_, column, _)| column.clone())
        .collect();
    let all = all.join(", ");
    let set = match kind.as_str() {
        "TEXT" if matches!(value.text, Text::Bytes(_)) => "CAST(?1 AS TEXT)",
        _ => "?1",
    };
    let update = format!(
        "UPDATE {table} SET {column} = {set} WHERE ({all}) IN (SELECT {all} FROM {table} LIMIT 1 OFFSET ?2)"
    );
    let update = sqlx::query(AssertSqlSafe(update));
    let update = match (kind.as_str(), &value.text) {
        _ if value.is_null => update.bind(None::<i64>),
        ("INTEGER", _) => update.bind(value.integer),
        ("REAL", _) => update.bind(value.real),
        ("BLOB", Text::Bytes(bytes)) => {
            update.bind(bytes.iter().copied().cycle().take(32).collect::<Vec<u8>>())
        }
        (_, Text::Plain(text)) => update.bind(text.clone()),
        (_, Text::Bytes(bytes)) => update.bind(bytes.clone()),
        (_, Text::Changed(place, number)) => update.bind(changed(&before, *place, *number)),
    };
    let updated = update.bind(place).execute(connection).await;
    updated.is_ok_and(|updated| updated.rows_affected() > 0)
}

/// Addresses that read rows.
const ADDRESSES: [&str; 35] = [
    "/api/v1/agents",
    "/api/v1/best",
    "/api/v1/best?ties=any",
    "/api/v1/configurations?problem=argmax:4x[32000]xf32&target=gfx942",
    "/api/v1/configurations?problem=argmax:4x[32000]xf32&target=gfx942&ties=any&at_least=exact",
    "/api/v1/configurations?problem=argmax:6x[32000]xf32&target=gfx942&at_least=default",
    "/api/v1/configurations?problem=argmax:4x[32000]xf32&target=gfx942&device=hip:0&at_least=default",
    "/api/v1/exports/iree-spec?target=gfx942",
    "/api/v1/exports/iree-splits?target=gfx942",
    "/api/v1/problems",
    "/api/v1/problems?limit=1",
    "/api/v1/rankings?problem=argmax:4x[32000]xf32&target=gfx942",
    "/api/v1/records",
    "/api/v1/records?limit=1",
    "/api/v1/records/1",
    "/api/v1/records/2",
    "/api/v1/regressions",
    "/api/v1/status",
    "/api/v1/studies",
    "/api/v1/studies/1",
    "/api/v1/studies/2",
    "/api/v1/studies/1/columns",
    "/api/v1/studies/1/report",
    "/api/v1/studies/1/trials",
    "/api/v1/studies/1/trials?sort=time",
    "/api/v1/studies/2/trials?sort=compile&limit=2",
    "/api/v1/studies/1/trials/0",
    "/api/v1/studies/1/trials/2",
    "/api/v1/trials",
    "/api/v1/trials?limit=2",
    "/api/v1/tuned",
    "/api/v1/tuned?sort=-speedup",
    "/api/v1/tuned:map",
    "/api/v1/wishes",
    "/readyz",
];

/// The panics of this process since the last check.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn listen_for_panics() {
    panic::set_hook(Box::new(|panic| {
        let mut panics = PANICS
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        eprintln!("{panic}");
        panics.push(panic.to_string());
    }));
}

fn panics() -> Vec<String> {
    std::mem::take(
        &mut *PANICS
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner),
    )
}

/// Checks that every reader reads a database with these changes.
async fn read(changes: &[Change]) {
    let service = Service::start().await;
    fill(&service).await;
    let options = SqliteConnectOptions::new()
        .filename(&service.path)
        .foreign_keys(false);
    let mut connection = options.connect().await.unwrap();
    for one in changes {
        change(&mut connection, one).await;
    }
    // The follower of the database reads all of it again.
    let again = sqlx::query("UPDATE OR IGNORE revision SET number = (number & 65535) + 1");
    again.execute(&mut connection).await.ok();
    connection.close().await.unwrap();
    let mut is_told = false;
    for address in ADDRESSES {
        let (head, body) = service.get(address).await;
        let status = head.split(' ').nth(1).unwrap_or_default();
        let is_fault =
            body.contains("a handler panicked") || body.contains("a bug of this wavetune");
        assert!(!is_fault, "{address}: {head}{body}");
        assert!(!status.is_empty(), "{address}: no answer");
        is_told |= body.contains("\"unreadable\":{\"rows\":");
    }
    let location = service.path.to_str().unwrap();
    let store = Sqlite::open_existing(location).await.unwrap();
    let known = AnswerIndex::default();
    known.refresh(&store).await.ok();
    let request = LookupRequest::new(key().problem, key().provenance.target);
    known.answer(&request, "argmax:4x[32000]xf32");
    lookup::look(&store, &request).await.ok();
    lookup::all_rankings(&store, Ties::Any, 3).await.ok();
    store.info().await.ok();
    let findings = store.verify().await.unwrap();
    assert!(!is_told || !findings.is_empty(), "not found by the check");
    let directory = TempDir::new().unwrap();
    let into = directory.path().join("into.db");
    let into = Sqlite::open(into.to_str().unwrap()).await.unwrap();
    let mut taker = IntoRecords {
        records: &into,
        only_try: false,
    };
    merge(&store, &mut taker, |_| {}).await.ok();
    // Imported rows are readable.
    assert_eq!(into.verify().await.unwrap(), Vec::<String>::new());
    into.close().await;
    store.close().await;
    // The background tasks still run.
    let mut good = key();
    good.problem = "argmax:[9]xf32".parse().unwrap();
    let study = service.store.open_study(&good, None).await;
    if let (Ok(study), true) = (study, findings.is_empty()) {
        let trial: Trial = default_trial(0, 1, right(8.0));
        if service.store.record_trial(&study, &trial).await.is_ok() {
            service.soon("/api/v1/problems", "argmax:[9]xf32").await;
        }
    }
    assert_eq!(panics(), Vec::<String>::new());
}

fn run(cases: u32, rng: TestRng) {
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(2).enable_all().build().unwrap();
    listen_for_panics();
    let config = Config {
        cases,
        max_shrink_iters: 20,
        failure_persistence: None,
        ..Config::default()
    };
    let changes = vec((any::<usize>(), any::<usize>(), value()), 1..4);
    let ended = TestRunner::new_with_rng(config, rng).run(&changes, |changes| {
        runtime.block_on(read(&changes));
        Ok(())
    });
    if let Err(failed) = ended {
        let _ = panic::take_hook();
        panic!("{failed}\n{:#?}", panics());
    }
}

#[test]
fn rows_of_another_hand_are_read_or_reported() {
    run(FEW, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
}

#[test]
#[ignore = "full: 300 databases with rows of another hand"]
fn many_rows_of_another_hand_are_read_or_reported() {
    run(300, TestRng::from_seed(RngAlgorithm::ChaCha, &rand_seed()));
}

/// Returns another seed each time; a failure prints the changes.
fn rand_seed() -> [u8; 32] {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let nanos = now.unwrap_or_default().as_nanos().to_le_bytes();
    std::array::from_fn(|at| nanos[at % nanos.len()])
}
