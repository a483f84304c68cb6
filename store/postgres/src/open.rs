//! Opening a database: for writing, which migrates it, or for reading, which leaves it as it is.

use std::sync::Arc;
use std::time::Duration;

use configgen::Generator;
use sqlx::migrate::{Migrate, MigrateError};
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions, Connection, PgConnection};
use store::{Catalogue as _, StoreError, StoreFault};
use store_relational::WishBuffer;
use tokio::sync::Semaphore;

use crate::error::{ACQUIRE_SECONDS, CONNECTIONS, IDLE_SECONDS, LOCK_SECONDS, PATIENCE, of_sqlx};
use crate::{database_name, header, tls};

/// An open database. Clones share its connections.
#[derive(Debug, Clone)]
pub struct Postgres {
    pub(crate) pool: PgPool,
    /// The URL without the password.
    pub(crate) name: String,
    /// The generators that a row may name.
    pub(crate) generators: &'static [Generator],
    /// Permits for long queries, so that short queries find a connection meanwhile.
    pub(crate) whole: Arc<Semaphore>,
    pub(crate) wishes: Arc<WishBuffer>,
    /// The time after which a silent owner loses its tasks.
    pub(crate) patience: Duration,
}

/// The limit of connections in long queries.
const WHOLE: usize = CONNECTIONS as usize / 2;

/// The table in which sqlx notes the applied migrations.
const MIGRATIONS_TABLE: &str = "_sqlx_migrations";

impl Postgres {
    /// Opens the database at `url`, `postgres://USER@HOST/DATABASE`, for reading and writing.
    /// Creates and migrates its tables; the database itself must exist.
    ///
    /// libpq's environment variables and `~/.pgpass` supply missing parts of the URL. `sslmode`
    /// and `sslrootcert` mean the same as in libpq, with two exceptions. With `sslrootcert` the
    /// server's name is checked as well, unless `sslmode` is `verify-ca`. The named certificates
    /// add to those of the system.
    ///
    /// # Errors
    ///
    /// Any of [`StoreError`] that does not name a file, except `Empty` and `OlderSchema`.
    pub async fn open(url: &str) -> Result<Self, StoreError> {
        let (store, mut connection) = Self::connect(url).await?;
        if store.applied(&mut connection).await? < newest_known() {
            // Takes a lock, because many processes may start at once on a new database.
            let migrated = migrations::POSTGRES.run(&store.pool).await;
            migrated.map_err(|error| store.migration_error(error))?;
        }
        store.end(connection).await?;
        Ok(store)
    }

    /// Opens the database at `url` as it is, and neither creates nor migrates anything.
    ///
    /// # Errors
    ///
    /// `Empty` if it has no tables, `OlderSchema` if it needs a migration, and any error of
    /// [`Postgres::open`].
    pub async fn open_existing(url: &str) -> Result<Self, StoreError> {
        let (store, mut connection) = Self::connect(url).await?;
        let (found, known) = (store.applied(&mut connection).await?, newest_known());
        store.end(connection).await?;
        match found {
            0 => Err(store.fault(StoreFault::Empty)),
            found if found < known => Err(store.fault(StoreFault::OlderSchema { found, known })),
            _ => Ok(store),
        }
    }

    /// Returns the schema of the database at `url`, 0 if it is empty, and that of this build.
    ///
    /// # Errors
    ///
    /// As [`Postgres::open_existing`], but for `Empty` and `OlderSchema`.
    pub async fn schemas(url: &str) -> Result<(i64, i64), StoreError> {
        let (store, mut connection) = Self::connect(url).await?;
        let found = store.applied(&mut connection).await?;
        store.end(connection).await?;
        Ok((found, newest_known()))
    }

    /// Sets the generators that rows may name; the default is [`Generator::ALL`]. A row that
    /// names another is unreadable.
    pub fn with_generators(self, generators: &'static [Generator]) -> Self {
        Postgres { generators, ..self }
    }

    /// Sets the time after which a silent owner loses its tasks, for tests; the default is five
    /// seconds.
    pub fn with_patience(self, patience: Duration) -> Self {
        Postgres { patience, ..self }
    }

    /// Writes the buffered wishes if that is possible, and closes the connections.
    pub async fn close(&self) {
        self.flush_wishes().await.ok();
        self.pool.close().await;
    }

