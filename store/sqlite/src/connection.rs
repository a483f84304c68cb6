//! A connection for one caller, which interrupts its statement when the caller goes away.
//!
//! A caller may go before its statement is done: a client disconnects, or a timeout expires. The
//! pool takes the connection back only when the statement has ended. A few such statements would
//! hold all connections.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::pool::PoolConnection;
use sqlx::{Connection as _, SqliteConnection};

use store::StoreError;

use crate::Sqlite;

/// The number of SQLite's virtual machine instructions between two checks of the flag: some ten
/// microseconds.
const INSTRUCTIONS: i32 = 1000;

/// A connection. Dropping it interrupts the statement that it executes.
pub(crate) struct Connection {
    pooled: PoolConnection<sqlx::Sqlite>,
    gone: Arc<AtomicBool>,
}

impl Sqlite {
    /// Returns a connection to the file at the database's path. A connection opened later cannot
    /// be to another file.
    ///
    /// Once the database is open, take connections from the pool only here. A returned connection
    /// interrupts every statement until this function clears that state.
    pub(crate) async fn connection(&self) -> Result<Connection, StoreError> {
        loop {
            // Check before and after: a connection opened in between is then to the same file.
            self.files.check()?;
            if self.is_closed() {
                // The file was away, and a follower of the path has already reopened it.
                return Err(self.displaced("opened anew"));
            }
            let pooled = self.pool.acquire().await.map_err(|e| self.error(e))?;
            self.files.check()?;
            let mut connection = self.lend(pooled).await?;
            if !connection.is_in_transaction() {
                return Ok(connection);
            }
            // On a full disk SQLite itself ends a transaction, but the driver still believes to
            // be in it.
            connection.pooled.close_on_drop();
        }
    }

    /// Prepares a connection of the pool for a new caller.
    pub(crate) async fn lend(
        &self,
        pooled: PoolConnection<sqlx::Sqlite>,
    ) -> Result<Connection, StoreError> {
        let gone = Arc::new(AtomicBool::new(false));
        let mut connection = Connection { pooled, gone };
        let gone = Arc::clone(&connection.gone);
        let mut handle = connection.lock_handle().await.map_err(|e| self.error(e))?;
        // A late view of the flag only costs another thousand instructions, so no ordering is
        // needed.
        handle.set_progress_handler(INSTRUCTIONS, move || !gone.load(Ordering::Relaxed));
        drop(handle);
        Ok(connection)
    }
}

impl Connection {
    /// Returns a number that changes when another connection commits.
    pub(crate) async fn commits_of_others(&mut self) -> Option<i64> {
        let version = sqlx::query_scalar("PRAGMA data_version");
        version.fetch_one(&mut **self).await.ok()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.gone.store(true, Ordering::Relaxed);
    }
}

impl Deref for Connection {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.pooled
    }
}

impl DerefMut for Connection {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.pooled
    }
}
