//! The database: where it is, and opening it from code that is not asynchronous.

use std::future::Future;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use directories::ProjectDirs;
use store::{Fault, StoreError};
use store_sqlite::Sqlite;

/// Which database.
#[derive(Args)]
pub(crate) struct Database {
    /// Database: a file, or sqlite:FILE [default: wavetune.db in the user's data directory].
    #[arg(long, value_name = "URL", env = "WAVETUNE_DB")]
    db: Option<String>,
}

impl Database {
    /// Where it is.
    pub(crate) fn location(&self) -> anyhow::Result<String> {
        if let Some(location) = &self.db {
            if location.is_empty() {
                bail!("--db (or WAVETUNE_DB) is empty; name a file");
            }
            return Ok(location.clone());
        }
        let directories = ProjectDirs::from("", "", "wavetune")
            .context("no home directory; name a file with --db")?;
        let path: PathBuf = directories.data_dir().join("wavetune.db");
        path.into_os_string()
            .into_string()
            .map_err(|path| anyhow::anyhow!("{path:?} is not UTF-8; name a file with --db"))
    }

    /// Opens it for reading and writing; creates what is missing.
    pub(crate) async fn open(&self) -> anyhow::Result<Sqlite> {
        Ok(Sqlite::open(&self.location()?).await?)
    }

    /// Opens it, creating what is missing; as it is where it cannot be written. Whether it can.
    pub(crate) async fn open_to_serve(&self) -> anyhow::Result<(Sqlite, bool)> {
        match self.open().await {
            Err(error) if is_read_only(&error) => Ok((self.open_existing().await?, false)),
            opened => Ok((opened?, true)),
        }
    }

    /// Opens it as it is.
    pub(crate) async fn open_existing(&self) -> anyhow::Result<Sqlite> {
        Ok(Sqlite::open_existing(&self.location()?).await?)
    }

    /// Opens it as it is, if it is there.
    pub(crate) async fn open_if_there(&self) -> anyhow::Result<Option<Sqlite>> {
        match self.open_existing().await {
            Err(error) if matches!(fault(&error), Some(Fault::Missing)) => Ok(None),
            opened => opened.map(Some),
        }
    }
}

fn is_read_only(error: &anyhow::Error) -> bool {
    matches!(fault(error), Some(Fault::ReadOnly | Fault::Unreadable))
}

/// What is wrong with the database, where that is the error.
fn fault(error: &anyhow::Error) -> Option<&Fault> {
    let error = error.downcast_ref::<StoreError>();
    error.map(|error| &error.fault)
}

/// Runs a future to its end on this thread.
pub(crate) fn block_on<T>(future: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(future)
}
