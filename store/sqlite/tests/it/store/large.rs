//! A database of a hundred thousand studies and two million trials, as people browse it.

use std::path::Path;
use std::time::{Duration, Instant};

use configgen::{ElementType, Generator, Target};
use sqlx::{AssertSqlSafe, Connection};
use store::{
    Cursor, Ledger as _, Page, Records as _, Status, StudyFilter, StudyId, TrialFilter, TrialSort,
};
use store_sqlite::Sqlite;

use crate::store::faults::raw;
use crate::store::support::key;
use crate::store::{location, new_store};

/// The number of studies, of half as many problems.
const STUDIES: u32 = 100_000;

/// The number of trials of each study but the first.
const TRIALS: u32 = 18;

/// The number of trials of the first study.
const MANY: u32 = 200_000;

/// Creates the rows, from one study, problem and provenance.
async fn make(path: &Path) {
    let mut connection = raw(path).await;
    let numbers = |count: u32| {
        format!("WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {count})")
    };
    let provenance = "device || n.n, part_name, part_isa, multiprocessors, clock_mhz, memory_mib, memory_clock_mhz,
        memory_bits, driver, driver_version, runtime_version, kernel_driver_version, model, compiler,
        compiler_version, linker, generator, generator_version, compile_limit_s, clock, mode, protocol, inputs";
    let columns = provenance.replace("device || n.n", "device");
    let trial = "'{\"workgroup\": 1}', printf('%064d', n), iif(n % 4 = 0, 'failed', 'right'),
        iif(n % 4 = 0, 'compile', NULL), iif(n % 4 = 0, 'it does not', NULL), iif(n % 4 = 0, NULL, 1 + n % 977),
        iif(n % 4 = 0, NULL, '[1, 2, 3]'), 0, n % 31, n, n";
    let trials = "INSERT INTO trial (study_id, ordinal, role, configuration, configuration_hash, status, failure,
        message, time_us, samples_us, input_seed, compile_ms, started_ms, ended_ms)";
    for sql in [
        format!(
            "{} INSERT INTO problem (text, operation, comparator, element, rank, rows, reduced)
            SELECT 'argmax:' || n || 'x[16000]xf32:i32', operation, comparator, element, rank, n, reduced FROM n, problem",
            numbers(STUDIES / 2)
        ),
        format!(
            "{} INSERT INTO provenance (target, {columns}) SELECT target, {provenance} FROM n, provenance",
            numbers(200)
        ),
        format!(
            "{} INSERT INTO study (problem_id, provenance_id, strategy, space, ties, seed, opened, created_ms, opened_ms)
            SELECT 2 + n % {}, 2 + n % 200, strategy, space, ties, n, opened + n, n, n FROM n, study",
            numbers(STUDIES),
            STUDIES / 2
        ),
        format!(
            "{} {trials} SELECT s.id, n, 'candidate', {trial} FROM study s, n WHERE s.id > 1",
            numbers(TRIALS)
        ),
        format!("{} {trials} SELECT 1, n, 'candidate', {trial} FROM n", numbers(MANY)),
    ] {
        let made = sqlx::raw_sql(AssertSqlSafe(sql));
        made.execute(&mut connection).await.unwrap();
    }
    connection.close().await.unwrap();
}

/// Checks the least of several times of a page.
async fn check(name: &str, page: impl AsyncFn() -> usize, rows: usize) {
    let mut least = Duration::MAX;
    for _ in 0..5 {
        let begin = Instant::now();
        assert_eq!(page().await, rows, "{name}");
        least = least.min(begin.elapsed());
    }
    println!("{name}: {least:?}");
    // Tests also build SQLite without optimisation.
    let limit = Duration::from_millis(if cfg!(debug_assertions) { 1000 } else { 50 });
    assert!(least < limit, "{name}: {least:?}");
}

#[test]
#[ignore = "full: two million trials are made"]
async fn a_page_of_a_large_database() {
    let (directory, store) = new_store().await;
    store.open_study(&key(), None).await.unwrap();
    make(location(&directory).as_ref()).await;
    let any = StudyFilter::default;
    let studies = async |which: StudyFilter, after: Option<Cursor>| {
        let page = Page { after, limit: 50 };
        store.list_studies(&which, page).await.unwrap().rows.len()
    };
    check("newest studies", async || studies(any(), None).await, 50).await;
    let middle = Some(Cursor::Opened(50_000));
    check(
        "studies in the middle",
        async || studies(any(), middle).await,
        50,
    )
    .await;
    for (name, which, rows) in [
        (
            "a problem",
            StudyFilter {
                problem: Some("argmax:77x[16000]xf32".parse().unwrap()),
                ..any()
            },
            2,
        ),
        (
            "an element",
            StudyFilter {
                element: Some(ElementType::F32),
                ..any()
            },
            50,
        ),
        (
            "an element that none has",
            StudyFilter {
                element: Some(ElementType::F16),
                ..any()
            },
            0,
        ),
        (
            "a target that none has",
            StudyFilter {
                target: Target::named("gfx950"),
                ..any()
            },
            0,
        ),
        (
            "a device",
            StudyFilter {
                device: Some("emulated:mi300x7".to_owned()),
                ..any()
            },
            50,
        ),
        (
            "a generator that none has",
            StudyFilter {
                generator: Some(Generator::IREE),
                ..any()
            },
            0,
        ),
        (
            "a strategy that none has",
            StudyFilter {
                strategy: Some("evolution".to_owned()),
                ..any()
            },
            0,
        ),
    ] {
        check(name, async || studies(which.clone(), None).await, rows).await;
    }
    for (name, id) in [("trials", StudyId(70)), ("trials of many", StudyId(1))] {
        for sort in [TrialSort::Ordinal, TrialSort::Time, TrialSort::Compiled] {
            let page = async || trials(&store, id, None, sort).await;
            let rows = match (id.0, sort) {
                (1, _) => 50,
                (_, TrialSort::Time) => 14,
                _ => 18,
            };
            check(&format!("{name} by {sort:?}"), page, rows).await;
        }
        let page = async || trials(&store, id, Some(Status::Failed), TrialSort::Ordinal).await;
        let rows = if id.0 == 1 { 50 } else { 4 };
        check(&format!("{name} that failed"), page, rows).await;
    }
}

async fn trials(store: &Sqlite, id: StudyId, status: Option<Status>, sort: TrialSort) -> usize {
    let which = TrialFilter {
        status,
        ..TrialFilter::default()
    };
    let page = store
        .list_trials(id, &which, sort, Page::first(50))
        .await
        .unwrap();
    page.rows.len() + page.unreadable.rows as usize
}
