//! Opening a database: for writing, which creates and migrates it, or for reading, which leaves
//! it as it is.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use configgen::Generator;
use sqlx::migrate::{Migrate, MigrateError};
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection, SqliteConnection};
use store::{Catalogue as _, StoreError, StoreFault};
use store_relational::WishBuffer;
use tempfile::TempPath;
use tokio::sync::Semaphore;

use crate::error::{ACQUIRE_SECONDS, BUSY_SECONDS, CONNECTIONS, PATIENCE, fault, of_sqlx};
use crate::files::DatabaseFiles;
use crate::{header, upgrade};

/// An open database. Clones share its connections.
#[derive(Debug, Clone)]
pub struct Sqlite {
    pub(crate) pool: SqlitePool,
    pub(crate) path: PathBuf,
    /// A number that differs between the databases that this process has opened.
    pub(crate) number: u64,
    /// The generators that a row may name.
    pub(crate) generators: &'static [Generator],
    pub(crate) files: Arc<DatabaseFiles>,
    /// Permits for long queries, so that short queries find a connection meanwhile.
    pub(crate) whole: Arc<Semaphore>,
    pub(crate) wishes: Arc<WishBuffer>,
    /// The time after which a silent owner loses its tasks.
    pub(crate) patience: Duration,
    /// The temporary copy that this is, if it is one.
    pub(crate) copy: Option<Arc<Copy>>,
}

/// A temporary file with a copy, deleted on drop.
#[derive(Debug)]
pub(crate) struct Copy {
    pub(crate) _file: TempPath,
    /// The location of the original database.
    pub(crate) of: String,
}

/// The number of databases that this process has opened.
static OPENED: AtomicU64 = AtomicU64::new(0);

/// The limit of connections in long queries.
const WHOLE: usize = CONNECTIONS as usize / 2;

/// The migration after which the rows of earlier schemas are copied.
const UPGRADED: i64 = 8;

/// The table in which sqlx notes the applied migrations.
const MIGRATIONS_TABLE: &str = "_sqlx_migrations";

