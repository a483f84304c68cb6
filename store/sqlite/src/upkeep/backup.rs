//! Backup: copies of a database at one moment, while others write to it.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use store::{StoreError, StoreFault};
use tempfile::{Builder, TempPath};

use crate::Sqlite;
use crate::error::fault;
use crate::open::{Copy, path_of};

/// Creates the error of a file beside the database that cannot be created or moved.
pub(super) fn of_file(database: &Path, file: &Path, reason: impl ToString) -> StoreError {
    let (file, reason) = (file.display().to_string(), reason.to_string());
    fault(database, StoreFault::File { file, reason })
}

/// Returns the directory of a file.
pub(super) fn directory_of(file: &Path) -> &Path {
    let parent = file.parent().filter(|parent| *parent != Path::new(""));
    parent.unwrap_or(Path::new("."))
}

/// Syncs a file and its directory entry to the disk.
pub(super) fn keep(file: &Path) -> io::Result<()> {
    File::open(file)?.sync_all()?;
    File::open(directory_of(file))?.sync_all()
}

impl Sqlite {
    /// Writes a complete copy of the database to a new file, or none. The copy has the schema of
    /// the database, also an older one, so that it can undo an upgrade.
    ///
    /// # Errors
    ///
    /// `File` if the file exists or cannot be written; `Damaged` if the copy is damaged.
    pub async fn back_up(&self, to: &Path) -> Result<(), StoreError> {
        let is_there = || of_file(&self.path, to, "exists already; name another file");
        // An early check spares the copy; `persist_noclobber` below decides.
        if to.exists() {
            return Err(is_there());
        }
        let copy = self.snapshot(directory_of(to)).await?;
        let (store, _) = Sqlite::open_as_it_is(copy.to_path_buf()).await?;
        let made_whole = store.make_whole().await;
        store.close().await;
        made_whole?;
        // The content reaches the disk before the name does, so a crash leaves no incomplete
        // backup.
        let reason = |error| of_file(&self.path, to, error);
        keep(&copy).map_err(reason)?;
        // A file that another process has created meanwhile stays.
        match copy.persist_noclobber(to) {
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(is_there()),
            named => named.map_err(|error| reason(error.error)),
        }?;
        keep(to).map_err(reason)
    }

    /// Opens a migrated copy of the database at a location, with any schema. The copy is deleted
    /// when it is closed and the last clone is dropped; the database stays as it is.
    ///
    /// # Errors
    ///
    /// As [`Sqlite::open_existing`], but for `Empty` and `OlderSchema`; `File` if there is no
    /// space for a copy.
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

    /// Copies this database to a temporary file in a directory. Dropping the result deletes it.
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
        // Not a macro: SQLite cannot describe a VACUUM. It reads in one transaction and blocks no
        // writer.
        let copy = sqlx::query("VACUUM INTO ?1").bind(name);
        let mut connection = self.connection().await?;
        let copied = copy.execute(&mut *connection).await;
        copied.map_err(|e| self.error(e))?;
        Ok(path)
    }

    /// Copies the database at a location, with any schema, to a temporary file in a directory.
    pub(super) async fn snapshot_of(
        location: &str,
        directory: &Path,
    ) -> Result<TempPath, StoreError> {
        let (store, _) = Sqlite::open_as_it_is(path_of(location)?).await?;
        let copied = store.snapshot(directory).await;
        store.close().await;
        copied
    }

    /// Turns a copy into a usable database: sets the WAL mode, which a copy lacks, and checks the
    /// content.
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
