//! Databases with very many trials, and slow queries.

use std::path::Path;
use std::time::{Duration, Instant};

use expect_test::expect;
use sqlx::{Connection, Row};
use store::{
    Catalogue as _, Coverage, Ledger as _, ProblemSelection, RecordOutcome, Status, StudyId,
    StudyKey,
};
use store_sqlite::Sqlite;
use tokio::task::JoinSet;

use crate::store::faults::raw;
use crate::store::support::{key, right, trial};
use crate::store::{location, new_store};

/// Adds failed trials to study 1, from this ordinal on.
async fn fill(path: &Path, first: u32, trials: u32) {
    let mut connection = raw(path).await;
    let insert = "WITH RECURSIVE n(n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1 + ?2 - 1)
        INSERT INTO trial (study_id, ordinal, role, configuration, configuration_hash, status, failure, message,
            input_seed, started_ms, ended_ms)
        SELECT 1, n, 'candidate', '{}', printf('%064d', n), 'failed', 'compile', 'it does not', 0, n, n FROM n";
    let insert = sqlx::query(insert).bind(first).bind(trials);
    insert.execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

/// Returns the least of several times of a miss, with all its queries.
async fn miss(store: &Sqlite, key: &StudyKey) -> Duration {
    let mut times = Vec::new();
    for _ in 0..9 {
        let begin = Instant::now();
        let target = Some(key.provenance.target);
        let studies = store
            .studies(
                ProblemSelection::These(std::slice::from_ref(&key.problem)),
                target,
            )
            .await
            .unwrap();
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

#[test]
async fn a_miss_takes_as_long_for_many_trials() {
    let (directory, store) = new_store().await;
    let path = location(&directory);
    store.open_study(&key(), None).await.unwrap();
    fill(path.as_ref(), 0, 2000).await;
    let few = miss(&store, &key()).await;
    fill(path.as_ref(), 2000, 100_000).await;
    let many = miss(&store, &key()).await;
    assert!(
        many < 10 * few,
        "{few:?} with 2,000 trials, {many:?} with 102,000"
    );
    let coverage = store.coverage(&key().problem).await.unwrap();
    assert_eq!(coverage.rows[0].trials, Coverage::COUNTED);
}

/// Checks the plan of every query for parts that read too much: whole tables, or all trials of a
/// study.
#[test]
async fn times_that_grow_with_the_database() {
    let (directory, store) = new_store().await;
    store.close().await;
    let mut connection = raw(location(&directory).as_ref()).await;
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.sqlx");
    let mut found = Vec::new();
    for file in std::fs::read_dir(record).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        if json["db_name"] != "SQLite" {
            continue;
        }
        let query = json["query"].as_str().unwrap().to_owned();
        let plan = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {query}"));
        let rows = sqlx::raw_sql(plan)
            .fetch_all(&mut connection)
            .await
            .unwrap();
        let words: Vec<&str> = query.split_whitespace().collect();
        let line = words.join(" ");
        let (begin, end) = (
            &line[..line.len().min(40)],
            &line[line.len().saturating_sub(40)..],
        );
        for row in rows {
            let step: String = row.get("detail");
            let all = step.starts_with("SCAN") && !step.contains("VIRTUAL TABLE");
            if all || step.ends_with("(study_id=?)") {
                found.push(format!("{begin} … {end}: {step}"));
            }
        }
    }
    found.sort();
    expect![[r#"
        DELETE FROM final WHERE study_id = ?1 … DELETE FROM final WHERE study_id = ?1: SEARCH final USING PRIMARY KEY (study_id=?)
        DELETE FROM study WHERE id = ?1 … DELETE FROM study WHERE id = ?1: SEARCH final USING PRIMARY KEY (study_id=?)
        DELETE FROM study WHERE id = ?1 … DELETE FROM study WHERE id = ?1: SEARCH trial USING COVERING INDEX sqlite_autoindex_trial_1 (study_id=?)
        DELETE FROM study WHERE id = ?1 … DELETE FROM study WHERE id = ?1: SEARCH worker USING PRIMARY KEY (study_id=?)
        DELETE FROM trial WHERE study_id = $1 AN … tus = 'failed' AND failure = 'abandoned': SEARCH final USING PRIMARY KEY (study_id=?)
        DELETE FROM trial WHERE study_id = ?1 … DELETE FROM trial WHERE study_id = ?1: SEARCH final USING PRIMARY KEY (study_id=?)
        DELETE FROM trial WHERE study_id = ?1 … DELETE FROM trial WHERE study_id = ?1: SEARCH trial USING COVERING INDEX sqlite_autoindex_trial_1 (study_id=?)
        DELETE FROM wish WHERE (problem, target, … DER BY last_ms DESC LIMIT -1 OFFSET ?1 ): SCAN wish USING COVERING INDEX wish_by_age
        DELETE FROM worker WHERE owner = ?1 AND  … ?1 AND study_id = coalesce(?2, study_id): SCAN worker
        DELETE FROM worker WHERE study_id = ?1 A … 0 * unixepoch('subsec') AS INTEGER) - ?2: SEARCH worker USING PRIMARY KEY (study_id=?)
        DELETE FROM worker WHERE study_id = ?1 … DELETE FROM worker WHERE study_id = ?1: SEARCH worker USING PRIMARY KEY (study_id=?)
        INSERT INTO study ( id, problem_id, prov … M study), ?8, ?9 ) RETURNING id AS "id!": SEARCH final USING PRIMARY KEY (study_id=?)
        INSERT INTO study ( id, problem_id, prov … M study), ?8, ?9 ) RETURNING id AS "id!": SEARCH trial USING COVERING INDEX sqlite_autoindex_trial_1 (study_id=?)
        INSERT INTO study ( id, problem_id, prov … M study), ?8, ?9 ) RETURNING id AS "id!": SEARCH worker USING PRIMARY KEY (study_id=?)
        INSERT INTO study ( id, problem_id, prov … pened_ms RETURNING id AS "id!", bound_us: SEARCH final USING PRIMARY KEY (study_id=?)
        INSERT INTO study ( id, problem_id, prov … pened_ms RETURNING id AS "id!", bound_us: SEARCH trial USING COVERING INDEX sqlite_autoindex_trial_1 (study_id=?)
        INSERT INTO study ( id, problem_id, prov … pened_ms RETURNING id AS "id!", bound_us: SEARCH worker USING PRIMARY KEY (study_id=?)
        SELECT (SELECT count(*) FROM problem) AS … R BY id DESC LIMIT 1) AS "ended_ms: i64": SCAN CONSTANT ROW
        SELECT (SELECT count(*) FROM problem) AS … R BY id DESC LIMIT 1) AS "ended_ms: i64": SCAN final USING COVERING INDEX final_by_end
        SELECT (SELECT count(*) FROM problem) AS … R BY id DESC LIMIT 1) AS "ended_ms: i64": SCAN problem USING COVERING INDEX sqlite_autoindex_problem_1
        SELECT (SELECT count(*) FROM problem) AS … R BY id DESC LIMIT 1) AS "ended_ms: i64": SCAN provenance
        SELECT (SELECT count(*) FROM problem) AS … R BY id DESC LIMIT 1) AS "ended_ms: i64": SCAN study USING COVERING INDEX study_by_provenance
        SELECT (SELECT count(*) FROM problem) AS … R BY id DESC LIMIT 1) AS "ended_ms: i64": SCAN study USING COVERING INDEX study_listed
        SELECT (SELECT count(*) FROM problem) AS … R BY id DESC LIMIT 1) AS "ended_ms: i64": SCAN trial
        SELECT (SELECT count(*) FROM problem) AS … R BY id DESC LIMIT 1) AS "ended_ms: i64": SCAN trial USING COVERING INDEX sqlite_autoindex_trial_1
        SELECT (SELECT count(*) FROM problem) AS … R BY id DESC LIMIT 1) AS "ended_ms: i64": SCAN wish USING COVERING INDEX wish_by_age
        SELECT (SELECT count(*) FROM submitted_m … IN ('done', 'failed') ) AS "full!: bool": SCAN CONSTANT ROW
        SELECT 1 AS "n!: i64" FROM study LIMIT 1 … SELECT 1 AS "n!: i64" FROM study LIMIT 1: SCAN study USING COVERING INDEX study_by_provenance
        SELECT DISTINCT study_id AS "study!: i64 … NCT study_id AS "study!: i64" FROM final: SCAN final
        SELECT coalesce((SELECT max(opened) FROM … r FROM revision), 0) AS "revision!: i64": SCAN CONSTANT ROW
        SELECT coalesce((SELECT max(opened) FROM … r FROM revision), 0) AS "revision!: i64": SCAN revision
        SELECT count(*) AS "n!: i64" FROM run WH … !: i64" FROM run WHERE state = 'running': SCAN run USING COVERING INDEX run_under_way
        SELECT count(*) AS "n!: i64" FROM sqlite … count(*) AS "n!: i64" FROM sqlite_schema: SCAN sqlite_master
        SELECT count(*) AS "n!: i64" FROM trial  … "n!: i64" FROM trial WHERE study_id = $1: SEARCH trial USING COVERING INDEX sqlite_autoindex_trial_1 (study_id=?)
        SELECT count(*) AS "n!: u32" FROM worker … 0 * unixepoch('subsec') AS INTEGER) - ?3: SEARCH worker USING PRIMARY KEY (study_id=?)
        SELECT count(DISTINCT coalesce(submitter … !: i64" FROM run WHERE state = 'running': SCAN run USING INDEX run_under_way
        SELECT f.ended_ms AS "ended_ms!", f.ende … problem_id = ?1 AND s.provenance_id = ?2: SEARCH f USING PRIMARY KEY (study_id=?)
        SELECT f.study_id AS "study_id!", f.tria … alue FROM json_each(?1)) ORDER BY f.held: SEARCH f USING PRIMARY KEY (study_id=?)
        SELECT id AS "id!", time_us AS "time_us! … .study_id = ?1 AND f.winner = t.ordinal): SEARCH f USING PRIMARY KEY (study_id=?)
        SELECT id, name AS "name!: crate::Text", … es_ms, revoked_ms FROM token ORDER BY id: SCAN token
        SELECT owner AS "owner!" FROM worker WHE … 0 * unixepoch('subsec') AS INTEGER) - ?2: SEARCH worker USING PRIMARY KEY (study_id=?)
        SELECT problem AS "problem!: crate::Text … M wish ORDER BY count DESC, last_ms DESC: SCAN wish
        SELECT s.id AS "id!", p.text AS "text!:  …  DESC LIMIT ?10 ) ORDER BY s.opened DESC: SCAN provenance
        SELECT s.id AS "id!", p.text AS "text!:  … nce_id WHERE ?1 IS NULL OR v.target = ?1: SCAN s
        SELECT state AS "state!: crate::Text", c … (*) AS "n!: i64" FROM run GROUP BY state: SCAN run
        SELECT study_id AS "study!", owner AS "o … epoch('subsec') AS INTEGER) - ?1 LIMIT 1: SCAN worker
        SELECT study_id AS "study!: i64" FROM ru … ected, 0), urgent DESC, study_id LIMIT 1: SCAN run USING INDEX run_under_way
        SELECT study_id AS "study!: i64" FROM ru … ected, 0), urgent DESC, study_id LIMIT 1: SCAN run USING INDEX run_under_way
        SELECT study_id AS "study!: i64", ordina … d, ordinal HAVING count(*) > 1 LIMIT 100: SCAN trial
        SELECT study_id AS "study!: i64", winner … y_id AND t.ordinal = f.winner) LIMIT 100: SCAN f
        SELECT study_id AS "study_id!", min(id)  … json_each(?1)) GROUP BY study_id, status: SEARCH trial USING COVERING INDEX trial_by_status (study_id=?)
        SELECT study_id AS "study_id!", owner AS … 0 * unixepoch('subsec') AS INTEGER) - ?2: SEARCH worker USING PRIMARY KEY (study_id=?)
        SELECT study_id AS "study_id!", trials A …  final WHERE study_id = ?1 ORDER BY held: SEARCH final USING PRIMARY KEY (study_id=?)
        SELECT study_id AS "study_id!", trials A … test WHERE latest.study_id = f.study_id): SEARCH f USING PRIMARY KEY (study_id=?)
        SELECT study_id AS "study_id!", trials A … test WHERE latest.study_id = f.study_id): SEARCH latest USING PRIMARY KEY (study_id=?)
        SELECT study_id FROM run WHERE state = ' … ard_ms >= ?1) ORDER BY study_id LIMIT ?2: SCAN run USING INDEX run_under_way
        SELECT t.ended_ms AS "ended_ms!", t.star … rovenance_id = ?2 AND t.role = 'default': SEARCH t USING INDEX trial_default (study_id=?)
        SELECT t.id AS "id!", t.study_id AS "stu …  $1 AND id > $2 AND id <= $3 ORDER BY id: SEARCH t USING INDEX sqlite_autoindex_trial_1 (study_id=?)
        SELECT t.id AS "id!", t.study_id AS "stu … _id IN (SELECT value FROM json_each(?1)): SEARCH t USING INDEX trial_default (study_id=?)
        SELECT t.id AS "id!", t.study_id AS "stu … l t WHERE study_id = $1 ORDER BY ordinal: SEARCH t USING INDEX sqlite_autoindex_trial_1 (study_id=?)
        UPDATE revision SET number = number + 1 … UPDATE revision SET number = number + 1: SCAN revision
        WITH verdict(name) AS (SELECT '' || valu … , v.device, v.generator, v.clock, w.name: SCAN (subquery-2)"#]].assert_eq(&found.join("\n"));
}

