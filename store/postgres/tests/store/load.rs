//! Databases with very many trials.

use std::time::{Duration, Instant};

use store::{Catalogue as _, Coverage, Ledger as _, Status, StudyId, Which};
use store_contract::samples::key;
use store_postgres::Postgres;

use crate::raw;

/// Adds failed trials to study 1, the first of them with this ordinal.
async fn fill(url: &str, first: i64, trials: i64) {
    let mut connection = raw(url).await;
    let insert = "INSERT INTO trial (id, study_id, ordinal, role, configuration, configuration_hash, status, failure,
            message, input_seed, started_at, ended_at)
        SELECT next_number(1), 1, n, 'candidate', '{}', lpad(n::text, 64, '0'), 'failed', 'compile', 'it does not', 0,
            now(), now()
        FROM generate_series($1::bigint, $1 + $2 - 1) n";
    let insert = sqlx::query(insert).bind(first).bind(trials);
    insert.execute(&mut connection).await.unwrap();
    sqlx::raw_sql("ANALYZE")
        .execute(&mut connection)
        .await
        .unwrap();
}

/// The least of some times that a miss takes: every query of one.
async fn miss(store: &Postgres) -> Duration {
    let key = key();
    let mut times = Vec::new();
    for _ in 0..9 {
        let begin = Instant::now();
        let target = Some(key.provenance.target);
        let these = Which::These(std::slice::from_ref(&key.problem));
        let studies = store.studies(these, target).await.unwrap();
        let of: Vec<StudyId> = studies.rows.iter().map(|study| study.id).collect();
        let mut known = 0;
        for status in Status::ALL {
            known += store.fastest(&of, status, 1).await.unwrap().trials.len();
        }
        known += store.defaults(&of).await.unwrap().rows.len();
        known += store.finals(&of).await.unwrap().rows.len();
        let coverage = store.coverage(&key.problem).await.unwrap();
        store.check().await.unwrap();
        times.push(begin.elapsed());
        assert!(of.len() == 1 && known == 0 && coverage.rows.len() == 1);
    }
    times.into_iter().min().unwrap()
}

pub(crate) async fn a_miss_takes_as_long_for_many_trials(url: &str) {
    let store = Postgres::open(url).await.unwrap();
    store.open_study(&key(), None).await.unwrap();
    fill(url, 0, 2000).await;
    let few = miss(&store).await;
    fill(url, 2000, 100_000).await;
    let many = miss(&store).await;
    assert!(
        many < 10 * few,
        "{few:?} with 2,000 trials, {many:?} with 102,000"
    );
    let coverage = store.coverage(&key().problem).await.unwrap();
    assert_eq!(coverage.rows[0].trials, Coverage::COUNTED);
}
