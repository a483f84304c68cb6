//! The database: where it is, and opening it from code that is not asynchronous.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use directories::ProjectDirs;
use store::{Catalogue, Records, Store, StoreError, StoreFault, Tokens};
use store_postgres::Postgres;
use store_sqlite::{FollowedDatabase, Sqlite};

/// Which database.
#[derive(Args)]
pub(crate) struct Database {
    /// Database: a file, sqlite:FILE, or postgres://USER@HOST/DATABASE, behind which ?sslmode=verify-full&sslrootcert=FILE asks for
    /// TLS [default: wavetune.db in the user's data directory].
    #[arg(long, value_name = "URL", env = "WAVETUNE_DB", hide_env_values = true)]
    db: Option<String>,
}

impl Database {
    /// The one at this location.
    pub(crate) fn at(location: &str) -> Database {
        Database {
            db: Some(location.to_owned()),
        }
    }

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

    /// Whether it is a server, and no file.
    pub(crate) fn is_server(&self) -> anyhow::Result<bool> {
        Ok(is_postgres(&self.location()?))
    }

    /// Where it is, as it may be shown: not the address of a server, which may have a password in it.
    pub(crate) fn shown(&self) -> anyhow::Result<String> {
        let location = self.location()?;
        Ok(match is_postgres(&location) {
            true => "that server".to_owned(),
            false => location,
        })
    }

    /// Opens it for reading and writing; creates what is missing.
    pub(crate) async fn open(&self) -> anyhow::Result<Box<dyn Store>> {
        let location = self.location()?;
        Ok(match is_postgres(&location) {
            true => Box::new(Postgres::open(&location).await?),
            false => Box::new(Sqlite::open(&location).await?),
        })
    }

    /// Opens it as it is.
    pub(crate) async fn open_existing(&self) -> anyhow::Result<Box<dyn Store>> {
        let location = self.location()?;
        Ok(match is_postgres(&location) {
            true => Box::new(Postgres::open_existing(&location).await?),
            false => Box::new(Sqlite::open_existing(&location).await?),
        })
    }

    /// Opens it to be read: as it is, or a copy of an older file, brought up to date.
    pub(crate) async fn open_or_copy(&self) -> anyhow::Result<Box<dyn Store>> {
        match self.open_existing().await {
            Err(error)
                if matches!(fault(&error), Some(StoreFault::OlderSchema { .. }))
                    && !is_postgres(&self.location()?) =>
            {
                Ok(Box::new(Sqlite::open_copy(&self.location()?).await?))
            }
            opened => opened,
        }
    }

    /// Opens it as it is, if it is there and has tables.
    pub(crate) async fn open_if_there(&self) -> anyhow::Result<Option<Box<dyn Store>>> {
        match self.open_existing().await {
            Err(error)
                if matches!(fault(&error), Some(StoreFault::Missing | StoreFault::Empty)) =>
            {
                Ok(None)
            }
            opened => opened.map(Some),
        }
    }

    /// Opens it, creating what is missing; as it is where it cannot be written.
    pub(crate) async fn open_to_serve(&self) -> anyhow::Result<ServedDatabase> {
        let location = self.location()?;
        if is_postgres(&location) {
            let opened = Postgres::open(&location).await;
            let existing = Postgres::open_existing(&location);
            let (store, can_write) = writable_or(opened, existing).await?;
            return Ok(ServedDatabase::server(store, can_write));
        }
        let opened = Sqlite::open(&location).await;
        let (store, can_write) = writable_or(opened, Sqlite::open_existing(&location)).await?;
        Ok(ServedDatabase::file(store, can_write))
    }

    /// Opens what is there, to be read the way that it is served.
    pub(crate) async fn open_existing_to_serve(&self) -> anyhow::Result<ServedDatabase> {
        let location = self.location()?;
        Ok(match is_postgres(&location) {
            true => ServedDatabase::server(Postgres::open_existing(&location).await?, false),
            false => ServedDatabase::file(Sqlite::open_existing(&location).await?, false),
        })
    }

    /// Opens the file that it is, as it is. `tool` is what does the same for a server.
    pub(crate) async fn open_file(&self, tool: &str) -> anyhow::Result<Sqlite> {
        Ok(Sqlite::open_existing(&self.file(tool)?).await?)
    }

