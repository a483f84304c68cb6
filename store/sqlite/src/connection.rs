//! A connection for one caller, whose statement ends with the caller.
//!
//! A caller may go before its statement is done: a client hangs up, a time limit runs out. The pool takes the connection
//! back only when the statement has ended, so a few of those would hold all connections for as long as they take.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::pool::PoolConnection;
use sqlx::{Connection as _, SqliteConnection};

use store::StoreError;

use crate::Sqlite;

/// Instructions of SQLite's machine between two looks at whether the caller is still there: some ten microseconds.
const INSTRUCTIONS: i32 = 1000;

/// A connection. When it is dropped, the statement that it executes is interrupted.
pub(crate) struct Connection {
    pooled: PoolConnection<sqlx::Sqlite>,
    gone: Arc<AtomicBool>,
}

impl Sqlite {
    /// A connection to the file that is at the database's path: one that was opened later is to no other.
    ///
    /// Nothing else may take connections from the pool: a connection that was given back interrupts every statement until
    /// it is made a new caller's here.
    pub(crate) async fn connection(&self) -> Result<Connection, StoreError> {
        loop {
            // Before and after: a connection that is opened in between is to the same file.
            self.files.check()?;
            if self.is_closed() {
                // The file was away: whoever follows the path has opened it anew.
                return Err(self.displaced("opened anew"));
            }
            let pooled = self.pool.acquire().await.map_err(|e| self.error(e))?;
            self.files.check()?;
            let mut connection = self.lend(pooled).await?;
            if !connection.is_in_transaction() {
                return Ok(connection);
            }
            // Where a disk is full SQLite itself ends a transaction, and the driver believes to be in it for ever.
            connection.pooled.close_on_drop();
        }
    }

    /// Makes a connection of the pool its new caller's.
    pub(crate) async fn lend(
        &self,
        pooled: PoolConnection<sqlx::Sqlite>,
    ) -> Result<Connection, StoreError> {
        let gone = Arc::new(AtomicBool::new(false));
        let mut connection = Connection { pooled, gone };
        let gone = Arc::clone(&connection.gone);
        let mut handle = connection.lock_handle().await.map_err(|e| self.error(e))?;
        handle.set_progress_handler(INSTRUCTIONS, move || !gone.load(Ordering::Relaxed));
        drop(handle);
        Ok(connection)
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
