//! `cargo xtask sqlx`: refreshes the record of the database's types that the queries of `store` are
//! checked against when there is no database.

use anyhow::Result;

/// Runs it.
pub(crate) fn run() -> Result<()> {
    anyhow::bail!("later")
}
