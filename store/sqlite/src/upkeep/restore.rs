//! Putting a backup in the place of a database.

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
    /// Puts a copy of the backup in the place of the database at `location`, and says under which name what was there is
    /// kept; none where nothing was.
    ///
    /// # Errors
    ///
    /// Before anything is changed: `Damaged` where the backup is not whole, `AtWork` where somebody works on a study of the
    /// database, `Locked` where another process has it open; `File`.
    pub async fn restore(location: &str, backup: &str) -> Result<Option<PathBuf>, StoreError> {
        let path = path_of(location)?;
        let directory = directory_of(&path);
        let made = fs::create_dir_all(directory);
        made.map_err(|error| fault(&path, StoreFault::Directory(error.to_string())))?;
        let copy = Sqlite::snapshot_of(backup, directory).await?;
        // What an older wavetune wrote is brought up to date.
        let store = Sqlite::open(&copy.to_string_lossy()).await?;
        let made_whole = store.make_whole().await;
        store.close().await;
        made_whole?;

        let reason = |error| of_file(&path, &copy, error);
        if let Ok(present) = fs::metadata(&path) {
            fs::set_permissions(&copy, present.permissions()).map_err(reason)?;
        }
        keep(&copy).map_err(reason)?;
        let held = hold(&path).await?;
        let kept = match path.exists() {
            true => Some(set_aside(&path, held.is_some())?),
            false => None,
        };
        let named = copy.persist(&path);
        named.map_err(|error| of_file(&path, &path, error.error))?;
        keep(&path).map_err(|error| of_file(&path, &path, error))?;
        if let (Some(held), Some(kept)) = (held, &kept) {
            held.close().await.map_err(|e| fault(&path, of_sqlx(&e)))?;
            give_log(kept).await?;
        }
        Ok(kept)
    }

    /// Somebody who works on a study of this database.
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

/// Takes the database at the path for this process alone, without a log. None where there is none, or a damaged one.
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
    // One of an early schema cannot tell: it knew no workers.
    if let Ok(Some((study, owner))) = worker {
        let owners = vec![owner];
        return Err(fault(path, StoreFault::AtWork { study, owners }));
    }
    let failed = |source| fault(path, of_sqlx(&source));
    let mut connection = options(path).connect().await.map_err(failed)?;
    // A log can be given up by who has the database alone; with it the lock would go, but for the mode.
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

/// Gives back the log that [`hold`] took.
async fn give_log(kept: &Path) -> Result<(), StoreError> {
    let failed = |source| fault(kept, of_sqlx(&source));
    let mut connection = options(kept).connect().await.map_err(failed)?;
    let log = sqlx::raw_sql("PRAGMA journal_mode = WAL");
    log.execute(&mut connection).await.map_err(failed)?;
    connection.close().await.map_err(failed)
}

/// Gives what is at the path another name as well. A damaged database goes with its log.
fn set_aside(path: &Path, is_whole: bool) -> Result<PathBuf, StoreError> {
    // What the formatter cannot write would end the process.
    let now = Some(SystemTime::now()).filter(|now| is_calendar_time(*now));
    let now = humantime::format_rfc3339_millis(now.unwrap_or(SystemTime::UNIX_EPOCH));
    let beside = |path: &Path, ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let kept = beside(path, &format!(".before-restore-{now}").replace(':', ""));
    fs::hard_link(path, &kept).map_err(|error| of_file(path, &kept, error))?;
    for ending in ["-wal", "-shm"].into_iter().filter(|_| !is_whole) {
        let (from, to) = (beside(path, ending), beside(&kept, ending));
        if from.exists() {
            fs::rename(&from, &to).map_err(|error| of_file(path, &to, error))?;
        }
    }
    Ok(kept)
}
