//! What is known: studies, their trials, the best configurations, and the lookups that nothing answered.
//!
//! A [`Store`] is one SQLite database. A [`Study`] is a search, found again by its [`StudyKey`]; a [`Trial`] is what one
//! configuration did, written in a transaction of its own the moment it ends, so that a killed process loses nothing
//! that it reported. A [`Ranking`] is the fastest configurations of one problem on one device by one generator's
//! kernels and one [`Clock`]: the measured and the modelled are never in one ranking.
//!
//! A question that nothing answered is a [`Wish`].
//!
//! This crate knows nothing of how trials are made or of what is asked next, and decides no answer. All SQL is in
//! `sqlite.rs` and its folder; no type of its driver is part of the interface, so that another database can have a file of its own.
//!
//! # Renewing the query cache
//!
//! Queries are checked at compile time against the cache in `.sqlx` at the root of the workspace, so that a build needs
//! no database. After a change to a query or a migration, `cargo xtask sqlx` renews it. Its steps, with `$DIR` a new
//! empty directory:
//!
//! ```text
//! cargo run --package migrations -- $DIR/schema.db
//! mkdir $DIR/cache; touch store/src/sqlite.rs
//! WAVETUNE_SQLITE_URL=sqlite://$DIR/schema.db SQLX_OFFLINE=false SQLX_OFFLINE_DIR=$DIR/cache cargo check --package store
//! replace the files of .sqlx by those of $DIR/cache
//! ```

mod best;
mod connection;
mod error;
mod files;
mod finals;
mod open;
mod row;
mod sqlite;
mod study;
mod ties;
mod trial;
mod unreadable;
mod wish;

pub use best::{Coverage, Ranked, Ranking};
pub use configgen::Clock;
pub use error::StoreError;
pub use finals::Finals;
pub use open::Store;
pub use study::{Provenance, Study, StudyKey};
pub use ties::{ANOTHER_INDEX, Ties, UnknownTies};
pub use trial::{FailureKind, Outcome, Recorded, Role, Status, Timing, Trial};
pub use unreadable::{Readable, Unreadable, UnreadableRow};
pub use wish::{Wish, Wished};
