//! The store on PostgreSQL: a server, for a fleet.
//!
//! [`Postgres`] is a whole [`Store`](store::Store), as `store-sqlite` is on a file; the same
//! tests run on both. It differs in two ways:
//!
//! - Several transactions write at once. `migrations/postgres` explains the numbers of new rows,
//!   and `changes.rs` reads them.
//! - A server may go away and come back. The pool replaces lost connections, and a query
//!   meanwhile is an error that [`passes`](store::StoreFault::passes).
//!
//! The implementations of most interfaces are in `store/relational/shared`, for both stores. This
//! package has the differences of PostgreSQL: `dialect.rs`, the connection to the server, and
//! statements that have another form. Rows become types in `store-relational`.
//!
//! This package knows neither the origin of trials nor the next question, and decides no answer.
//!
//! The compiler checks queries against the cache in `.sqlx`, which `cargo xtask sqlx` renews.

mod changes;
mod database_name;
mod delete;
mod dialect;
mod error;
mod header;
mod model_claim;
mod open;
mod prune;
mod renumbering;
mod sharing;
mod tls;
mod transaction;
mod trial_rows;
mod wishes;

// The text of both stores, compiled here against the queries of this dialect.
#[path = "../../relational/shared/catalogue.rs"]
mod catalogue;
#[path = "../../relational/shared/ledger.rs"]
#[expect(clippy::useless_conversion, reason = "text of SQLite has another type")]
mod ledger;
#[path = "../../relational/shared/models.rs"]
mod models;
#[path = "../../relational/shared/records/mod.rs"]
#[expect(clippy::useless_conversion, reason = "text of SQLite has another type")]
mod records;
#[path = "../../relational/shared/runs.rs"]
#[expect(clippy::useless_conversion, reason = "text of SQLite has another type")]
mod runs;
#[path = "../../relational/shared/tokens.rs"]
mod tokens;

pub use open::Postgres;

use open::Postgres as Database;
