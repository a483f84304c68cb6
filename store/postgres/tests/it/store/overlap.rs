//! Overlapping transactions: a number that was assigned first may be committed last.

use std::time::Duration;

use sqlx::{Connection, PgConnection};
use store::{Catalogue as _, Ledger as _, LedgerPosition, Records as _, Study, StudyKey};
use store_postgres::Postgres;
use testing_store_contract::samples::{key, right, trial};
use tokio::time::timeout;

use crate::store::raw;

/// A time long enough for a call that does not wait.
const MOMENT: Duration = Duration::from_millis(500);

/// A time long enough for any machine. A call that waits for a lock fails before.
const LONG: Duration = Duration::from_secs(60);

/// Begins to record a trial of a study, without a commit.
async fn begin(connection: &mut PgConnection, study: &Study, ordinal: i64) {
    sqlx::raw_sql("BEGIN")
        .execute(&mut *connection)
        .await
        .unwrap();
    let insert = sqlx::query(
        "INSERT INTO trial (id, study_id, ordinal, role, configuration, configuration_hash, status, message, input_seed,
            started_at, ended_at)
        SELECT next_number($1), study_id, $2, role, configuration, configuration_hash, 'wrong', 'late', 0, started_at,
            ended_at
        FROM trial WHERE study_id = $1 AND ordinal = 0",
    );
    let insert = insert.bind(study.id.0).bind(ordinal);
    let inserted = insert.execute(connection).await.unwrap();
    assert_eq!(inserted.rows_affected(), 1);
}

async fn commit(connection: &mut PgConnection) {
    sqlx::raw_sql("COMMIT").execute(connection).await.unwrap();
}

/// Returns a study with trial 0.
async fn study(store: &Postgres, seed: u64) -> Study {
    let key = StudyKey { seed, ..key() };
    let study = store.open_study(&key, None).await.unwrap();
    let first = trial(0, 1, right(8.0));
    store.record_trial(&study, &first).await.unwrap();
    study
}

pub(crate) async fn a_trial_that_is_committed_late_is_not_missed(url: &str) {
    let store = Postgres::open(url).await.unwrap();
    let study = study(&store, 1).await;
    let (_, seen) = store
        .trials_since(study.id, LedgerPosition::default())
        .await
        .unwrap();
    let mut late = raw(url).await;
    begin(&mut late, &study, 7).await;
    // Takes a larger number, and commits first.
    let early = trial(8, 2, right(8.0));
    store.record_trial(&study, &early).await.unwrap();

    let mut reading = Box::pin(store.trials_since(study.id, seen));
    let waits = timeout(MOMENT, &mut reading).await;
    assert!(waits.is_err(), "{waits:?}");
    commit(&mut late).await;
    let (new, seen) = reading.await.unwrap();
    let ordinals: Vec<u32> = new.iter().map(|trial| trial.ordinal).collect();
    assert_eq!(ordinals, [7, 8]);
    let (none, _) = store.trials_since(study.id, seen).await.unwrap();
    assert_eq!(none, []);

    // Nobody waits for an aborted transaction.
    begin(&mut late, &study, 9).await;
    late.close().await.unwrap();
    let (none, _) = store.trials_since(study.id, seen).await.unwrap();
    assert_eq!(none, []);
}

pub(crate) async fn a_change_that_is_committed_late_is_not_missed(url: &str) {
    let store = Postgres::open(url).await.unwrap();
    let mut other = key();
    other.problem = "argmin:[7]xi32:i32".parse().unwrap();
    let of_late = study(&store, 1).await;
    let of_early = store.open_study(&other, None).await.unwrap();
    let mark = store.changes(None).await.unwrap().mark;
    let mut late = raw(url).await;
    begin(&mut late, &of_late, 7).await;
    let early = trial(8, 2, right(8.0));
    store.record_trial(&of_early, &early).await.unwrap();

    let mut reading = Box::pin(store.changes(Some(mark)));
    assert!(timeout(MOMENT, &mut reading).await.is_err());
    commit(&mut late).await;
    let changes = reading.await.unwrap();
    assert_eq!((changes.problems.rows.len(), changes.is_all), (2, false));
    let none = store.changes(Some(changes.mark)).await.unwrap();
    assert_eq!((none.problems.rows.len(), none.mark), (0, changes.mark));
}

pub(crate) async fn a_reader_waits_for_its_own_study(url: &str) {
    let store = Postgres::open(url).await.unwrap();
    let (first, second) = (study(&store, 1).await, study(&store, 2).await);
    let mut late = raw(url).await;
    begin(&mut late, &first, 7).await;
    let others = store.trials_since(second.id, LedgerPosition::default());
    let (new, _) = timeout(LONG, others).await.expect("it ends").unwrap();
    assert_eq!(new.len(), 1);
    // A transaction that never ends causes an error, and the call can be repeated.
    let error = store
        .trials_since(first.id, LedgerPosition::default())
        .await;
    let error = error.unwrap_err();
    assert!(error.fault.passes(), "{error}");
    commit(&mut late).await;
}

pub(crate) async fn writers_do_not_wait_for_each_other(url: &str) {
    let store = Postgres::open(url).await.unwrap();
    let study = study(&store, 1).await;
    let mut late = raw(url).await;
    begin(&mut late, &study, 7).await;
    for ordinal in 8..12 {
        let made = trial(ordinal, 2, right(8.0));
        let recorded = store.record_trial(&study, &made);
        timeout(LONG, recorded).await.expect("it ends").unwrap();
    }
    commit(&mut late).await;
}

pub(crate) async fn a_deletion_covers_concurrent_records(url: &str) {
    let store = Postgres::open(url).await.unwrap();
    let study = study(&store, 1).await;
    let mut late = raw(url).await;
    begin(&mut late, &study, 7).await;
    let mut deleting = Box::pin(store.delete_study(study.id));
    let waits = timeout(MOMENT, &mut deleting).await;
    assert!(waits.is_err(), "{waits:?}");
    commit(&mut late).await;
    let deleted = deleting.await.unwrap();
    assert_eq!(deleted.map(|deleted| deleted.trials), Some(2));
    // A later writer gets an error, and nothing of it stays.
    let made = trial(8, 2, right(8.0));
    store.record_trial(&study, &made).await.unwrap_err();
    assert!(store.find_study(study.id).await.unwrap().rows.is_empty());
}

/// Checks callers that go away at any moment of a transaction's beginning.
pub(crate) async fn a_cancelled_call_leaves_no_transaction(url: &str) {
    let store = Postgres::open(url).await.unwrap();
    let study = study(&store, 1).await;
    for turn in 0..300 {
        let mut opening = Box::pin(store.open_study(&study.key, None));
        timeout(Duration::from_micros(turn * 10), &mut opening)
            .await
            .ok();
    }
    let open = "SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()";
    let mut connection = raw(url).await;
    for _ in 0..100 {
        let count: i64 = sqlx::query_scalar(open)
            .fetch_one(&mut connection)
            .await
            .unwrap();
        if count == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("a transaction stays open");
}