/// Creates a database in which the fastest trials of the first study take minutes to find. Each
/// of its 20,000 trials may have a later one in each of 3,000 other studies.
async fn make_slow(store: &Sqlite, path: &Path) -> Vec<StudyId> {
    let study = store.open_study(&key(), None).await.unwrap();
    let mut connection = raw(path).await;
    let studies = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 3000)
        INSERT INTO study (problem_id, provenance_id, strategy, space, ties, seed, opened, created_ms, opened_ms)
        SELECT problem_id, provenance_id, strategy, space, ties, n, opened + n, 0, 0 FROM n, study";
    sqlx::query(studies).execute(&mut connection).await.unwrap();
    let trials = "WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 19999)
        INSERT INTO trial (study_id, ordinal, role, configuration, configuration_hash, status, time_us, samples_us,
            input_seed, started_ms, ended_ms)
        SELECT ?1, n, 'candidate', '{}', printf('%064d', n), 'right', 30000 - n, '[1]', 0, n, n FROM n";
    let trials = sqlx::query(trials).bind(study.id.0);
    trials.execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    let known = store
        .studies(ProblemSelection::All, None)
        .await
        .unwrap()
        .rows;
    assert_eq!(known[0].id, study.id);
    known.into_iter().map(|study| study.id).collect()
}

