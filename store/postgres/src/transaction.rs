//! How transactions begin.

use sqlx::Transaction;

use crate::Postgres;

impl Postgres {
    /// A transaction.
    ///
    /// It begins in a task of its own, which goes on where whoever wanted it is gone. Of a `BEGIN` whose answer nobody waits for
    /// sqlx 0.9.0 does not know that it was sent: others get the connection with the transaction open, what they write stays in
    /// it, and those who wait for its locks wait for ever.
    pub(crate) async fn begin(&self) -> Result<Transaction<'static, sqlx::Postgres>, sqlx::Error> {
        let pool = self.pool.clone();
        match tokio::spawn(async move { pool.begin().await }).await {
            Ok(begun) => begun,
            Err(ended) if ended.is_panic() => std::panic::resume_unwind(ended.into_panic()),
            // The program ends.
            Err(_) => Err(sqlx::Error::PoolClosed),
        }
    }
}
