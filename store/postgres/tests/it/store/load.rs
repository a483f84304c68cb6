//! Databases with very many trials.

use std::time::{Duration, Instant};

use store::{
    Catalogue as _, Coverage, Cursor, Ledger as _, Page, ProblemSelection, Records as _, Status,
    StudyId, TrialFilter, TrialSort,
};
use store_postgres::Postgres;
use testing_store_contract::samples::key;

use crate::store::raw;

/// Adds failed trials to study 1, from this ordinal on.
async fn fill(url: &str, first: i64, trials: i64) {
    let mut connection = raw(url).await;
    let insert = "INSERT INTO trial (id, study_id, ordinal, role, configuration, configuration_hash, status, failure,
            message, input_seed, started_at, ended_at)
        SELECT next_number(1), 1, n, 'candidate', '{}', lpad(n::text, 64, '0'), 'failed', 'compile', 'it does not', 0,
            now(), now()
        FROM generate_series($1::bigint, $1 + $2 - 1) n";
    let insert = sqlx::query(insert).bind(first).bind(trials);
    insert.execute(&mut connection).await.unwrap();
    // The server would do this by itself at some time, so it is done before the timing.
    sqlx::raw_sql("VACUUM (ANALYZE)")
        .execute(&mut connection)
        .await
        .unwrap();
}

/// Returns the least of several times of a miss, with all its queries.
async fn miss(store: &Postgres) -> Duration {
    let key = key();
    let mut times = Vec::new();
    for _ in 0..9 {
        let begin = Instant::now();
        let target = Some(key.provenance.target);
        let these = ProblemSelection::These(std::slice::from_ref(&key.problem));
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

/// Gives every trial a time, which many share, and analyses the table.
async fn time_all(url: &str) {
    let mut connection = raw(url).await;
    let time = "UPDATE trial SET status = 'right', failure = NULL, message = NULL, time_us = 1 + ordinal % 977,
            samples_us = format('[%s]', 1 + ordinal % 977), compile_ms = ordinal % 31, configuration = NULL, configuration_hash = NULL,
            role = 'default'
        WHERE time_us IS NULL;
        ANALYZE";
    let timed = sqlx::raw_sql(time).execute(&mut connection).await;
    timed.unwrap();
}

/// Returns the least of several times of pages in each order, at the beginning and in the middle.
async fn pages(store: &Postgres, id: StudyId) -> Duration {
    let all = TrialFilter::default();
    let mut times = Vec::new();
    for _ in 0..7 {
        let begin = Instant::now();
        for (sort, middle) in [
            (TrialSort::Ordinal, Cursor::Ordinal(900)),
            (TrialSort::Time, Cursor::Time(500.0, 900)),
            (TrialSort::Compiled, Cursor::Compiled(15.0, 900)),
        ] {
            for after in [None, Some(middle)] {
                let page = Page { after, limit: 50 };
                let listed = store.list_trials(id, &all, sort, page).await.unwrap();
                assert!(listed.rows.len() == 50 && listed.next.is_some());
            }
        }
        times.push(begin.elapsed());
    }
    times.into_iter().min().unwrap()
}

pub(crate) async fn a_page_takes_as_long_for_many_trials(url: &str) {
    let store = Postgres::open(url).await.unwrap();
    let id = store.open_study(&key(), None).await.unwrap().id;
    fill(url, 0, 2000).await;
    time_all(url).await;
    let few = pages(&store, id).await;
    fill(url, 2000, 100_000).await;
    time_all(url).await;
    let many = pages(&store, id).await;
    assert!(
        many < 10 * few,
        "{few:?} with 2,000 trials, {many:?} with 102,000"
    );
}
