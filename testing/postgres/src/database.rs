//! A database for one test, on the server that all tests share.

use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use testing_shared_server::{PATIENCE, Recipe, SharedServer};

use crate::{
    NOBODY, SETTINGS, client, cluster, free_in_memory, installed, is_root, parent, psql, succeed,
    url,
};

/// The settings of the shared server beside [`SETTINGS`].
///
/// 1,000 connections, because as many tests run at once as there are cores, each with some pools
/// of ten.
const SHARED_SETTINGS: [&str; 2] = ["listen_addresses=", "max_connections=1000"];

/// The database that exists in each server; no test writes to it.
const FIRST: &str = "postgres";

/// Numbers the databases of this process.
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A database that is dropped with the value.
///
/// Roles belong to the whole server, so a test names a role that it creates by its database.
#[derive(Debug)]
pub struct Database {
    server: SharedServer,
    programs: PathBuf,
    name: String,
}

impl Database {
    /// Creates an empty database.
    ///
    /// # Errors
    ///
    /// `NotFound` if PostgreSQL is not installed; PostgreSQL's message if it refuses.
    pub fn create() -> io::Result<Self> {
        let database = Self::join()?;
        database.copy("template1")?;
        Ok(database)
    }

    /// Creates a database with a schema: a copy of a template that the first caller migrates.
    ///
    /// `schema` is everything that decides the result of `migrate`, which gets a URL and leaves
    /// no connection open.
    ///
    /// # Errors
    ///
    /// As [`Database::create`].
    pub fn migrated(schema: &impl Hash, migrate: impl FnOnce(&str)) -> io::Result<Self> {
        let mut hasher = DefaultHasher::new();
        schema.hash(&mut hasher);
        let template = format!("migrated_{:016x}", hasher.finish());
        let database = Self::join()?;
        let Err(error) = database.copy(&template) else {
            return Ok(database);
        };
        if !error.to_string().contains("does not exist") {
            return Err(error);
        }
        let made = Self::create()?;
        migrate(&made.url());
        // The renaming fails if another process was faster; then that one's template exists.
        made.ask(&format!(
            "ALTER DATABASE {} RENAME TO {template}",
            made.name
        ))
        .ok();
        database.copy(&template)?;
        Ok(database)
    }

    /// Returns the URL for clients.
    pub fn url(&self) -> String {
        url(self.server.folder(), crate::PORT, crate::USER, &self.name)
    }

    /// Executes SQL in the database, as its superuser.
    ///
    /// # Errors
    ///
    /// PostgreSQL's message.
    pub fn execute(&self, sql: &str) -> io::Result<()> {
        psql(&self.programs, &self.url(), sql).map(drop)
    }

    /// Joins the shared server. Reserves a name for a new database.
    fn join() -> io::Result<Self> {
        let programs = installed()?;
        let owner = is_root()?.then_some(NOBODY);
        let mut hasher = DefaultHasher::new();
        let version = fs::metadata(programs.join("postgres"))?.modified()?;
        (&programs, version, SETTINGS, SHARED_SETTINGS, owner).hash(&mut hasher);
        let name = format!("postgres-{:016x}", hasher.finish());
        let recipe = Recipe {
            name: &name,
            parent: &parent(free_in_memory()),
            owner,
            patience: PATIENCE,
        };
        let prepare = |folder: &Path| {
            cluster::make(&programs, &folder.join("data"))?;
            let mut command = vec![programs.join("postgres").into_os_string(), "-D".into()];
            command.push(folder.join("data").into());
            command.push("-k".into());
            command.push(folder.into());
            for setting in SETTINGS.iter().chain(&SHARED_SETTINGS) {
                command.extend(["-c", setting].map(OsString::from));
            }
            Ok(command)
        };
        let is_ready = |folder: &Path| {
            let mut ready = client(&programs, "pg_isready", folder, crate::PORT);
            Ok(succeed(ready.arg("--quiet")).is_ok())
        };
        let server = SharedServer::join(&recipe, prepare, is_ready)?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Ok(Self {
            server,
            programs,
            name: format!("test_{}_{number}", std::process::id()),
        })
    }

    /// Creates the database as a copy of another one.
    fn copy(&self, template: &str) -> io::Result<()> {
        let create = format!("CREATE DATABASE {} TEMPLATE {template}", self.name);
        // This strategy takes half of the time (19 ms of the server's processor for 37 ms), and a
        // copied relation cache saves the first client 10 ms. PostgreSQL 14 has no other
        // strategy, and no keyword for it.
        match self.ask(&format!("{create} STRATEGY file_copy")) {
            Err(error) if error.to_string().contains("strategy") => self.ask(&create).map(drop),
            copied => copied.map(drop),
        }
    }

    /// Executes SQL outside of the database. Returns its rows.
    fn ask(&self, sql: &str) -> io::Result<String> {
        let first = url(self.server.folder(), crate::PORT, crate::USER, FIRST);
        psql(&self.programs, &first, sql)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // A remaining database ends with the server.
        self.ask(&format!(
            "DROP DATABASE IF EXISTS {} WITH (FORCE)",
            self.name
        ))
        .ok();
    }
}
