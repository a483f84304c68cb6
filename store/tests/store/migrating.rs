//! Databases of older schemas: what is in them stays.

use sqlx::migrate::Migrate;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use store::{FailureKind, Outcome, Store, Timing, Wish};

use crate::location;
use crate::support::{default_trial, key, timing, trial};

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
    let wishes = store.wishes().await.unwrap().wishes;
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
