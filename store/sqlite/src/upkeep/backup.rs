//! Copies of a database, as it is at one moment, while others write to it.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use store::{StoreError, StoreFault};
use tempfile::{Builder, TempPath};

use crate::Sqlite;
use crate::error::fault;
use crate::open::{Copy, path_of};

/// A file beside the database cannot be made or moved.
pub(super) fn of_file(database: &Path, file: &Path, reason: impl ToString) -> StoreError {
    let (file, reason) = (file.display().to_string(), reason.to_string());
    fault(database, StoreFault::File { file, reason })
}

/// The directory that a file is in.
pub(super) fn directory_of(file: &Path) -> &Path {
    let parent = file.parent().filter(|parent| *parent != Path::new(""));
    parent.unwrap_or(Path::new("."))
}

/// Has the disk keep what was written to a file, and its name.
pub(super) fn keep(file: &Path) -> io::Result<()> {
    File::open(file)?.sync_all()?;
    File::open(directory_of(file))?.sync_all()
}

impl Sqlite {
    /// Writes a copy of the database to a new file. The copy is whole, or it is not there. It has the schema of the database,
    /// also an older one: it is what an upgrade can go back to.
    ///
    /// # Errors
    ///
    /// `File` where there is such a file already, or it cannot be written; `Damaged` where the copy is not whole.
    pub async fn back_up(&self, to: &Path) -> Result<(), StoreError> {
        let is_there = || of_file(&self.path, to, "is there already; name another file");
        if to.exists() {
            return Err(is_there());
        }
        let copy = self.snapshot(directory_of(to)).await?;
        let (store, _) = Sqlite::open_as_it_is(copy.to_path_buf()).await?;
        let made_whole = store.make_whole().await;
        store.close().await;
        made_whole?;
        let reason = |error| of_file(&self.path, to, error);
        keep(&copy).map_err(reason)?;
        // One that somebody else has made meanwhile stays.
        match copy.persist_noclobber(to) {
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(is_there()),
            named => named.map_err(|error| reason(error.error)),
        }?;
        keep(to).map_err(reason)
    }

    /// Opens a copy of the database at a location, of whatever schema, brought up to date. The copy goes away when it is closed
    /// and nobody has this; the database stays as it is.
    ///
    /// # Errors
    ///
    /// As [`Sqlite::open_existing`], but for `Empty` and `OlderSchema`; `File` where there is no
    /// room for a copy.
    pub async fn open_copy(location: &str) -> Result<Sqlite, StoreError> {
        let copy = Sqlite::snapshot_of(location, &std::env::temp_dir()).await?;
        let store = Sqlite::open(&copy.to_string_lossy()).await?;
        let copy = Copy {
            _file: copy,
            of: location.to_owned(),
        };
        Ok(Sqlite {
            copy: Some(Arc::new(copy)),
            ..store
        })
    }

    /// A copy of this database under another name in a directory, which goes away with what is returned.
    pub(super) async fn snapshot(&self, directory: &Path) -> Result<TempPath, StoreError> {
        let mut name = Builder::new();
        let file = name
            .prefix(".wavetune-")
            .suffix(".db")
            .tempfile_in(directory);
        let file = file.map_err(|error| of_file(&self.path, directory, error))?;
        let path = file.into_temp_path();
        let Some(name) = path.to_str() else {
            return Err(of_file(&self.path, &path, "is not UTF-8"));
        };
        // Not a macro: a VACUUM cannot be described. It reads in one transaction, and does not hold up who writes.
        let copy = sqlx::query("VACUUM INTO ?1").bind(name);
        let mut connection = self.connection().await?;
        let copied = copy.execute(&mut *connection).await;
        copied.map_err(|e| self.error(e))?;
        Ok(path)
    }

    /// The same of the database at a location, of whatever schema.
    pub(super) async fn snapshot_of(
        location: &str,
        directory: &Path,
    ) -> Result<TempPath, StoreError> {
        let (store, _) = Sqlite::open_as_it_is(path_of(location)?).await?;
        let copied = store.snapshot(directory).await;
        store.close().await;
        copied
    }

    /// Makes a copy ready to be used as a database: with a log, as a copy has none, and checked.
    pub(super) async fn make_whole(&self) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        let log = sqlx::raw_sql("PRAGMA journal_mode = WAL");
        let logged = log.execute(&mut *connection).await;
        logged.map_err(|e| self.error(e))?;
        drop(connection);
        let findings = self.verify().await?;
        match findings.into_iter().next() {
            Some(first) => Err(fault(&self.path, StoreFault::Damaged(first))),
            None => Ok(()),
        }
    }
}
