//! PostgreSQL keeps the promises of every store, and its own. Needs PostgreSQL.

mod faults;
mod load;
mod overlap;
mod requests;
mod server;
mod shared;
mod tls;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::{Connection, PgConnection};
use store::Store;
use store_postgres::Postgres;
use testing::{Failed, Trial};
use testing_postgres::{Database as TestDatabase, Server};
use testing_store_contract::{Database, Held, block_on};

/// A test with an empty database on the shared server.
type Test = fn(&str) -> futures_util::future::LocalBoxFuture<'_, ()>;

/// A test that ends its server, and so has its own.
type Alone = fn(Server) -> Result<(), Failed>;

macro_rules! tests {
    ($list:ident $($module:ident: $($name:ident)+;)+) => {
        const $list: &[(&str, Test)] = &[
            $($((
                concat!(stringify!($module), "::", stringify!($name)),
                |url| Box::pin($module::$name(url)),
            ),)+)+
        ];
    };
}

tests! {
    TESTS
    overlap:
        a_trial_that_is_committed_late_is_not_missed
        a_change_that_is_committed_late_is_not_missed
        a_reader_waits_for_its_own_study
        writers_do_not_wait_for_each_other
        a_deletion_covers_concurrent_records
        a_cancelled_call_leaves_no_transaction;
    faults:
        a_database_of_another_program
        a_database_of_a_newer_wavetune
        a_migration_that_was_edited
        an_empty_database_is_made_ours
        many_create_one_database
        users_and_databases_that_are_not_there
        writes_without_permission
        rows_that_cannot_be_read;
    requests:
        an_answer_is_kept_for_a_day;
}

// With a server of their own: they compare times, and another test's new database writes all
// pages.
tests! {
    TIMED
    load:
        a_miss_takes_as_long_for_many_trials
        a_page_takes_as_long_for_many_trials;
}

const ALONE: &[(&str, Alone)] = &[(
    "server::a_server_that_comes_back",
    server::a_server_that_comes_back,
)];

/// A test that creates its servers and databases itself.
type Apart = fn() -> Result<(), Failed>;

const APART: &[(&str, Apart)] = &[
    ("tls::trusted_certificates", tls::trusted_certificates),
    ("shared::databases_are_apart", shared::databases_are_apart),
    (
        "shared::a_schema_is_made_once",
        shared::a_schema_is_made_once,
    ),
];

/// A database of the shared server.
struct Temporary(TestDatabase);

impl Temporary {
    /// Creates a database with the present schema.
    fn new() -> Result<Temporary, Failed> {
        let checksums: Vec<_> = migrations::POSTGRES.iter().map(|it| &it.checksum).collect();
        let migrate = |url: &str| {
            block_on(async { Postgres::open(url).await.unwrap().close().await });
        };
        Ok(Temporary(TestDatabase::migrated(&checksums, migrate)?))
    }
}

#[async_trait]
impl Database for Temporary {
    async fn open(&self) -> Arc<dyn Store> {
        Arc::new(Postgres::open(&self.0.url()).await.unwrap())
    }

    async fn open_patient(&self, patience: Duration) -> Arc<dyn Store> {
        let store = Postgres::open(&self.0.url()).await.unwrap();
        Arc::new(store.with_patience(patience))
    }

    async fn spoil(&self, sql: &'static str) {
        self.0.execute(sql).unwrap();
    }

    async fn count(&self, table: &'static str) -> i64 {
        let query = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
        let count = sqlx::query_scalar(query);
        count
            .fetch_one(&mut raw(&self.0.url()).await)
            .await
            .unwrap()
    }

    async fn hold(&self) -> Box<dyn Held> {
        let mut connection = raw(&self.0.url()).await;
        let lock = sqlx::raw_sql("BEGIN; LOCK TABLE study, trial, final, wish IN EXCLUSIVE MODE");
        lock.execute(&mut connection).await.unwrap();
        Box::new(Locked(connection))
    }
}

/// A connection that has locked the tables.
struct Locked(PgConnection);

#[async_trait]
impl Held for Locked {
    async fn release(mut self: Box<Self>) {
        let unlock = sqlx::raw_sql("COMMIT");
        unlock.execute(&mut self.0).await.unwrap();
    }
}

/// Returns a connection outside of our interfaces.
async fn raw(url: &str) -> PgConnection {
    PgConnection::connect(url).await.unwrap()
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut tests = testing_store_contract::tests(Temporary::new);
    tests.extend(TESTS.iter().map(|&(name, test)| {
        Trial::test(name, move || {
            let database = TestDatabase::create()?;
            block_on(test(&database.url()));
            Ok(())
        })
    }));
    tests.extend(TIMED.iter().map(|&(name, test)| {
        Trial::test(name, move || {
            let server = Server::start()?;
            block_on(test(&server.create_database()?));
            Ok(())
        })
    }));
    let alone = |&(name, test): &(&str, Alone)| Trial::test(name, move || test(Server::start()?));
    tests.extend(ALONE.iter().map(alone));
    tests.extend(APART.iter().map(|&(name, test)| Trial::test(name, test)));
    if testing_postgres::programs().is_none() {
        // In CI they fail.
        let is_ignored = std::env::var_os("CI").is_none();
        let ignore = |test: Trial| {
            test.with_kind("PostgreSQL is not installed")
                .with_ignored_flag(is_ignored)
        };
        tests = tests.into_iter().map(ignore).collect();
    }
    tests
}
