//! The store on PostgreSQL: a server, for a fleet.
//!
//! [`Postgres`] is a whole [`Store`](store::Store), as `store-sqlite` is on a file; the same tests run on both. Two things are different from there. Several transactions write at once, so that what is
//! new has to be asked for with care: `migrations/postgres` says how numbers are given, and `changes.rs` how they are read.
//! And a server may go away and come back: the pool makes lost connections anew, and what was asked meanwhile is an error
//! that [`passes`](store::Fault::passes).
//!
//! An interface is implemented by a file of its name, which holds its queries; rows become types in `store-relational`.
//!
//! This package knows nothing of how trials are made or of what is asked next, and decides no answer.
//!
//! Queries are checked at compile time against the cache in `.sqlx`, which `cargo xtask sqlx` renews.

mod catalogue;
mod changes;
mod database_name;
mod error;
mod header;
mod ledger;
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