async fn promptly<T>(what: impl Future<Output = T>) -> T {
    // If all connections are busy, the answer is an error after six seconds.
    let limit = Duration::from_secs(60);
    tokio::time::timeout(limit, what)
        .await
        .expect("it takes long")
}

/// Waits until this many connections are in use.
async fn busy(store: &Sqlite, count: u64) {
    loop {
        let connections = store.connections();
        if connections.open - connections.idle >= count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[test(threads)]
async fn questions_that_take_long() {
    let (directory, store) = new_store().await;
    let studies = make_slow(&store, location(&directory).as_ref()).await;
    let slow = async |store: Sqlite, of: &[StudyId]| {
        store.fastest(of, Status::Right, u32::MAX).await.map(drop)
    };

    // A statement ends when its caller goes away, and its connection is free again.
    for _ in 0..8 {
        let asked = slow(store.clone(), &studies[..1]);
        let given_up = tokio::time::timeout(Duration::from_millis(100), asked).await;
        assert!(given_up.is_err(), "it was to take long");
    }
    promptly(store.check()).await.unwrap();

    // Long queries leave connections to short ones.
    let mut readers = JoinSet::new();
    for _ in 0..8 {
        let (store, studies) = (store.clone(), studies.clone());
        readers.spawn(async move {
            store
                .fastest(&studies, Status::Right, u32::MAX)
                .await
                .map(drop)
        });
    }
    busy(&store, 2).await;
    promptly(store.check()).await.unwrap();
    promptly(store.defaults(&studies[..1])).await.unwrap();
    readers.shutdown().await;

    // If all connections are busy, the error says so, and does not mention other processes.
    for _ in 0..4 {
        let (store, studies) = (store.clone(), studies.clone());
        readers.spawn(async move {
            store
                .fastest(&studies[..1], Status::Right, u32::MAX)
                .await
                .map(drop)
        });
    }
    busy(&store, 4).await;
    let error = store.check().await.unwrap_err().to_string();
    let part = "all 4 connections of this process were busy for 6 s; try again later";
    assert!(error.ends_with(part), "{error}");
    readers.shutdown().await;
    promptly(store.check()).await.unwrap();
}

/// Checks that a writer waits while others write, even if it never gets the lock for longer than
/// SQLite waits.
#[test]
async fn a_writer_that_is_passed_by_waits() {
    let (directory, store) = new_store().await;
    let study = store.open_study(&key(), None).await.unwrap();
    let mut other = raw(Path::new(&location(&directory))).await;
    let begin = sqlx::raw_sql("BEGIN IMMEDIATE");
    begin.execute(&mut other).await.unwrap();
    let writer = tokio::spawn(async move {
        let recorded = store.record_trial(&study, &trial(0, 1, right(1.0))).await;
        recorded.unwrap()
    });
    // The other one gives the lock back, and takes it again at once.
    let until = Instant::now() + Duration::from_secs(5);
    while Instant::now() < until && !writer.is_finished() {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let again = "UPDATE study SET id = id; COMMIT; BEGIN IMMEDIATE";
        sqlx::raw_sql(again).execute(&mut other).await.unwrap();
    }
    other.close().await.unwrap();
    assert_eq!(writer.await.unwrap(), RecordOutcome::Stored);
}
