//! The begin of transactions.

use sqlx::Transaction;

use crate::Postgres;

impl Postgres {
    /// Begins a transaction, in a task that survives the caller.
    ///
    /// If the caller of a `BEGIN` goes away before the answer, sqlx 0.9.0 does not know that it
    /// was sent. Another caller then gets the connection with the transaction open. Its writes
    /// stay uncommitted, and the waiters for its locks wait forever.
    pub(crate) async fn begin(&self) -> Result<Transaction<'static, sqlx::Postgres>, sqlx::Error> {
        let pool = self.pool.clone();
        match tokio::spawn(async move { pool.begin().await }).await {
            Ok(begun) => begun,
            Err(ended) if ended.is_panic() => std::panic::resume_unwind(ended.into_panic()),
            // The runtime shuts down.
            Err(_) => Err(sqlx::Error::PoolClosed),
        }
    }
}
