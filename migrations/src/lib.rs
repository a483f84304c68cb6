//! The schemas of the store, one folder of migrations per database.
//!
//! This is a package of its own because the queries in `store` are checked against a migrated
//! database while `store` is compiled. The program of this package applies the migrations before.
//!
//! It knows nothing of the queries.

use sqlx::migrate::Migrator;

/// The migrations in `migrations/sqlite`, oldest first.
///
/// A released migration is never edited: every database that has it stores its checksum.
pub static SQLITE: Migrator = sqlx::migrate!("./sqlite");

/// The migrations in `migrations/postgres`.
pub static POSTGRES: Migrator = sqlx::migrate!("./postgres");

/// `application_id` in the header of a wavetune database ("WVTN"), which tells it from other
/// SQLite files.
pub const SQLITE_APPLICATION_ID: i64 = 0x5756_544E;
