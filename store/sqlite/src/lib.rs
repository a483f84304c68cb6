//! The store on SQLite: one file, for a machine or for users who share a disk.
//!
//! [`Sqlite`] is a whole [`Store`](store::Store). It writes a trial in a transaction of its own
//! the moment it ends, so that a killed process loses no reported trial. [`FollowedDatabase`] is
//! a catalogue that follows the file at a path, also after a replacement.
//!
//! The implementations of most interfaces are in `store/relational/shared`, for both stores. This
//! package has the differences of SQLite: `dialect.rs`, the file at the path, and statements
//! that have another form.
//!
//! This package knows neither the origin of trials nor the next question, and decides no answer.
//!
//! # Renewing the query cache
//!
//! The compiler checks queries against the cache in `.sqlx` at the root of the workspace, so that
//! a build needs no database. After a change to a query or a migration, `cargo xtask sqlx` renews
//! it. Its steps, with `$DIR` a new empty directory:
//!
//! ```text
//! cargo run --package migrations -- sqlite://$DIR/schema.db
//! mkdir $DIR/cache; touch store/sqlite/src/lib.rs
//! export WAVETUNE_SQLITE_URL=sqlite://$DIR/schema.db
//! SQLX_OFFLINE=false SQLX_OFFLINE_DIR=$DIR/cache cargo check --package store-sqlite
//! replace the files of .sqlx by those of $DIR/cache
//! ```

mod changes;
mod connection;
mod delete;
mod dialect;
mod error;
mod files;
mod followed_database;
mod header;
mod lossy_text;
mod model_claim;
mod open;
mod prune;
mod renumbering;
mod sharing;
mod trial_rows;
mod upgrade;
mod upkeep;
mod wishes;

// The text of both stores, compiled here against the queries of this dialect.
#[path = "../../relational/shared/catalogue.rs"]
mod catalogue;
#[path = "../../relational/shared/ledger.rs"]
mod ledger;
#[path = "../../relational/shared/models.rs"]
mod models;
#[path = "../../relational/shared/records/mod.rs"]
mod records;
#[path = "../../relational/shared/runs.rs"]
mod runs;
#[path = "../../relational/shared/tokens.rs"]
mod tokens;

pub use followed_database::FollowedDatabase;
pub use open::Sqlite;

use open::Sqlite as Database;
pub use upkeep::Info;

use lossy_text::Text;
