//! Conversion of SQLite's errors to those of the interface.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use store::{StoreError, StoreFault};

/// The time to wait for a locked database, in seconds. A tuner's transactions take milliseconds,
/// so a longer holder will not release the lock soon.
pub(crate) const BUSY_SECONDS: u64 = 3;

/// The time to wait for a connection of this process, in seconds: twice the wait for a lock.
pub(crate) const ACQUIRE_SECONDS: u64 = 2 * BUSY_SECONDS;

/// The number of connections: one writes while the others read.
pub(crate) const CONNECTIONS: u32 = 4;

/// The time after which a silent owner loses its tasks. A live owner reports every second.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// Creates an error of the database at `path`.
pub(crate) fn fault(path: &Path, fault: StoreFault) -> StoreError {
    StoreError {
        database: path.display().to_string(),
        fault,
    }
}

/// Returns whether another connection holds the lock.
pub(crate) fn is_locked(source: &sqlx::Error) -> bool {
    matches!(of_sqlx(source), StoreFault::Locked { .. })
}

/// Converts an error of SQLite.
///
/// The primary result code is the low byte of the extended one:
/// <https://www.sqlite.org/rescode.html>.
pub(crate) fn of_sqlx(source: &sqlx::Error) -> StoreFault {
    let code = match source {
        sqlx::Error::Database(error) => error.code().and_then(|code| code.parse::<u32>().ok()),
        sqlx::Error::PoolTimedOut => {
            return StoreFault::Busy {
                connections: CONNECTIONS,
                seconds: ACQUIRE_SECONDS,
            };
        }
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => {
            return StoreFault::Undecodable(source.to_string());
        }
        _ => None,
    };
    match code.map(|code| code & 0xFF) {
        Some(SQLITE_BUSY | SQLITE_LOCKED) => StoreFault::Locked {
            seconds: BUSY_SECONDS,
        },
        Some(SQLITE_READONLY) => StoreFault::ReadOnly,
        Some(SQLITE_CANTOPEN) if may_open_no_more() => StoreFault::TooManyFiles,
        Some(SQLITE_PERM | SQLITE_CANTOPEN) => StoreFault::Unreadable,
        Some(SQLITE_CORRUPT | SQLITE_NOTADB) => StoreFault::NotADatabase,
        Some(SQLITE_FULL) => StoreFault::DiskFull,
        _ => StoreFault::Database(source.to_string()),
    }
}

/// Returns whether this process cannot open as many files as SQLite has just tried to. SQLite
/// does not report the cause, and has closed the files that it could open.
fn may_open_no_more() -> bool {
    let opened: io::Result<Vec<File>> = (0..FILES).map(|_| File::open("/dev/null")).collect();
    opened.is_err_and(|error| matches!(error.raw_os_error(), Some(ENFILE | EMFILE)))
}

/// The number of files that a connection opens: the database, its log, the index of that, a
/// journal, and a directory.
const FILES: usize = 5;

/// `errno`: the system has too many files open.
const ENFILE: i32 = 23;
/// `errno`: the process has too many files open.
const EMFILE: i32 = 24;

const SQLITE_PERM: u32 = 3;
const SQLITE_BUSY: u32 = 5;
const SQLITE_LOCKED: u32 = 6;
const SQLITE_READONLY: u32 = 8;
const SQLITE_CORRUPT: u32 = 11;
const SQLITE_FULL: u32 = 13;
const SQLITE_CANTOPEN: u32 = 14;
const SQLITE_NOTADB: u32 = 26;

#[cfg(test)]
mod tests {
    use sqlx::{Connection as _, Executor as _, SqliteConnection};

    use super::*;

    /// Checks the fault of a full disk; a database with a page limit reports the same.
    #[tokio::test]
    async fn a_full_disk_is_its_own_fault() {
        let mut connection = SqliteConnection::connect(":memory:").await.unwrap();
        let setup = "PRAGMA max_page_count = 2; CREATE TABLE t (b)";
        connection.execute(setup).await.unwrap();
        let insert = connection.execute("INSERT INTO t VALUES (zeroblob(100000))");
        let fault = of_sqlx(&insert.await.unwrap_err());
        assert!(matches!(fault, StoreFault::DiskFull), "{fault:?}");
    }
}
