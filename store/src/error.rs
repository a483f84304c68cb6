//! What can go wrong with a database, in words that say what to do.

use crate::{StudyId, UnknownCursor, UnreadableRow};

/// Why a database did not do what it was asked. Prints as one line.
#[derive(Debug, thiserror::Error)]
#[error("database {database}: {fault}")]
pub struct StoreError {
    /// The database's name, for people.
    pub database: String,
    /// What is wrong with it.
    pub fault: StoreFault,
}

impl StoreFault {
    /// Whether it is only that others are at work, or that a server is not there now: asking again may do.
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

/// What is wrong.
#[derive(Debug, thiserror::Error)]
pub enum StoreFault {
    /// It names a kind of database that this build does not speak to.
    #[error("unknown kind {0:?}; give a file, sqlite:FILE or postgres://USER@HOST/DATABASE")]
    UnknownKind(String),
    /// It is not there, and reading does not make one.
    #[error("does not exist; `wavetune tune PROBLEM` creates it")]
    Missing,
    /// It is there and has no tables. Reading makes none.
    #[error(
        "is empty; `wavetune tune PROBLEM` or `wavetune serve` with this --db makes its tables"
    )]
    Empty,
    /// Its server is there and has none of this name.
    #[error("does not exist on its server; `createdb` creates it, with its name")]
    NoSuchDatabase,
    /// It cannot be told from the URL where it is.
    #[error("{0}; a URL is postgres://USER@HOST:PORT/DATABASE")]
    Address(String),
    /// Its server cannot be reached, has no connection free, or went away.
    #[error("its server does not answer: {0}; see that it runs, and ask again")]
    Unavailable(String),
    /// Its server is not one that can be spoken to as securely as the URL wants.
    #[error(
        "no secure connection with its server: {0}; see sslmode and sslrootcert in the URL, and the server's certificate"
    )]
    Insecure(String),
    /// Its server does not let this user in.
    #[error(
        "its server refuses this user: {0}; see the user in the URL, and the password there, in PGPASSWORD or ~/.pgpass"
    )]
    Denied(String),
    /// Its directory is not there and cannot be created.
    #[error("cannot create its directory: {0}")]
    Directory(String),
    /// Another process holds it.
    #[error(
        "locked by another process for more than {seconds} s; wait for it or end it, or use another --db"
    )]
    Locked {
        /// How long it was waited for.
        seconds: u64,
    },
    /// All connections of this process have something to do.
    #[error(
        "all {connections} connections of this process were busy for {seconds} s; ask again later"
    )]
    Busy {
        /// How many there are.
        connections: u32,
        /// How long one was waited for.
        seconds: u64,
    },
    /// A part of it is no longer the one that was opened.
    #[error(
        "while it was open, {part} was {what}; what was written since is where that file is now, or lost; put it back, \
         or start again"
    )]
    Displaced {
        /// The part.
        part: String,
        /// What happened to it.
        what: &'static str,
    },
    /// It cannot be written.
    #[error(
        "cannot be written; check the permissions, of a file also its directory's, or use another --db"
    )]
    ReadOnly,
    /// It is there but cannot be opened.
    #[error("cannot be opened; check the permissions of the file and its directory")]
    Unreadable,
    /// This process has as many files open as it may.
    #[error("cannot be opened, as this process may open no more files; see `ulimit -n`")]
    TooManyFiles,
    /// It is something else, or damaged.
    #[error("is not an SQLite database, or is damaged")]
    NotADatabase,
    /// Something in it is not as it has to be.
    #[error("is damaged: {0}")]
    Damaged(String),
    /// A file beside it, such as a backup, cannot be made or moved.
    #[error("{file}: {reason}")]
    File {
        /// The file's name.
        file: String,
        /// Why not.
        reason: String,
    },
    /// It is a database, but not one of wavetune.
    #[error("belongs to another program; use another --db")]
    Foreign,
    /// A newer wavetune wrote it.
    #[error("has schema {found}, this wavetune knows schemas up to {known}; use a newer wavetune")]
    NewerSchema {
        /// The newest migration that was applied to it.
        found: i64,
        /// The newest migration of this build.
        known: i64,
    },
    /// An older wavetune wrote it, and it was opened for reading only.
    #[error(
        "has schema {found}, older than schema {known}; `wavetune db migrate` with this --db brings it up to date, after a \
         backup"
    )]
    OlderSchema {
        /// The newest migration that was applied to it.
        found: i64,
        /// The newest migration of this build.
        known: i64,
    },
    /// It cannot be brought up to date.
    #[error("cannot be brought to the present schema: {0}")]
    Migration(String),
    /// A row holds what its column cannot have, such as a text that is not UTF-8, or a time beyond all calendars.
    #[error("a row cannot be read: {0}; `wavetune db check` names those of a file")]
    Undecodable(String),
    /// A row that cannot be left out holds a value that this build does not know.
    #[error("{0}")]
    Value(UnreadableRow),
    /// A page was to begin where no page of that list ends.
    #[error("{0}")]
    Cursor(UnknownCursor),
    /// What was to be taken in from another database cannot be what a database has.
    #[error("what was to be taken in cannot be: {0}")]
    Portion(String),
    /// A study was to be deleted, or changed, on which somebody works.
    #[error(
        "study {} is being worked on by {}; end that first, or wait until it is done", study.0, owners.join(", ")
    )]
    AtWork {
        /// The study.
        study: StudyId,
        /// Who.
        owners: Vec<String>,
    },
    /// A trial was to be recorded whose numbers cannot be.
    #[error("trial {ordinal}: {reason}")]
    Trial {
        /// Its ordinal.
        ordinal: u32,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no room for what was to be written.
    #[error("its disk is full; make room, and give the same command again")]
    DiskFull,
    /// Anything else that the database says.
    #[error("{0}")]
    Database(String),
}
