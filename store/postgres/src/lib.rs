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
//! A file of its name, with its queries, implements each interface. Rows become types in
//! `store-relational`.
//!
//! This package knows neither the origin of trials nor the next question, and decides no answer.
//!
//! The compiler checks queries against the cache in `.sqlx`, which `cargo xtask sqlx` renews.

mod catalogue;
mod changes;
mod database_name;
mod error;
mod header;
mod ledger;
mod models;
mod open;
mod query;
mod records;
mod runs;
mod sharing;
mod tls;
mod tokens;
mod transaction;
mod wishes;

pub use open::Postgres;
