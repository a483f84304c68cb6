//! `cargo xtask sqlx`: refreshes `.sqlx`, the record of the queries' columns and types. A build
//! without a database checks the stores' queries against it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use crate::files;
use crate::one_pass;
use crate::program_build;
use crate::setup;
use crate::step::{self, StepFailure};
use crate::workspace;

/// The record: a file's name is a query's hash, its text the database's description of the query.
type Record = BTreeMap<String, Vec<u8>>;

/// The action for a stale record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum StalePolicy {
    /// Replaces it.
    Refresh,
    /// Fails, for CI.
    Refuse,
}

/// Makes a new record and compares it with the committed one.
pub(crate) fn run(stale: StalePolicy) -> Result<()> {
    setup::run(setup::SetupPurpose::Queries)?;
    let record = make()?;
    let committed = workspace::root().join(".sqlx");
    if read(&committed)? == record {
        println!(".sqlx is current: {} queries", record.len());
        return Ok(());
    }
    if stale == StalePolicy::Refuse {
        return Err(StepFailure(".sqlx is not current: run `cargo xtask sqlx`".to_string()).into());
    }
    files::make_anew(&committed)?;
    for (name, text) in &record {
        fs::write(committed.join(name), text)?;
    }
    println!(".sqlx is new: {} queries; commit it", record.len());
    Ok(())
}

/// Compiles the stores against databases with every migration applied; their macros write the
/// record.
fn make() -> Result<Record> {
    let folder = workspace::target_dir()?.join("sqlx");
    let (file, cache) = (folder.join("schema.db"), folder.join("cache"));
    files::make_anew(&folder)?;
    fs::create_dir(&cache)?;
    let server = Server::start()?;
    let databases = [
        (
            "store-sqlite",
            "WAVETUNE_SQLITE_URL",
            format!("sqlite://{}", file.display()),
        ),
        (
            "store-postgres",
            "WAVETUNE_POSTGRES_URL",
            server.url.clone(),
        ),
    ];
    let migrations = program_build::build("migrations")?;
    let mut stores = workspace::cargo();
    // Only these two: their dependents may not compile before the record is new. CI builds them
    // anyway.
    stores.arg(if one_pass::is_on() { "build" } else { "check" });
    stores.arg("--quiet");
    one_pass::apply(&mut stores)?;
    let mut touched = Vec::new();
    for (package, variable, url) in databases {
        step::run(Command::new(&migrations).arg(&url))?;
        let folder = package.replace('-', "/");
        touched.push(TouchedSource::now(
            workspace::root().join(folder).join("src/lib.rs"),
        )?);
        stores.args(["--package", package]).env(variable, url);
    }
    stores
        // The environment may ask for offline checks, which only read the old record.
        .env("SQLX_OFFLINE", "false")
        .env("SQLX_OFFLINE_DIR", &cache);
    step::run(&mut stores)?;
    let record = read(&cache)?;
    // cargo runs no macro of a crate that it holds for unchanged.
    if record.is_empty() {
        bail!(
            "the macros of the stores wrote nothing to {}",
            cache.display()
        );
    }
    Ok(record)
}

/// A source with a new modification time, so that cargo runs its macros again. The drop restores
/// the time.
///
/// Otherwise builds from before would compile it, and half of the workspace, once more.
struct TouchedSource {
    source: PathBuf,
    modified: SystemTime,
}

impl TouchedSource {
    fn now(source: PathBuf) -> Result<Self> {
        let modified = || {
            let modified = fs::metadata(&source)?.modified()?;
            set_modified(&source, SystemTime::now())?;
            std::io::Result::Ok(modified)
        };
        let modified = modified().with_context(|| format!("cannot touch {}", source.display()))?;
        Ok(Self { source, modified })
    }
}

impl Drop for TouchedSource {
    fn drop(&mut self) {
        // A failure only costs the next build some time.
        set_modified(&self.source, self.modified).ok();
    }
}

fn set_modified(file: &Path, time: SystemTime) -> std::io::Result<()> {
    fs::File::options()
        .append(true)
        .open(file)?
        .set_modified(time)
}

/// This task's own PostgreSQL, which ends with its standard input: at the latest with this
/// process.
struct Server {
    process: Child,
    /// The URL of an empty database in it.
    url: String,
}

impl Server {
    fn start() -> Result<Server> {
        let mut server = Command::new(program_build::build("testing-postgres")?);
        println!("$ {}", step::text(&server));
        let mut process = server
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start testing-postgres")?;
        let mut url = String::new();
        if let Some(output) = process.stdout.take() {
            BufReader::new(output).read_line(&mut url)?;
        }
        let server = Server {
            process,
            url: url.trim().to_string(),
        };
        if server.url.is_empty() {
            bail!("no PostgreSQL for the queries of store-postgres; see `cargo xtask doctor`");
        }
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server ends with its standard input.
        drop(self.process.stdin.take());
        // A drop has no caller to report an error to.
        self.process.wait().ok();
    }
}

/// Reads the files of a record; none if the folder does not exist.
fn read(folder: &Path) -> Result<Record> {
    let mut record = Record::new();
    if !folder.exists() {
        return Ok(record);
    }
    let paths: Vec<PathBuf> = folder
        .read_dir()?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    for path in paths {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        record.insert(name, fs::read(&path)?);
    }
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_touched_source_gets_its_time_back() {
        let name = format!("xtask-touched-{}", std::process::id());
        let source = std::env::temp_dir().join(name);
        fs::write(&source, "").unwrap();
        let modified = || fs::metadata(&source).unwrap().modified().unwrap();
        let before = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
        set_modified(&source, before).unwrap();
        let touched = TouchedSource::now(source.clone()).unwrap();
        assert!(modified() > before);
        drop(touched);
        assert_eq!(modified(), before);
        fs::remove_file(&source).unwrap();
    }
}