    pub(crate) fn fault(&self, fault: StoreFault) -> StoreError {
        StoreError {
            database: self.name.clone(),
            fault,
        }
    }

    pub(crate) fn error(&self, source: sqlx::Error) -> StoreError {
        self.fault(match source {
            sqlx::Error::PoolTimedOut if self.pool.size() >= CONNECTIONS => StoreFault::Busy {
                connections: CONNECTIONS,
                seconds: ACQUIRE_SECONDS,
            },
            // The pool could have opened another connection, so the server did not answer.
            sqlx::Error::PoolTimedOut => no_answer(),
            source => of_sqlx(&source),
        })
    }

    /// Creates a pool without connections, and one connection outside it.
    ///
    /// The pool retries a refused connection until its timeout, and then reports only the
    /// timeout. The separate connection reports the cause.
    async fn connect(url: &str) -> Result<(Self, PgConnection), StoreError> {
        // The text that did not parse may contain a password, so the error omits it.
        let options: PgConnectOptions = url.parse().map_err(|source| StoreError {
            database: "of this URL".to_owned(),
            fault: of_sqlx(&source),
        })?;
        let database = database_name::name(&options);
        let options = tls::verified(options).map_err(|fault| StoreError { database, fault })?;
        let options = options.application_name("wavetune").options([
            ("lock_timeout", format!("{LOCK_SECONDS}s")),
            (
                "idle_in_transaction_session_timeout",
                format!("{IDLE_SECONDS}s"),
            ),
            // A transaction must see the rows that it has waited for, whatever the server's
            // default is.
            ("default_transaction_isolation", "read committed".to_owned()),
        ]);
        let limit = Duration::from_secs(ACQUIRE_SECONDS);
        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(limit);
        let store = Postgres {
            name: database_name::name(&options),
            pool: pool.connect_lazy_with(options.clone()),
            generators: &Generator::ALL,
            whole: Arc::new(Semaphore::new(WHOLE)),
            wishes: Arc::default(),
            patience: PATIENCE,
        };
        match tokio::time::timeout(limit, options.connect()).await {
            Ok(Ok(connection)) => Ok((store, connection)),
            Ok(Err(source)) => Err(store.error(source)),
            Err(_) => Err(store.fault(no_answer())),
        }
    }

    async fn end(&self, connection: PgConnection) -> Result<(), StoreError> {
        let ended = connection.close().await;
        ended.map_err(|source| self.error(source))
    }

    /// Returns the newest migration that was applied to the database; 0 for an empty one.
    async fn applied(&self, connection: &mut PgConnection) -> Result<i64, StoreError> {
        let header = header::read(connection).await;
        let header = header.map_err(|source| self.error(source))?;
        if header.objects == 0 {
            return Ok(0);
        }
        if !header.is_ours {
            return Err(self.fault(StoreFault::Foreign));
        }
        let applied = connection.list_applied_migrations(MIGRATIONS_TABLE).await;
        let applied = applied.map_err(|error| self.migration_error(error))?;
        let found = applied.last().map_or(0, |migration| migration.version);
        let known = newest_known();
        if found > known {
            return Err(self.fault(StoreFault::NewerSchema { found, known }));
        }
        // A migration that was edited after its release has another checksum.
        let mut pairs = applied.iter().zip(migrations::POSTGRES.iter());
        match pairs.find(|(applied, known)| applied.checksum != known.checksum) {
            Some((edited, _)) => {
                Err(self.migration_error(MigrateError::VersionMismatch(edited.version)))
            }
            None => Ok(found),
        }
    }

    fn migration_error(&self, error: MigrateError) -> StoreError {
        match error {
            MigrateError::Execute(source) | MigrateError::ExecuteMigration(source, _) => {
                self.error(source)
            }
            source => self.fault(StoreFault::Migration(source.to_string())),
        }
    }
}

fn no_answer() -> StoreFault {
    StoreFault::Unavailable(format!("no connection within {ACQUIRE_SECONDS} s"))
}

/// Returns the newest migration of this build.
fn newest_known() -> i64 {
    let versions = migrations::POSTGRES
        .iter()
        .map(|migration| migration.version);
    versions.max().unwrap_or(0)
}