    /// Opens the file that it is, of whatever schema, to be copied.
    pub(crate) async fn open_any_file(&self, tool: &str) -> anyhow::Result<Sqlite> {
        Ok(Sqlite::open_any(&self.file(tool)?).await?)
    }

    /// Where the file is that it is.
    pub(crate) fn file(&self, tool: &str) -> anyhow::Result<String> {
        let location = self.location()?;
        match is_postgres(&location) {
            true => bail!("the database is PostgreSQL, whose own tool for this is {tool}"),
            false => Ok(location),
        }
    }
}

/// A database that is served.
pub(crate) struct ServedDatabase {
    /// What is asked: of a file, the one that is at its path, whichever that is.
    pub(crate) catalogue: Arc<dyn Catalogue>,
    /// What is looked through: the same.
    pub(crate) records: Arc<dyn Records>,
    /// Who may ask it: the same.
    pub(crate) tokens: Arc<dyn Tokens>,
    /// What was opened, for a fleet.
    pub(crate) store: Arc<dyn fleet::FleetStore>,
    /// Whether it can be written.
    pub(crate) can_write: bool,
    /// A file, which services on several machines cannot share, and that another may take the place of.
    pub(crate) file: Option<ServedFile>,
}

/// A file that is served.
pub(crate) struct ServedFile {
    /// What is at its path.
    pub(crate) followed: Arc<FollowedDatabase>,
    /// What was opened.
    pub(crate) store: Sqlite,
}

impl ServedDatabase {
    fn server(store: Postgres, can_write: bool) -> ServedDatabase {
        ServedDatabase {
            catalogue: Arc::new(store.clone()),
            records: Arc::new(store.clone()),
            tokens: Arc::new(store.clone()),
            store: Arc::new(store),
            can_write,
            file: None,
        }
    }

    fn file(store: Sqlite, can_write: bool) -> ServedDatabase {
        let followed = Arc::new(FollowedDatabase::new(store.clone()));
        ServedDatabase {
            catalogue: Arc::clone(&followed) as _,
            records: Arc::clone(&followed) as _,
            tokens: Arc::clone(&followed) as _,
            store: Arc::new(store.clone()),
            can_write,
            file: Some(ServedFile { followed, store }),
        }
    }
}

/// Whether a location is the URL of a server.
fn is_postgres(location: &str) -> bool {
    ["postgres://", "postgresql://"]
        .iter()
        .any(|scheme| location.starts_with(scheme))
}

/// What was opened, or what is opened instead where it cannot be written. Whether it can.
async fn writable_or<T>(
    opened: Result<T, StoreError>,
    existing: impl Future<Output = Result<T, StoreError>>,
) -> Result<(T, bool), StoreError> {
    match opened {
        Err(error) if matches!(error.fault, StoreFault::ReadOnly | StoreFault::Unreadable) => {
            Ok((existing.await?, false))
        }
        opened => Ok((opened?, true)),
    }
}

/// A word of a command line, without the password if it is a URL that has one.
pub(crate) fn without_password(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else {
        return word.to_owned();
    };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let authority = match authority.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split(':').next().unwrap_or_default();
            format!("{user}@{host}")
        }
        None => authority.to_owned(),
    };
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let kept = query
        .split('&')
        .filter(|pair| !pair.starts_with("password="));
    let kept: Vec<&str> = kept.filter(|pair| !pair.is_empty()).collect();
    let query = match kept.is_empty() {
        true => String::new(),
        false => format!("?{}", kept.join("&")),
    };
    format!("{scheme}://{authority}{path}{query}")
}

/// What is wrong with the database, where that is the error.
fn fault(error: &anyhow::Error) -> Option<&StoreFault> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(word: &str, expected: &str) {
        assert_eq!(without_password(word), expected);
    }

    #[test]
    fn passwords_are_left_out() {
        check("argmax:4x[8]xf32", "argmax:4x[8]xf32");
        check("postgres://h/db", "postgres://h/db");
        check("postgres://ann:secret@h:7/db", "postgres://ann@h:7/db");
        check(
            "--db=postgres://ann:se:cr@t@h/db",
            "--db=postgres://ann@h/db",
        );
        check(
            "postgres://ann@h/db?password=secret&host=/run/db",
            "postgres://ann@h/db?host=/run/db",
        );
        check("postgres://ann@h?password=secret", "postgres://ann@h");
    }
}
