//! Databases of every earlier schema: they keep all trials through all migrations, and their
//! answers stay the same bytes.
//!
//! `schemas/N.sql` has rows as a wavetune of schema N wrote them; `schemas/N.answers` has the
//! answers of the wavetune of schema 7. Do not bless these anew: a change of them changes the
//! answers that people got.

use std::fmt::Write as _;
use std::path::Path;

use configgen::{Problem, Target};
use lookup::Ranking;
use lookup::{LookupRequest, answer};
use sqlx::migrate::Migrate;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use store::{Catalogue as _, IntoRecords, RunState, Runs as _, Ties, merge};
use store_sqlite::Sqlite;

/// Creates a database of schema `version` at `path`, with its rows.
async fn fill(path: &Path, version: i64) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(path);
    let mut connection = options.create_if_missing(true).connect().await.unwrap();
    let table = "_sqlx_migrations";
    connection.ensure_migrations_table(table).await.unwrap();
    for migration in migrations::SQLITE.iter().filter(|m| m.version <= version) {
        connection.apply(table, migration).await.unwrap();
    }
    let rows = format!(
        "{}/tests/it/schemas/{version}.sql",
        env!("CARGO_MANIFEST_DIR")
    );
    let rows = std::fs::read_to_string(rows).unwrap();
    let rows = sqlx::raw_sql(AssertSqlSafe(rows));
    rows.execute(&mut connection).await.unwrap();
    connection
}

/// Returns all answers: every ranking with three entries, and some lookups.
async fn told(store: &Sqlite) -> String {
    let mut told = String::new();
    for ties in Ties::ALL {
        writeln!(told, "== ties {ties}").unwrap();
        let rankings = lookup::all_rankings(store, ties, 3).await.unwrap();
        assert!(rankings.unreadable.is_none(), "{}", rankings.unreadable);
        for ranking in &rankings.rows {
            tell(&mut told, ranking);
        }
        for problem in [
            "argmax:4x[1000]xf32",
            "argmin:2x[64]x3xbf16",
            "argmax:[77]xf32",
        ] {
            let problem: Problem = problem.parse().unwrap();
            for target in ["gfx942", "gfx1030"] {
                let mut request =
                    LookupRequest::new(problem.clone(), Target::named(target).unwrap());
                request.ties = ties;
                let answer = answer(store, &request).await.unwrap();
                writeln!(told, "{}", answers::line(&answer)).unwrap();
            }
        }
    }
    told
}

fn tell(told: &mut String, ranking: &Ranking) {
    let (problem, made) = (&ranking.problem, &ranking.provenance);
    let (target, device) = (made.target, &made.device);
    let (generator, clock) = (made.generator, made.clock);
    let bound = ranking.bound_us;
    writeln!(
        told,
        "{problem} {target} {device} {generator} {clock}, bound {bound:?}"
    )
    .unwrap();
    if let Some(default) = &ranking.default {
        let (ordinal, outcome) = (default.ordinal, &default.outcome);
        writeln!(told, "  default {ordinal}: {outcome:?}").unwrap();
    }
    for ranked in &ranking.best {
        let configuration = answers::line(&ranked.configuration);
        let (ordinal, status) = (ranked.trial.ordinal, ranked.trial.outcome.status());
        let time_us = ranked.timing.time_us;
        writeln!(told, "  {ordinal}: {status:?} {time_us} {configuration}").unwrap();
    }
}

/// The query of all columns of all trials, as JSON, without their numbers.
const TRIALS: &str = "SELECT json_group_array(json_array(study_id, ordinal, role, configuration, configuration_hash,
        status, failure, message, time_us, samples_us, input_seed, compile_ms, started_ms, ended_ms))
    FROM (SELECT * FROM trial ORDER BY study_id, ordinal)";

/// Checks that a new database that imports an old one answers as it does, and that the old one
/// does not change.
async fn check_merged(path: &Path) {
    let before = std::fs::read(path).unwrap();
    let copy = Sqlite::open_copy(path.to_str().unwrap()).await.unwrap();
    let new = path.with_file_name("new.db");
    let new = Sqlite::open(new.to_str().unwrap()).await.unwrap();
    let (records, only_try) = (&new, false);
    let mut taker = IntoRecords { records, only_try };
    let merged = merge(&copy, &mut taker, |_| {}).await.unwrap();
    assert!(merged.left_out.is_empty() && merged.added > 0);
    assert_eq!(merged.added, merged.trials);
    // A merge imports no wishes, and answers contain none.
    assert_eq!(told(&new).await, told(&copy).await);
    copy.close().await;
    new.close().await;
    assert_eq!(std::fs::read(path).unwrap(), before);
}

#[test]
async fn every_schema_has_the_same_answers() {
    let versions = migrations::SQLITE.iter().map(|m| m.version);
    // The newest schema has no earlier database.
    for version in 1..versions.max().unwrap() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("old.db");
        let mut old = fill(&path, version).await;
        let trials: String = sqlx::query_scalar(TRIALS)
            .fetch_one(&mut old)
            .await
            .unwrap();
        assert!(trials.len() > 10_000);
        old.close().await.unwrap();
        check_merged(&path).await;
        let store = Sqlite::open(path.to_str().unwrap()).await.unwrap();
        let wishes = store.wishes().await.unwrap().rows;
        let wish = &wishes[0];
        assert_eq!(
            (wish.wish.problem.to_string().as_str(), wish.count),
            ("argmax:[77]xf32:i32", 5)
        );
        let golden = format!(
            "{}/tests/it/schemas/{version}.answers",
            env!("CARGO_MANIFEST_DIR")
        );
        expect_test::expect_file![golden].assert_eq(&told(&store).await);
        let runs = store.runs(None, None, 10).await.unwrap();
        assert!(runs.unreadable.is_none(), "{}", runs.unreadable);
        let states: Vec<RunState> = runs.rows.iter().map(|run| run.state).collect();
        let known: &[RunState] = match version {
            ..12 => &[],
            12.. => &[RunState::Done, RunState::Failed],
        };
        assert_eq!(states, known, "schema {version}");
        let urgent: Vec<bool> = runs.rows.iter().map(|run| run.priority.is_urgent).collect();
        let expected: &[bool] = match version {
            ..12 => &[],
            12 | 13 => &[false, false],
            14.. => &[false, true],
        };
        assert_eq!(urgent, expected, "schema {version}");
        store.close().await;
        let mut new = SqliteConnectOptions::new()
            .filename(&path)
            .connect()
            .await
            .unwrap();
        let kept: String = sqlx::query_scalar(TRIALS)
            .fetch_one(&mut new)
            .await
            .unwrap();
        assert_eq!(kept, trials, "schema {version}");
    }
}
