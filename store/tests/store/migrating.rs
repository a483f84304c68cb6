//! Databases of older schemas: what is in them stays.

use sqlx::migrate::Migrate;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use store::{FailureKind, Outcome, Store, StudyKey, Ties, Timing, Wish};

use crate::location;
use crate::support::{default_trial, key, right, spoil, timing, trial};

const TABLE: &str = "_sqlx_migrations";

/// The trials of a database of the newest schema, written into one of schema 1, come through all migrations.
#[tokio::test]
async fn trials_of_the_first_schema_stay() {
    let directory = tempfile::tempdir().unwrap();
    let path = location(&directory);
    let options = SqliteConnectOptions::new().filename(&path);
    let mut connection = options.create_if_missing(true).connect().await.unwrap();
    connection.ensure_migrations_table(TABLE).await.unwrap();
    let first = migrations::SQLITE.iter().next().unwrap();
    connection.apply(TABLE, first).await.unwrap();

    let elsewhere = tempfile::tempdir().unwrap();
    let newest = location(&elsewhere);
    let store = Store::open(&newest).await.unwrap();
    let study = store.open_study(&key(), Some(3.5)).await.unwrap();
    let failed = Outcome::Failed(FailureKind::Fault, "it faulted".to_owned());
    // What was measured before the protocol was kept.
    let right = |time_us| {
        Outcome::Right(Timing {
            protocol: None,
            ..timing(time_us)
        })
    };
    let trials = [
        default_trial(0, 1, right(9.0)),
        trial(1, 2, right(7.5)),
        trial(3, 4, failed),
    ];
    for trial in &trials {
        store.record_trial(&study, trial).await.unwrap();
    }
    store.close().await;
    let attach = sqlx::query("ATTACH ?1 AS newest").bind(newest);
    attach.execute(&mut connection).await.unwrap();
    // The columns of schema 1.
    let copy = "INSERT INTO study SELECT * FROM newest.study;
        INSERT INTO trial SELECT id, study_id, ordinal, role, configuration, configuration_hash, status, failure,
            message, time_us, samples_us, input_seed, compile_ms, started_ms, ended_ms FROM newest.trial;
        INSERT INTO wish VALUES ('argmax:[3]xf32:i32', 'gfx942', 5, 1000, 2000);";
    sqlx::raw_sql(copy).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();

    let store = Store::open(&path).await.unwrap();
    let study = store.open_study(&key(), None).await.unwrap();
    assert_eq!(study.bound_us, Some(3.5));
    assert_eq!(store.trials_of(&study).await.unwrap(), trials);
    let exhausted = Outcome::Failed(FailureKind::Memory, "no room".to_owned());
    let new = trial(2, 3, exhausted);
    store.record_trial(&study, &new).await.unwrap();
    assert_eq!(store.trials_of(&study).await.unwrap()[2], new);
    // Nobody noted then which device or generator was meant.
    let wishes = store.wishes().await.unwrap().rows;
    let wish = Wish {
        problem: "argmax:[3]xf32".parse().unwrap(),
        target: key().target,
        device: None,
        generator: None,
    };
    assert!(
        wishes.len() == 1 && wishes[0].wish == wish && wishes[0].count == 5,
        "{wishes:?}"
    );
    store.check().await.unwrap();
}

/// Finals that were held before an index on ties could be wanted took the fastest of all: they decide where any will do, and
/// with the fold's where what is right won.
#[tokio::test]
async fn finals_of_the_fourth_schema_stay() {
    let key = StudyKey {
        generator: configgen::Generator::IREE,
        ..key()
    };
    let tie = |time_us| Outcome::Tie(timing(time_us), "row 0".to_owned());
    for (winner, fold, any) in [(1, 1, 1), (3, 0, 3)] {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&location(&directory)).await.unwrap();
        let study = store.open_study(&key, None).await.unwrap();
        let trials = [
            default_trial(0, 1, right(5.0)),
            trial(1, 2, right(5.1)),
            trial(2, 3, tie(4.0)),
            trial(3, 4, tie(4.1)),
        ];
        for trial in &trials {
            store.record_trial(&study, trial).await.unwrap();
        }
        let fourth = "DROP TABLE final; DROP INDEX trial_by_status; DROP TABLE wish;
            CREATE TABLE wish (
                problem TEXT NOT NULL, target TEXT NOT NULL, count INTEGER NOT NULL CHECK (count > 0),
                first_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL, PRIMARY KEY (problem, target)
            ) STRICT, WITHOUT ROWID;
            DELETE FROM _sqlx_migrations WHERE version > 4;
            CREATE TABLE final (
                study_id INTEGER NOT NULL REFERENCES study (id), trials INTEGER NOT NULL CHECK (trials > 0),
                winner INTEGER NOT NULL, speedup REAL NOT NULL CHECK (speedup > 0), low REAL NOT NULL,
                high REAL NOT NULL, samples TEXT NOT NULL, ended_ms INTEGER NOT NULL, PRIMARY KEY (study_id, trials)
            ) STRICT, WITHOUT ROWID";
        spoil(&store, fourth).await;
        let held = match winner {
            1 => "INSERT INTO final VALUES (1, 4, 1, 1.1, 1.0, 1.2, '{}', 9)",
            _ => "INSERT INTO final VALUES (1, 4, 3, 1.1, 1.0, 1.2, '{}', 9)",
        };
        spoil(&store, held).await;
        store.close().await;

        let store = Store::open(&location(&directory)).await.unwrap();
        for (ties, expected) in [(Ties::Fold, fold), (Ties::Any, any)] {
            let found = store.rankings(&key.problem, Some(key.target), ties, 1);
            let found = found.await.unwrap().rows;
            assert_eq!(found[0].best[0].trial.ordinal, expected, "{winner} {ties}");
        }
    }
}
