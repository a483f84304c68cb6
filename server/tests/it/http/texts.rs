//! Texts that are not UTF-8, which every program can write with SQLite: each costs its row, and
//! no other.

use lookup::{AnswerIndex, LookupRequest};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};
use store::{
    Catalogue as _, Page, Records as _, Runs as _, StudyFilter, StudyId, StudyKey, Ties,
    Tokens as _, TrialFilter, TrialSort,
};
use store_sqlite::Sqlite;
use testing_sqlite::{default_trial, key, right};

use crate::http::rows::{columns, fill};
use crate::http::service::Service;

/// Reads everything with text. The study with this key stays intact.
async fn read_all(store: &Sqlite, good: &StudyKey) {
    let known = AnswerIndex::default();
    known.refresh(store).await.unwrap();
    let request = LookupRequest::new(good.problem.clone(), good.provenance.target);
    let told = known.answer(&request, &good.problem.to_string());
    assert!(told.is_some(), "memory does not answer");
    lookup::look(store, &request).await.unwrap();
    lookup::all_rankings(store, Ties::Any, 3).await.unwrap();
    let page = Page::first(100);
    let studies = store.list_studies(&StudyFilter::default(), page).await;
    let studies = studies.unwrap().rows;
    assert!(studies.iter().any(|it| it.known.problem == good.problem));
    let all = TrialFilter::default();
    store.list_all_trials(&all, page).await.unwrap();
    for id in [1, 2].map(StudyId) {
        for sort in [TrialSort::Ordinal, TrialSort::Time, TrialSort::Compiled] {
            store.list_trials(id, &all, sort, page).await.unwrap();
        }
        store.plot_trials(id, 0, 100).await.unwrap();
        store.find_study(id).await.unwrap();
    }
    store.runs(None, None, 100).await.unwrap();
    store.count_runs().await.unwrap();
    store.tokens().await.unwrap();
    store.wishes().await.unwrap();
}

/// Puts bytes that are no text into one row of a column. Returns the old value, if the schema
/// allows the change.
async fn spoil(
    connection: &mut SqliteConnection,
    table: &str,
    column: &str,
    all: &str,
) -> Option<Vec<u8>> {
    let row = format!("FROM {table} WHERE {column} IS NOT NULL LIMIT 1");
    let before = AssertSqlSafe(format!("SELECT CAST({column} AS BLOB) {row}"));
    let before: Option<Vec<u8>> = sqlx::query_scalar(before)
        .fetch_optional(&mut *connection)
        .await
        .unwrap();
    // Tables without row IDs have no columns that are NULL.
    for (key, keys) in [("rowid", "rowid"), (&*format!("({all})"), all)] {
        let update = format!(
            "UPDATE {table} SET {column} = CAST(x'ff' AS TEXT) WHERE {key} IN (SELECT {keys} {row})"
        );
        let updated = sqlx::query(AssertSqlSafe(update))
            .execute(&mut *connection)
            .await;
        if updated.is_ok_and(|updated| updated.rows_affected() == 1) {
            return before;
        }
    }
    None
}

#[test]
async fn a_text_that_is_not_utf_8_costs_its_row() {
    let service = Service::start().await;
    fill(&service).await;
    let mut good = key();
    good.problem = "argmin:[7]xi32".parse().unwrap();
    good.provenance.driver_version = "of its own".to_owned();
    let study = service.store.open_study(&good, None).await.unwrap();
    let trial = default_trial(0, 1, right(8.0));
    service.store.record_trial(&study, &trial).await.unwrap();
    let location = service.path.to_str().unwrap();
    let store = Sqlite::open_existing(location).await.unwrap();
    let options = SqliteConnectOptions::new()
        .filename(&service.path)
        .foreign_keys(false);
    let mut connection = options.connect().await.unwrap();
    let columns = columns(&mut connection).await;
    let mut spoilt = 0;
    for (table, column, _) in columns.iter().filter(|(.., kind)| kind == "TEXT") {
        let all = columns.iter().filter(|(its, ..)| its == table);
        let all: Vec<&str> = all.map(|(_, column, _)| column.as_str()).collect();
        let before = spoil(&mut connection, table, column, &all.join(", ")).await;
        let Some(before) = before else { continue };
        spoilt += 1;
        println!("{table}.{column}");
        read_all(&store, &good).await;
        let findings = store.verify().await.unwrap();
        let found = findings.iter().any(|finding| {
            finding.starts_with(table) && finding.ends_with(&format!(", {column}: is not UTF-8"))
        });
        assert!(found, "{table}.{column}: {findings:?}");
        let restore = format!(
            "UPDATE {table} SET {column} = CAST(?1 AS TEXT) WHERE CAST({column} AS BLOB) = x'ff'"
        );
        let restored = sqlx::query(AssertSqlSafe(restore)).bind(before);
        restored.execute(&mut connection).await.unwrap();
    }
    assert!(spoilt > 40, "{spoilt}");
    assert_eq!(store.verify().await.unwrap(), Vec::<String>::new());
    connection.close().await.unwrap();
    // A service follows the database past such a problem.
    let mut connection = options.connect().await.unwrap();
    let spoilt = spoil(&mut connection, "problem", "text", "id").await;
    assert!(spoilt.is_some());
    let again = sqlx::query("UPDATE revision SET number = number + 1");
    again.execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    service.soon("/api/v1/tuned", "problem 1, text: ").await;
    let (_, tuned) = service.get("/api/v1/tuned").await;
    assert!(tuned.contains("argmin:[7]xi32"), "{tuned}");
    store.close().await;
}
