//! `cargo xtask sqlx`: refreshes `.sqlx`, the record of the columns and types that the queries of
//! `store-sqlite` are checked against where there is no database.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use crate::check;
use crate::step::{self, Failed};
use crate::workspace;

/// The record: a file's name is a query's hash, its text what the database said of the query.
type Record = BTreeMap<String, Vec<u8>>;

/// What is done with a record that is not current.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stale {
    /// It is replaced.
    Refresh,
    /// It is a failure, for CI.
    Refuse,
}

/// Makes the record anew and compares it with the committed one.
pub(crate) fn run(stale: Stale) -> Result<()> {
    let record = make()?;
    let committed = workspace::root().join(".sqlx");
    if read(&committed)? == record {
        println!(".sqlx is current: {} queries", record.len());
        return Ok(());
    }
    if stale == Stale::Refuse {
        return Err(Failed(".sqlx is not current: run `cargo xtask sqlx`".to_string()).into());
    }
    if committed.exists() {
        fs::remove_dir_all(&committed)?;
    }
    fs::create_dir(&committed)?;
    for (name, text) in &record {
        fs::write(committed.join(name), text)?;
    }
    println!(".sqlx is new: {} queries; commit it", record.len());
    Ok(())
}

/// Compiles `store-sqlite` against a database with every migration applied; its macros write the record.
fn make() -> Result<Record> {
    let folder = workspace::target_dir()?.join("sqlx");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let (database, cache) = (folder.join("schema.db"), folder.join("cache"));
    fs::create_dir_all(&cache)?;
    step::run(
        check::cargo()
            .args(["run", "--quiet", "--package", "migrations", "--"])
            .arg(&database),
    )?;
    // Cargo does not know that the macros are to run again.
    let queries = workspace::root().join("store/sqlite/src/lib.rs");
    let file = fs::File::options().append(true).open(&queries);
    file.and_then(|file| file.set_modified(SystemTime::now()))
        .with_context(|| format!("cannot touch {}", queries.display()))?;
    let mut store = check::cargo();
    store
        .args(["check", "--quiet", "--package", "store-sqlite"])
        .env(
            "WAVETUNE_SQLITE_URL",
            format!("sqlite://{}", database.display()),
        )
        .env("SQLX_OFFLINE", "false")
        .env("SQLX_OFFLINE_DIR", &cache);
    step::run(&mut store)?;
    let record = read(&cache)?;
    if record.is_empty() {
        bail!(
            "the macros of store-sqlite wrote nothing to {}",
            cache.display()
        );
    }
    Ok(record)
}

/// The files of a record; none if the folder is not there.
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
