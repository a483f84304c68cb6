//! Invalid databases: one clear line without a password, and no change.

use sqlx::{Connection, Row};
use store::{Catalogue as _, Ledger as _, ProblemSelection, StoreError};
use store_postgres::Postgres;
use testing_store_contract::samples::{key, right, trial};
use tokio::task::JoinSet;

use crate::store::raw;

async fn execute(url: &str, sql: &'static str) {
    let mut connection = raw(url).await;
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

#[track_caller]
fn check_error<T>(result: Result<T, StoreError>, part: &str) {
    let Err(error) = result else {
        panic!("expected: {part}")
    };
    let message = error.to_string();
    assert!(message.contains(part), "{message}");
    assert!(!message.contains('\n'), "{message}");
    assert!(!message.contains("secret"), "{message}");
}

/// Checks that both ways of opening report the same.
async fn check_refused(url: &str, part: &str) {
    check_error(Postgres::open(url).await, part);
    check_error(Postgres::open_existing(url).await, part);
}

/// Returns the URL with another user and database.
fn other(url: &str, user: &str, database: &str) -> String {
    let (_, host) = url.split_once("?").unwrap();
    format!("postgres://{user}@localhost/{database}?{host}")
}

fn database_of(url: &str) -> &str {
    let (rest, _) = url.split_once('?').unwrap();
    rest.rsplit('/').next().unwrap()
}

pub(crate) async fn a_database_of_another_program(url: &str) {
    let exam = "CREATE TABLE problem (name text); COMMENT ON TABLE problem IS 'of an exam'";
    execute(url, exam).await;
    check_refused(url, "belongs to another program").await;
    let mut connection = raw(url).await;
    let tables = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace";
    let tables = sqlx::query(tables).fetch_one(&mut connection).await;
    assert_eq!(tables.unwrap().get::<i64, _>(0), 1);
}

pub(crate) async fn a_database_of_a_newer_wavetune(url: &str) {
    Postgres::open(url).await.unwrap().close().await;
    let newer =
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        VALUES (9999, 'of the future', TRUE, '\\x00', 0)";
    execute(url, newer).await;
    let part = "has schema 9999, and this wavetune supports schemas up to ";
    check_refused(url, part).await;
}

pub(crate) async fn a_migration_that_was_edited(url: &str) {
    Postgres::open(url).await.unwrap().close().await;
    execute(url, "UPDATE _sqlx_migrations SET checksum = '\\x00'").await;
    check_refused(url, "cannot be migrated to the current schema").await;
}

pub(crate) async fn an_empty_database_is_made_ours(url: &str) {
    check_error(
        Postgres::open_existing(url).await,
        "is empty; `wavetune tune PROBLEM`",
    );
    // Tables of an administrator's extension belong to no program.
    execute(url, "CREATE EXTENSION pg_stat_statements").await;
    Postgres::open(url).await.unwrap().check().await.unwrap();
    let reader = Postgres::open_existing(url).await.unwrap();
    assert_eq!(
        reader
            .studies(ProblemSelection::All, None)
            .await
            .unwrap()
            .rows,
        []
    );
}

/// Checks that several processes may start on the same new database.
pub(crate) async fn many_create_one_database(url: &str) {
    let mut openers = JoinSet::new();
    for n in 0..8 {
        let url = url.to_owned();
        openers.spawn(async move {
            let store = Postgres::open(&url).await?;
            let study = store.open_study(&key(), None).await?;
            let made = trial(n, n + 1, right(1.0));
            store.record_trial(&study, &made).await
        });
    }
    while let Some(opened) = openers.join_next().await {
        opened.unwrap().unwrap();
    }
    let store = Postgres::open(url).await.unwrap();
    assert_eq!(store.open_study(&key(), None).await.unwrap().recorded, 8);
}

pub(crate) async fn users_and_databases_that_are_not_there(url: &str) {
    let part = "does not exist on its server; create it with `createdb";
    check_refused(&other(url, "wavetune:secret", "none"), part).await;
    let part = "its server refuses this user: role \"nobody\" does not exist";
    let database = database_of(url);
    check_refused(&other(url, "nobody:secret", database), part).await;
    let absent = "postgres://ann:secret@localhost/tuning?host=/nowhere";
    check_refused(absent, "its server does not answer: ").await;
    let closed = "postgres://ann:secret@127.0.0.1:1/tuning";
    let part = "database postgres://ann@127.0.0.1:1/tuning: its server does not answer: ";
    check_refused(closed, part).await;
    let nonsense = "postgres://ann:secret@h:port/tuning";
    let part = "a URL is postgres://USER@HOST:PORT/DATABASE";
    check_refused(nonsense, part).await;
    let store = Postgres::open(&other(url, "wavetune:secret", database)).await;
    let name = store.unwrap().name();
    assert!(
        name.contains(database) && !name.contains("secret"),
        "{name}"
    );
}

/// Checks a user who may only read.
pub(crate) async fn writes_without_permission(url: &str) {
    let store = Postgres::open(url).await.unwrap();
    let study = store.open_study(&key(), None).await.unwrap();
    let made = trial(0, 1, right(8.5));
    store.record_trial(&study, &made).await.unwrap();
    let database = database_of(url);
    let role = format!(
        "CREATE ROLE reader_{database} LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader_{database};
        GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO reader_{database}"
    );
    let mut connection = raw(url).await;
    let role = sqlx::raw_sql(sqlx::AssertSqlSafe(role));
    role.execute(&mut connection).await.unwrap();
    let url = other(url, &format!("reader_{database}"), database);
    for reader in [
        Postgres::open(&url).await.unwrap(),
        Postgres::open_existing(&url).await.unwrap(),
    ] {
        let trials = reader.trials_of(&study).await.unwrap();
        assert_eq!(trials, std::slice::from_ref(&made));
        let changes = reader.changes(None).await.unwrap();
        assert_eq!(changes.problems.rows.len(), 1);
        let recorded = reader.record_trial(&study, &made).await;
        check_error(recorded, "cannot be written; check the permissions");
    }
}

/// Checks that an unreadable row, of a newer wavetune or damaged, costs none of the others.
pub(crate) async fn rows_that_cannot_be_read(url: &str) {
    let store = Postgres::open(url).await.unwrap();
    let study = store.open_study(&key(), None).await.unwrap();
    for n in 0..3 {
        let made = trial(n, n + 1, right(8.0));
        store.record_trial(&study, &made).await.unwrap();
    }
    execute(
        url,
        "UPDATE trial SET configuration = '{}' WHERE ordinal = 1",
    )
    .await;
    let fastest = store.fastest(&[study.id], store::Status::Right, 9).await;
    let fastest = fastest.unwrap();
    assert_eq!((fastest.trials.len(), fastest.unreadable.rows), (2, 1));
    // A study does not resume without the row, because its trial would be tried again.
    check_error(store.trials_of(&study).await, ", configuration: ");
}
