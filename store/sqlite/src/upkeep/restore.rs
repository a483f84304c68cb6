//! Restore: replaces a database by a backup.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};
use store::{StoreError, StoreFault, StudyId, is_calendar_time};

use super::backup::{directory_of, keep, of_file};
use crate::Sqlite;
use crate::error::{BUSY_SECONDS, fault, of_sqlx};
use crate::open::{options, path_of};

impl Sqlite {
    /// Replaces the database at `location` by a copy of the backup. Returns the new name of the
    /// replaced file, if there was one.
    ///
    /// # Errors
    ///
    /// `Damaged` if the backup is damaged, `AtWork` if a process works on a study of the
    /// database, `Locked` if another process has it open; `File`. None of them changes anything.
    pub async fn restore(location: &str, backup: &str) -> Result<Option<PathBuf>, StoreError> {
        let path = path_of(location)?;
        let directory = directory_of(&path);
        let made = fs::create_dir_all(directory);
        made.map_err(|error| fault(&path, StoreFault::Directory(error.to_string())))?;
        let copy = Sqlite::snapshot_of(backup, directory).await?;
        // Opening migrates a backup of an older wavetune.
        let store = Sqlite::open(&copy.to_string_lossy()).await?;
        let made_whole = store.make_whole().await;
        store.close().await;
        made_whole?;

        let reason = |error| of_file(&path, &copy, error);
        // A temporary file is readable by its owner only; the database may be shared.
        if let Ok(present) = fs::metadata(&path) {
            fs::set_permissions(&copy, present.permissions()).map_err(reason)?;
        }
        keep(&copy).map_err(reason)?;
        // Lock the present database last, so that it is unavailable only for the exchange.
        let held = hold(&path).await?;
        let kept = match path.exists() {
            true => Some(set_aside(&path, held.is_some())?),
            false => None,
        };
        let named = copy.persist(&path);
        named.map_err(|error| of_file(&path, &path, error.error))?;
        keep(&path).map_err(|error| of_file(&path, &path, error))?;
        // The kept file returns to WAL mode, so that a wavetune can open it again.
        if let (Some(held), Some(kept)) = (held, &kept) {
            held.close().await.map_err(|e| fault(&path, of_sqlx(&e)))?;
            give_log(kept).await?;
        }
        Ok(kept)
    }

    /// Returns an owner that works on a study of this database.
    async fn anybody_at_work(&self) -> Result<Option<(StudyId, String)>, StoreError> {
        let patience = self.patience_ms();
        let worker = sqlx::query!(
            r#"SELECT study_id AS "study!", owner AS "owner!" FROM worker
            WHERE seen_ms >= CAST(1000 * unixepoch('subsec') AS INTEGER) - ?1 LIMIT 1"#,
            patience
        );
        let mut connection = self.connection().await?;
        let worker = worker.fetch_optional(&mut *connection).await;
        let worker = worker.map_err(|e| self.error(e))?;
        Ok(worker.map(|row| (StudyId(row.study), row.owner)))
    }
}

/// Locks the database at the path for this process alone, and removes its log. Returns `None` if
/// there is no database, or a damaged one.
async fn hold(path: &Path) -> Result<Option<SqliteConnection>, StoreError> {
    let store = match Sqlite::open_as_it_is(path.to_owned()).await {
        Ok((store, _)) => store,
        Err(error) if matches!(error.fault, StoreFault::Missing | StoreFault::NotADatabase) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let worker = store.anybody_at_work().await;
    store.close().await;
    // The result may be an error: an early schema has no table of workers.
    if let Ok(Some((study, owner))) = worker {
        let owners = vec![owner];
        return Err(fault(path, StoreFault::AtWork { study, owners }));
    }
    let failed = |source| fault(path, of_sqlx(&source));
    let mut connection = options(path).connect().await.map_err(failed)?;
    // Only a process that has the database alone can remove the log. That would also give up the
    // lock, but for the locking mode.
    let alone = sqlx::query_scalar("PRAGMA journal_mode = DELETE");
    let exclusive = sqlx::raw_sql("PRAGMA locking_mode = EXCLUSIVE");
    exclusive.execute(&mut connection).await.map_err(failed)?;
    let mode: String = alone.fetch_one(&mut connection).await.map_err(failed)?;
    if mode != "delete" {
        let seconds = BUSY_SECONDS;
        return Err(fault(path, StoreFault::Locked { seconds }));
    }
    let lock = sqlx::raw_sql("BEGIN EXCLUSIVE");
    lock.execute(&mut connection).await.map_err(failed)?;
    Ok(Some(connection))
}

/// Restores the WAL mode that [`hold`] has removed.
async fn give_log(kept: &Path) -> Result<(), StoreError> {
    let failed = |source| fault(kept, of_sqlx(&source));
    let mut connection = options(kept).connect().await.map_err(failed)?;
    let log = sqlx::raw_sql("PRAGMA journal_mode = WAL");
    log.execute(&mut connection).await.map_err(failed)?;
    connection.close().await.map_err(failed)
}

/// Links the file at the path to a second name. The log of a damaged database moves along.
fn set_aside(path: &Path, is_whole: bool) -> Result<PathBuf, StoreError> {
    // The formatter panics on a time after the year 9999.
    let now = Some(SystemTime::now()).filter(|now| is_calendar_time(*now));
    let now = humantime::format_rfc3339_millis(now.unwrap_or(SystemTime::UNIX_EPOCH));
    let beside = |path: &Path, ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let kept = beside(path, &format!(".before-restore-{now}").replace(':', ""));
    // A hard link keeps the path occupied until the restored file replaces it atomically.
    fs::hard_link(path, &kept).map_err(|error| of_file(path, &kept, error))?;
    for ending in ["-wal", "-shm"].into_iter().filter(|_| !is_whole) {
        let (from, to) = (beside(path, ending), beside(&kept, ending));
        if from.exists() {
            fs::rename(&from, &to).map_err(|error| of_file(path, &to, error))?;
        }
    }
    Ok(kept)
}
