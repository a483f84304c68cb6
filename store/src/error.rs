//! What can go wrong with a database, in words that say what to do.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use sqlx::migrate::MigrateError;

use crate::UnreadableRow;

/// Why the store did not do what it was asked. Each prints as one line.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The location names a database that this build does not speak to.
    #[error("database {location:?}: unknown kind {scheme:?}; give a file, or sqlite:FILE")]
    Scheme {
        /// What was given.
        location: String,
        /// The part before the colon.
        scheme: String,
    },
    /// There is no file, and reading does not make one.
    #[error("database {path}: does not exist; `wavetune tune PROBLEM` creates it", path = .0.display())]
    Missing(PathBuf),
    /// The directory of the database is not there and cannot be created.
    #[error("database {path}: cannot create its directory: {source}", path = .path.display())]
    Directory {
        /// The database.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// Another process holds the database.
    #[error(
        "database {path}: locked by another process for more than {seconds} s; wait for it or end it, or use another --db",
        path = .path.display()
    )]
    Locked {
        /// The database.
        path: PathBuf,
        /// How long it was waited for.
        seconds: u64,
    },
    /// All connections of this process have something to do.
    #[error(
        "database {path}: all {connections} connections of this process were busy for {seconds} s; ask again later",
        path = .path.display()
    )]
    Busy {
        /// The database.
        path: PathBuf,
        /// How many there are.
        connections: u32,
        /// How long one was waited for.
        seconds: u64,
    },
    /// A file of the open database is no longer the one at its path.
    #[error(
        "database {path}: while it was open, {file} was {what}; what was written since is where that file is now, or \
        lost; put it back, or start again",
        path = .path.display(), file = .file.display()
    )]
    Displaced {
        /// The database.
        path: PathBuf,
        /// The file: the database itself, its write-ahead log, or the index of that.
        file: PathBuf,
        /// What happened to it.
        what: &'static str,
    },
    /// The file or its directory cannot be written, which also SQLite's auxiliary files need.
    #[error(
        "database {path}: cannot be written; check the permissions of the file and its directory, or use another --db",
        path = .0.display()
    )]
    ReadOnly(PathBuf),
    /// The file is there but cannot be opened.
    #[error("database {path}: cannot be opened; check the permissions of the file and its directory", path = .0.display())]
    Unreadable(PathBuf),
    /// This process has as many files open as it may.
    #[error("database {path}: cannot be opened, as this process may open no more files; see `ulimit -n`", path = .0.display())]
    TooManyFiles(PathBuf),
    /// The file is something else, or damaged.
    #[error("database {path}: is not an SQLite database, or is damaged", path = .0.display())]
    NotADatabase(PathBuf),
    /// It is an SQLite database, but not one of wavetune.
    #[error("database {path}: belongs to another program; use another --db", path = .0.display())]
    Foreign(PathBuf),
    /// A newer wavetune wrote it.
    #[error(
        "database {path}: has schema {found}, this wavetune knows schemas up to {known}; use a newer wavetune",
        path = .path.display()
    )]
    NewerSchema {
        /// The database.
        path: PathBuf,
        /// The newest migration that was applied to it.
        found: i64,
        /// The newest migration of this build.
        known: i64,
    },
    /// An older wavetune wrote it, and it was opened for reading only.
    #[error(
        "database {path}: has schema {found}, older than schema {known}; `wavetune tune PROBLEM` with this --db brings it up to date",
        path = .path.display()
    )]
    OlderSchema {
        /// The database.
        path: PathBuf,
        /// The newest migration that was applied to it; 0 for none.
        found: i64,
        /// The newest migration of this build.
        known: i64,
    },
    /// The database cannot be brought up to date.
    #[error("database {path}: cannot be brought to the present schema: {source}", path = .path.display())]
    Migration {
        /// The database.
        path: PathBuf,
        /// Why not.
        source: MigrateError,
    },
    /// A row that cannot be left out holds a value that this build does not know.
    #[error("database {path}: {row}", path = .path.display())]
    Value {
        /// The database.
        path: PathBuf,
        /// The row, and what is wrong with it.
        row: UnreadableRow,
    },
    /// A trial was to be recorded whose numbers are not finite or not positive.
    #[error("trial {ordinal}: {reason}")]
    Trial {
        /// Its ordinal.
        ordinal: u32,
        /// What is wrong with it.
        reason: String,
    },
    /// Anything else that SQLite says, such as a full disk.
    #[error("database {path}: {source}", path = .path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// SQLite's message.
        source: sqlx::Error,
    },
}

/// Seconds for which a locked database is waited for. A tuner's transactions take milliseconds, so whoever holds a lock
/// for longer is not about to give it back.
pub(crate) const BUSY_SECONDS: u64 = 3;

/// Seconds for which a connection of this process is waited for: two that wait for a lock.
pub(crate) const ACQUIRE_SECONDS: u64 = 2 * BUSY_SECONDS;

/// One writes while the others read.
pub(crate) const CONNECTIONS: u32 = 4;

impl StoreError {
    /// What an error of SQLite means for the database at `path`.
    ///
    /// The primary result code is the low byte of the extended one: <https://www.sqlite.org/rescode.html>.
    pub(crate) fn from_sqlx(path: &Path, source: sqlx::Error) -> Self {
        let path = path.to_owned();
        let code = match &source {
            sqlx::Error::Database(error) => error.code().and_then(|code| code.parse::<u32>().ok()),
            sqlx::Error::PoolTimedOut => {
                return Self::Busy {
                    path,
                    connections: CONNECTIONS,
                    seconds: ACQUIRE_SECONDS,
                };
            }
            _ => None,
        };
        match code.map(|code| code & 0xFF) {
            Some(SQLITE_BUSY | SQLITE_LOCKED) => Self::Locked {
                path,
                seconds: BUSY_SECONDS,
            },
            Some(SQLITE_READONLY) => Self::ReadOnly(path),
            Some(SQLITE_CANTOPEN) if may_open_no_more() => Self::TooManyFiles(path),
            Some(SQLITE_PERM | SQLITE_CANTOPEN) => Self::Unreadable(path),
            Some(SQLITE_CORRUPT | SQLITE_NOTADB) => Self::NotADatabase(path),
            _ => Self::Database { path, source },
        }
    }
}

/// Whether this process cannot open as many files as SQLite has just tried to: SQLite does not say why it could not, and
/// has closed those that it could open.
fn may_open_no_more() -> bool {
    let opened: io::Result<Vec<File>> = (0..FILES).map(|_| File::open("/dev/null")).collect();
    opened.is_err_and(|error| matches!(error.raw_os_error(), Some(ENFILE | EMFILE)))
}

/// What a connection opens: the database, its log, the index of that, a journal, and a directory.
const FILES: usize = 5;

/// The system has too many files open.
const ENFILE: i32 = 23;
/// The process has.
const EMFILE: i32 = 24;

const SQLITE_PERM: u32 = 3;
const SQLITE_BUSY: u32 = 5;
const SQLITE_LOCKED: u32 = 6;
const SQLITE_READONLY: u32 = 8;
const SQLITE_CORRUPT: u32 = 11;
const SQLITE_CANTOPEN: u32 = 14;
const SQLITE_NOTADB: u32 = 26;
