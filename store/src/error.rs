//! Errors of a database, with the remedy in each message.

use crate::{StudyId, UnknownCursor, UnreadableRow};

/// An error of a database. Prints as one line.
#[derive(Debug, thiserror::Error)]
#[error("database {database}: {fault}")]
pub struct StoreError {
    /// The database's name for people, without a password.
    pub database: String,
    /// The fault.
    pub fault: StoreFault,
}

impl StoreFault {
    /// Returns whether the fault is temporary: another process holds the database, or its server
    /// is unreachable. A retry may succeed.
    pub fn passes(&self) -> bool {
        matches!(
            self,
            StoreFault::Locked { .. }
                | StoreFault::Busy { .. }
                | StoreFault::Unavailable(_)
                | StoreFault::Insecure(_)
        )
    }
}

/// A fault of a database.
#[derive(Debug, thiserror::Error)]
pub enum StoreFault {
    /// The URL names a kind of database that this build does not support.
    #[error("unknown kind {0:?}; give a file, sqlite:FILE or postgres://USER@HOST/DATABASE")]
    UnknownKind(String),
    /// The file does not exist, and a reader does not create one.
    #[error("does not exist; `wavetune tune PROBLEM` creates it")]
    Missing,
    /// The database has no tables, and a reader creates none.
    #[error(
        "is empty; `wavetune tune PROBLEM` or `wavetune serve` with this --db makes its tables"
    )]
    Empty,
    /// The server has no database of this name.
    #[error("does not exist on its server; create it with `createdb NAME`")]
    NoSuchDatabase,
    /// The URL does not say on which server the database is.
    #[error("{0}; a URL is postgres://USER@HOST:PORT/DATABASE")]
    Address(String),
    /// The server is unreachable, has no free connection, or closed the connection.
    #[error("its server does not answer: {0}; check that it runs, and try again")]
    Unavailable(String),
    /// The server does not offer the transport security that the URL demands.
    #[error(
        "no secure connection to its server: {0}; check sslmode and sslrootcert in the URL, and the server's \
         certificate"
    )]
    Insecure(String),
    /// The server refuses this user.
    #[error(
        "its server refuses this user: {0}; check the user in the URL, and the password there, in PGPASSWORD or in \
         ~/.pgpass"
    )]
    Denied(String),
    /// The directory of the file does not exist and cannot be created.
    #[error("cannot create its directory: {0}")]
    Directory(String),
    /// Another process holds the lock of the database.
    #[error(
        "locked by another process for more than {seconds} s; wait for it or end it, or use another --db"
    )]
    Locked {
        /// The time waited for the lock, in seconds.
        seconds: u64,
    },
    /// All connections of this process are in use.
    #[error(
        "all {connections} connections of this process were busy for {seconds} s; try again later"
    )]
    Busy {
        /// The number of connections.
        connections: u32,
        /// The time waited for a connection, in seconds.
        seconds: u64,
    },
    /// A file of the database is no longer the one that was opened.
    #[error(
        "{part} was {what} while it was open; later changes are in the moved file, or lost. Put the file back, or \
         restart"
    )]
    Displaced {
        /// The file.
        part: String,
        /// The change: it was removed or replaced, for example.
        what: &'static str,
    },
    /// The database cannot be written.
    #[error(
        "cannot be written; check the permissions of the database and, for a file, of its directory, or use another \
         --db"
    )]
    ReadOnly,
    /// The file exists but cannot be opened.
    #[error("cannot be opened; check the permissions of the file and its directory")]
    Unreadable,
    /// The process has reached its limit of open files.
    #[error("cannot be opened, because this process may not open more files; raise `ulimit -n`")]
    TooManyFiles,
    /// The file is not an SQLite database, or is damaged.
    #[error("is not an SQLite database, or is damaged")]
    NotADatabase,
    /// The database has inconsistent content.
    #[error("is damaged: {0}")]
    Damaged(String),
    /// A file beside the database, such as a backup, cannot be created or moved.
    #[error("{file}: {reason}")]
    File {
        /// The file's name.
        file: String,
        /// The reason.
        reason: String,
    },
    /// The database belongs to another program.
    #[error("belongs to another program; use another --db")]
    Foreign,
    /// A newer wavetune wrote the database.
    #[error(
        "has schema {found}, and this wavetune supports schemas up to {known}; use a newer wavetune"
    )]
    NewerSchema {
        /// The newest migration that was applied to the database.
        found: i64,
        /// The newest migration of this build.
        known: i64,
    },
    /// An older wavetune wrote the database, and this process opened it only for reading.
    #[error(
        "has schema {found}, and this wavetune needs schema {known}; back it up, then run `wavetune db migrate` with \
         this --db"
    )]
    OlderSchema {
        /// The newest migration that was applied to the database.
        found: i64,
        /// The newest migration of this build.
        known: i64,
    },
    /// A migration failed.
    #[error("cannot be migrated to the current schema: {0}")]
    Migration(String),
    /// A row holds a value that its column cannot have: a text that is not UTF-8, or a time out
    /// of range.
    #[error("a row cannot be read: {0}; `wavetune db check` lists such rows of a file")]
    Undecodable(String),
    /// A row that must not be left out holds a value that this build does not know.
    #[error("{0}")]
    Value(UnreadableRow),
    /// A page starts at a cursor of another list.
    #[error("{0}")]
    Cursor(UnknownCursor),
    /// A portion of another database has impossible content.
    #[error("the import is not valid: {0}")]
    Portion(String),
    /// A process works on the study that a call would delete or change.
    #[error(
        "study {} is being worked on by {}; end that first, or wait until it is done", study.0, owners.join(", ")
    )]
    AtWork {
        /// The study.
        study: StudyId,
        /// The names of the owners that work on it.
        owners: Vec<String>,
    },
    /// A trial has impossible numbers.
    #[error("trial {ordinal}: {reason}")]
    Trial {
        /// The trial's ordinal.
        ordinal: u32,
        /// The reason.
        reason: String,
    },
    /// The disk is full.
    #[error("its disk is full; free space, and run the same command again")]
    DiskFull,
    /// Any other error of the database.
    #[error("{0}")]
    Database(String),
}
