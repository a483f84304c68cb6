//! The database: its location, and opening it from synchronous code.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use directories::ProjectDirs;
use store::{Catalogue, Models, Records, Store, StoreError, StoreFault, Tokens};
use store_postgres::Postgres;
use store_sqlite::{FollowedDatabase, Sqlite};

/// The location of the database.
#[derive(Args)]
pub(crate) struct Database {
    /// Database: a file or a postgres:// address.
    ///
    /// The forms are FILE, sqlite:FILE and postgres://USER@HOST/DATABASE. For TLS, append
    /// ?sslmode=verify-full&sslrootcert=FILE to the address. The default is wavetune.db in the
    /// user's data directory.
    #[arg(long, value_name = "URL", env = "WAVETUNE_DB", hide_env_values = true)]
    db: Option<String>,
}

impl Database {
    /// Creates the arguments for this location.
    pub(crate) fn at(location: &str) -> Database {
        Database {
            db: Some(location.to_owned()),
        }
    }

    /// Returns the location.
    ///
    /// # Errors
    ///
    /// An empty location, or no home directory for the default file.
    pub(crate) fn location(&self) -> anyhow::Result<String> {
        if let Some(location) = &self.db {
            if location.is_empty() {
                bail!("--db (or WAVETUNE_DB) is empty; name a database");
            }
            return Ok(location.clone());
        }
        let directories = ProjectDirs::from("", "", "wavetune")
            .context("there is no home directory; name a database with --db")?;
        let path: PathBuf = directories.data_dir().join("wavetune.db");
        path.into_os_string()
            .into_string()
            .map_err(|path| anyhow::anyhow!("{path:?} is not UTF-8; name a database with --db"))
    }

    /// Returns whether it is a PostgreSQL server.
    pub(crate) fn is_server(&self) -> anyhow::Result<bool> {
        Ok(is_postgres(&self.location()?))
    }

    /// Returns the location for messages, without a server's URL, which may contain a password.
    pub(crate) fn shown(&self) -> anyhow::Result<String> {
        let location = self.location()?;
        Ok(match is_postgres(&location) {
            true => "that server".to_owned(),
            false => location,
        })
    }

    /// Opens the database for reading and writing. Creates a missing file or tables.
    pub(crate) async fn open(&self) -> anyhow::Result<Box<dyn Store>> {
        let location = self.location()?;
        Ok(match is_postgres(&location) {
            true => Box::new(Postgres::open(&location).await?),
            false => Box::new(Sqlite::open(&location).await?),
        })
    }

    /// Opens an existing database with the current schema. Creates nothing.
    pub(crate) async fn open_existing(&self) -> anyhow::Result<Box<dyn Store>> {
        let location = self.location()?;
        Ok(match is_postgres(&location) {
            true => Box::new(Postgres::open_existing(&location).await?),
            false => Box::new(Sqlite::open_existing(&location).await?),
        })
    }

    /// Opens the database for reading. A file of an older schema is copied, and the copy is
    /// migrated.
    pub(crate) async fn open_or_copy(&self) -> anyhow::Result<Box<dyn Store>> {
        // A migration in place would lock out the older wavetune that still uses the file.
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

    /// Opens an existing database. Returns `None` if it is missing or has no tables.
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

    /// Opens the database for the service, and creates it if it is missing. Opens a database
    /// without write permission as it is.
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

    /// Opens an existing database for reading through the service's interface.
    pub(crate) async fn open_existing_to_serve(&self) -> anyhow::Result<ServedDatabase> {
        let location = self.location()?;
        Ok(match is_postgres(&location) {
            true => ServedDatabase::server(Postgres::open_existing(&location).await?, false),
            false => ServedDatabase::file(Sqlite::open_existing(&location).await?, false),
        })
    }

    /// Opens the SQLite file. For a server, the error names `tool`, PostgreSQL's counterpart.
    pub(crate) async fn open_file(&self, tool: &str) -> anyhow::Result<Sqlite> {
        Ok(Sqlite::open_existing(&self.file(tool)?).await?)
    }

    /// Opens the SQLite file for copying, of any schema.
    pub(crate) async fn open_any_file(&self, tool: &str) -> anyhow::Result<Sqlite> {
        Ok(Sqlite::open_any(&self.file(tool)?).await?)
    }

    /// Returns the path of the SQLite file.
    pub(crate) fn file(&self, tool: &str) -> anyhow::Result<String> {
        let location = self.location()?;
        match is_postgres(&location) {
            true => bail!("the database is PostgreSQL; use its tool {tool}"),
            false => Ok(location),
        }
    }
}

/// A database opened for the service.
pub(crate) struct ServedDatabase {
    /// The interface of lookups. For a file, it follows the file at the path, even if that is
    /// replaced.
    pub(crate) catalogue: Arc<dyn Catalogue>,
    /// The interface of lists of studies and trials, on the same database.
    pub(crate) records: Arc<dyn Records>,
    /// The interface of tokens, on the same database.
    pub(crate) tokens: Arc<dyn Tokens>,
    /// The interface of submitted models, on the same database.
    pub(crate) models: Arc<dyn Models>,
    /// The opened database, for the fleet.
    pub(crate) store: Arc<dyn server_fleet::FleetStore>,
    /// True if it can be written.
    pub(crate) can_write: bool,
    /// The file, for SQLite. Services on several machines cannot share it, and another file may
    /// replace it.
    pub(crate) file: Option<ServedFile>,
}

/// The file of a served SQLite database.
pub(crate) struct ServedFile {
    /// The database that follows the file at the path.
    pub(crate) followed: Arc<FollowedDatabase>,
    /// The file that was opened.
    pub(crate) store: Sqlite,
}

impl ServedDatabase {
    fn server(store: Postgres, can_write: bool) -> ServedDatabase {
        ServedDatabase {
            catalogue: Arc::new(store.clone()),
            records: Arc::new(store.clone()),
            tokens: Arc::new(store.clone()),
            models: Arc::new(store.clone()),
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
            models: Arc::clone(&followed) as _,
            store: Arc::new(store.clone()),
            can_write,
            file: Some(ServedFile { followed, store }),
        }
    }
}

/// Returns whether a location is the URL of a PostgreSQL server.
fn is_postgres(location: &str) -> bool {
    ["postgres://", "postgresql://"]
        .iter()
        .any(|scheme| location.starts_with(scheme))
}

/// Returns the opened database and `true`. If it cannot be written, opens the existing one and
/// returns `false`.
async fn writable_or<T>(
    opened: Result<T, StoreError>,
    // A future: the second opening happens only if the first one fails.
    existing: impl Future<Output = Result<T, StoreError>>,
) -> Result<(T, bool), StoreError> {
    match opened {
        Err(error) if matches!(error.fault, StoreFault::ReadOnly | StoreFault::Unreadable) => {
            Ok((existing.await?, false))
        }
        opened => Ok((opened?, true)),
    }
}

/// Removes the password from a word of a command line, if the word is a URL with one.
pub(crate) fn without_password(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else {
        return word.to_owned();
    };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    // `rsplit`: a password may contain an @.
    let (authority, path) = rest.split_at(end);
    let authority = match authority.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split(':').next().unwrap_or_default();
            format!("{user}@{host}")
        }
        None => authority.to_owned(),
    };
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    // libpq also accepts the password as a parameter.
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

/// Returns the fault of the database, if the error is one.
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