impl Sqlite {
    /// Opens the database at `location`, a file or `sqlite:FILE`, for reading and writing.
    /// Creates missing directories, a missing file and missing tables.
    ///
    /// # Errors
    ///
    /// Any of [`StoreError`] that has a path, except `Missing`, `Empty` and `OlderSchema`.
    pub async fn open(location: &str) -> Result<Self, StoreError> {
        let path = path_of(location)?;
        if let Some(directory) = path.parent() {
            let made = std::fs::create_dir_all(directory);
            made.map_err(|error| fault(&path, StoreFault::Directory(error.to_string())))?;
        }
        // In WAL mode only FULL syncs the log at every commit, so that a trial survives a power
        // failure.
        let creating = options(&path)
            .create_if_missing(true)
            .synchronous(SqliteSynchronous::Full);
        let mut store = Self::connect(path, creating).await?;
        // If two connections change the journal mode of a new file, SQLite does not wait: one
        // fails at once.
        let begin = Instant::now();
        loop {
            match store.migrate().await {
                Err(error)
                    if matches!(error.fault, StoreFault::Locked { .. })
                        && begin.elapsed().as_secs() < BUSY_SECONDS =>
                {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                migrated => break migrated?,
            }
        }
        store.files = Arc::new(DatabaseFiles::at(&store.path, true));
        // A connection opened later creates no file if the first one's is gone.
        let later = options(&store.path).synchronous(SqliteSynchronous::Full);
        store.pool.set_connect_options(later);
        Ok(store)
    }

    /// Opens the database at `location` as it is, and neither creates nor migrates anything.
    ///
    /// A file that cannot be written can still be read. Then only
    /// [`record_wish`](store::Catalogue::record_wish) and the functions that write trials fail,
    /// with [`StoreFault::ReadOnly`].
    ///
    /// # Errors
    ///
    /// `Missing` if there is no file, `Empty` if it has no tables, `OlderSchema` if it needs a
    /// migration, and any error of [`Sqlite::open`].
    pub async fn open_existing(location: &str) -> Result<Self, StoreError> {
        Self::open_file(path_of(location)?).await
    }

    /// Opens the file at `location` for copying, with any schema up to this build's. Most other
    /// queries fail on an older schema.
    ///
    /// # Errors
    ///
    /// As [`Sqlite::open_existing`], but for `Empty` and `OlderSchema`.
    pub async fn open_any(location: &str) -> Result<Self, StoreError> {
        let (store, _) = Self::open_as_it_is(path_of(location)?).await?;
        Ok(store)
    }

    /// Returns the schema of the database at `location`, 0 if it is empty, and that of this
    /// build.
    ///
    /// # Errors
    ///
    /// As [`Sqlite::open_existing`], but for `Empty` and `OlderSchema`.
    pub async fn schemas(location: &str) -> Result<(i64, i64), StoreError> {
        let (store, found) = Self::open_as_it_is(path_of(location)?).await?;
        store.close().await;
        Ok((found, newest_known()))
    }

    /// Sets the generators that rows may name; the default is [`Generator::ALL`]. A row that
    /// names another is unreadable.
    pub fn with_generators(self, generators: &'static [Generator]) -> Self {
        Sqlite { generators, ..self }
    }

    /// Sets the time after which a silent owner loses its tasks, for tests; the default is five
    /// seconds.
    pub fn with_patience(self, patience: Duration) -> Self {
        Sqlite { patience, ..self }
    }

    /// Closes the database, and opens the file at its path now, as [`Sqlite::open_existing`]
    /// does. The new database keeps the buffered wishes.
    ///
    /// # Errors
    ///
    /// As [`Sqlite::open_existing`]; `Displaced` if SQLite would read the file at the path with
    /// the log of this one.
    pub async fn reopen(&self) -> Result<Self, StoreError> {
        // Only while it is open: later its inode numbers may be those of other files.
        if !self.is_closed()
            && let Err(displaced) = self.files.check()
        {
            self.fold_log().await.ok();
            if self.files.has_log() && !is_log_empty(&self.path) {
                return Err(displaced);
            }
        }
        self.close().await;
        let mut store = Self::open_file(self.path.clone()).await?;
        // The clients of the buffered wishes have been told that these are noted.
        store.wishes = Arc::clone(&self.wishes);
        (store.generators, store.patience) = (self.generators, self.patience);
        Ok(store)
    }

    async fn open_file(path: PathBuf) -> Result<Self, StoreError> {
        let (store, found) = Self::open_as_it_is(path).await?;
        let known = newest_known();
        match found {
            0 => Err(fault(&store.path, StoreFault::Empty)),
            found if found < known => {
                Err(fault(&store.path, StoreFault::OlderSchema { found, known }))
            }
            _ => Ok(store),
        }
    }

    /// Opens the database at the path with any schema up to this build's, and returns its newest
    /// applied migration.
    // If the path cannot be examined, opening it reports the reason.
    pub(crate) async fn open_as_it_is(path: PathBuf) -> Result<(Self, i64), StoreError> {
        if !path.try_exists().unwrap_or(true) {
            return Err(fault(&path, StoreFault::Missing));
        }
        let mut logged = true;
        let (mut store, found) = match Self::open_unchanged(path.clone(), options(&path)).await {
            // In a read-only directory SQLite cannot create the files that coordinate readers
            // with a writer. Without a log there is no writer either, and the file alone is the
            // whole database.
            Err(error)
                if matches!(error.fault, StoreFault::Unreadable | StoreFault::ReadOnly)
                    && is_log_empty(&path) =>
            {
                let options = options(&path).read_only(true).immutable(true);
                logged = false;
                Self::open_unchanged(path, options).await?
            }
            opened => opened?,
        };
        store.files = Arc::new(DatabaseFiles::at(&store.path, logged));
        Ok((store, found))
    }

    /// Writes the buffered wishes if that is possible, and closes the connections. The last close
    /// in any process folds the write-ahead log into the database file.
    pub async fn close(&self) {
        self.flush_wishes().await.ok();
        // SQLite itself would not fold the log of a file that was moved, see `fold_log`.
        if !self.is_closed() && self.files.check().is_err() {
            self.fold_log().await.ok();
        }
        self.pool.close().await;
    }

    /// Returns whether the database was closed.
    pub fn is_closed(&self) -> bool {
        self.pool.is_closed()
    }

    /// Folds the log into the open file, and empties it.
    ///
    /// SQLite does not do so on close if that file was moved or deleted. The log's content would
    /// be lost, and SQLite would take the log for that of the next file at the path.
    async fn fold_log(&self) -> Result<(), StoreError> {
        // A connection opened now would be to the file at the path, and fold the log into that.
        let begin = Instant::now();
        let pooled = loop {
            if let Some(pooled) = self.pool.try_acquire() {
                break pooled;
            }
            if begin.elapsed().as_secs() >= BUSY_SECONDS {
                return Err(self.error(sqlx::Error::PoolTimedOut));
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        };
        let mut connection = self.lend(pooled).await?;
        let fold = sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE)");
        let folded = fold.execute(&mut *connection).await;
        folded.map(drop).map_err(|e| self.error(e))
    }

    /// Checks that the database is still the file at its path.
    ///
    /// # Errors
    ///
    /// `Displaced`.
    pub fn check_files(&self) -> Result<(), StoreError> {
        self.files.check()
    }

    /// Returns the path of the database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the error of a database that is no longer the one that was opened.
    pub(crate) fn displaced(&self, what: &'static str) -> StoreError {
        let part = self.path.display().to_string();
        fault(&self.path, StoreFault::Displaced { part, what })
    }

    pub(crate) fn error(&self, source: sqlx::Error) -> StoreError {
        fault(&self.path, of_sqlx(&source))
    }

    async fn open_unchanged(
        path: PathBuf,
        options: SqliteConnectOptions,
    ) -> Result<(Self, i64), StoreError> {
        let store = Self::connect(path, options).await?;
        // The pool has given out no connection yet, so none interrupts its statements.
        let mut connection = store.pool.acquire().await.map_err(|e| store.error(e))?;
        let found = store.applied(&mut connection).await?;
        drop(connection);
        Ok((store, found))
    }

    async fn connect(path: PathBuf, options: SqliteConnectOptions) -> Result<Self, StoreError> {
        // SQLite says of a directory only that it cannot be opened, and the advice would be on
        // permissions.
        if path.is_dir() {
            return Err(fault(&path, StoreFault::NotADatabase));
        }
        // All connections stay open until the database closes, so that the opened file and its
        // log keep their inodes. A tested connection would be closed if its caller went away
        // during the test.
        let pool = SqlitePoolOptions::new()
            .max_connections(CONNECTIONS)
            .test_before_acquire(false)
            .idle_timeout(None)
            .max_lifetime(None)
            .acquire_timeout(Duration::from_secs(ACQUIRE_SECONDS));
        match pool.connect_with(options).await {
            Ok(pool) => Ok(Sqlite {
                pool,
                // The callers replace this by the files with the log, once the log exists.
                files: Arc::new(DatabaseFiles::at(&path, false)),
                path,
                number: OPENED.fetch_add(1, Ordering::Relaxed),
                generators: &Generator::ALL,
                whole: Arc::new(Semaphore::new(WHOLE)),
                wishes: Arc::default(),
                patience: PATIENCE,
                copy: None,
            }),
            // No other caller has a connection yet, so the file itself takes that long to open.
            Err(source @ sqlx::Error::PoolTimedOut) => {
                Err(fault(&path, StoreFault::Database(source.to_string())))
            }
            Err(source) => Err(fault(&path, of_sqlx(&source))),
        }
    }

    /// Returns the newest migration that was applied to the database; 0 for an empty one.
    pub(crate) async fn applied(
        &self,
        connection: &mut SqliteConnection,
    ) -> Result<i64, StoreError> {
        let header = header::read(connection).await;
        let header = header.map_err(|source| self.error(source))?;
        if header.objects == 0 {
            return Ok(0);
        }
        if header.application_id != migrations::SQLITE_APPLICATION_ID {
            return Err(fault(&self.path, StoreFault::Foreign));
        }
        let applied = connection.list_applied_migrations(MIGRATIONS_TABLE).await;
        let applied = applied.map_err(|error| self.migration_error(error))?;
        let found = applied.last().map_or(0, |migration| migration.version);
        let known = newest_known();
        if found > known {
            return Err(fault(&self.path, StoreFault::NewerSchema { found, known }));
        }
        // A migration that was edited after its release has another checksum.
        let mut pairs = applied.iter().zip(migrations::SQLITE.iter());
        match pairs.find(|(applied, known)| applied.checksum != known.checksum) {
            Some((edited, _)) => {
                Err(self.migration_error(MigrateError::VersionMismatch(edited.version)))
            }
            None => Ok(found),
        }
    }

    /// Applies the missing migrations.
    ///
    /// Looks again under the write lock, because two processes may start on the same new file.
    /// sqlx's own `Migrator::run` takes no lock in SQLite.
    async fn migrate(&self) -> Result<(), StoreError> {
        // The pool has given out no connection yet, so none interrupts its statements.
        let mut connection = self.pool.acquire().await.map_err(|e| self.error(e))?;
        if self.applied(&mut connection).await? == newest_known() {
            return Ok(());
        }
        // The file keeps this mode. An option of every connection would set it before the owner
        // of the file is known.
        let wal = sqlx::raw_sql("PRAGMA journal_mode = WAL")
            .execute(&mut *connection)
            .await;
        wal.map_err(|source| self.error(source))?;
        let transaction = connection.begin_with("BEGIN IMMEDIATE").await;
        let mut transaction = transaction.map_err(|source| self.error(source))?;
        let found = self.applied(&mut transaction).await?;
        let table = transaction.ensure_migrations_table(MIGRATIONS_TABLE).await;
        table.map_err(|error| self.migration_error(error))?;
        for migration in migrations::SQLITE.iter().filter(|m| m.version > found) {
            let applied = transaction.apply(MIGRATIONS_TABLE, migration).await;
            applied.map_err(|error| self.migration_error(error))?;
            // The migration only renames the old tables; their texts are parsed in Rust.
            if migration.version == UPGRADED {
                let copied = upgrade::run(&mut transaction).await;
                copied.map_err(|source| self.error(source))?;
            }
        }
        transaction.commit().await.map_err(|e| self.error(e))
    }

    fn migration_error(&self, error: MigrateError) -> StoreError {
        match error {
            MigrateError::Execute(source) | MigrateError::ExecuteMigration(source, _) => {
                self.error(source)
            }
            source => fault(&self.path, StoreFault::Migration(source.to_string())),
        }
    }
}

/// Returns the newest migration of this build.
pub(crate) fn newest_known() -> i64 {
    let versions = migrations::SQLITE.iter().map(|migration| migration.version);
    versions.max().unwrap_or(0)
}

pub(crate) fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(BUSY_SECONDS))
}

/// Returns the path in a location: `FILE`, `sqlite:FILE` or `sqlite://FILE`.
pub(crate) fn path_of(location: &str) -> Result<PathBuf, StoreError> {
    let is_scheme = |text: &str| text.len() > 1 && text.bytes().all(|b| b.is_ascii_alphanumeric());
    match location.split_once(':') {
        Some(("sqlite", file)) => Ok(PathBuf::from(file.strip_prefix("//").unwrap_or(file))),
        Some((scheme, rest)) if is_scheme(scheme) && rest.starts_with("//") => Err(StoreError {
            // The rest of the URL may contain a password.
            database: format!("{scheme}://"),
            fault: StoreFault::UnknownKind(scheme.to_owned()),
        }),
        _ => Ok(PathBuf::from(location)),
    }
}

/// Returns whether the write-ahead log of the database is absent or empty.
fn is_log_empty(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).map_or(true, |metadata| metadata.len() == 0)
}
