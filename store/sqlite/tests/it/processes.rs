//! Tests that need processes of their own: one that is killed in the middle of writing, and one
//! without write permission.
//!
//! This program is its own child: with [`ROLE`] set, it plays that role instead of running the
//! tests.

use testing_sqlite as support;

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};

use store::{Catalogue as _, Ledger as _, ProblemSelection, RecordOutcome, Status, StoreError};
use store_sqlite::Sqlite;
use support::{key, right, trial};
use tempfile::TempDir;
use testing::{Failed, Trial as Test};

const ROLE: &str = "WAVETUNE_TEST_ROLE";
const DATABASE: &str = "WAVETUNE_TEST_DATABASE";

/// A user who may read public files and write nothing: `nobody` on Linux.
const NOBODY: u32 = 65534;

/// Plays the role that [`ROLE`] names, and returns its exit code.
pub(crate) fn part() -> Option<ExitCode> {
    let database = std::env::var(DATABASE).unwrap_or_default();
    match std::env::var(ROLE).as_deref() {
        Ok("writer") => Some(report(block_on(write_until_killed(&database)))),
        Ok("reader") => Some(report(block_on(read(&database)))),
        Ok("opener") => Some(report(block_on(open_and_write(&database)))),
        _ => None,
    }
}

pub(crate) fn trials() -> Vec<Test> {
    vec![
        Test::test("killed_in_the_middle", killed_in_the_middle),
        Test::test("read_only_directory", || unprivileged(0o555, 0o444)),
        Test::test("read_only_file", || unprivileged(0o777, 0o444)),
        Test::test("unreadable_file", unreadable_file),
        Test::test(
            "directory_that_cannot_be_made",
            directory_that_cannot_be_made,
        ),
    ]
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(future)
}

fn report(result: Result<(), StoreError>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Records trials as fast as it can, and reports each.
async fn write_until_killed(database: &str) -> Result<(), StoreError> {
    let store = Sqlite::open(database).await?;
    let study = store.open_study(&key(), None).await?;
    for n in u32::try_from(study.recorded).unwrap_or(0)..100_000 {
        if store
            .record_trial(&study, &trial(n, n + 1, right(1.0)))
            .await?
            == RecordOutcome::Stored
        {
            println!("{n}");
        }
    }
    Ok(())
}

/// Reads everything, and then tries to note a wish.
async fn read(database: &str) -> Result<(), StoreError> {
    let store = Sqlite::open_existing(database).await?;
    let study_key = key();
    let studies = store.studies(ProblemSelection::All, None).await?.rows;
    let fastest = store.fastest(&[studies[0].id], Status::Right, 1).await?;
    let timing = fastest.trials[0].trial.outcome.timing();
    println!("{}", timing.map_or(0.0, |timing| timing.time_us));
    let wish = store::Wish {
        problem: study_key.problem,
        target: study_key.provenance.target,
        device: None,
        generator: None,
    };
    store.record_wish(&wish).await.map(drop)
}

async fn open_and_write(database: &str) -> Result<(), StoreError> {
    let store = Sqlite::open(database).await?;
    store.open_study(&key(), None).await.map(drop)
}

fn child(executable: &Path, role: &str, database: &Path) -> Command {
    let mut command = Command::new(executable);
    command
        .env(ROLE, role)
        .env(DATABASE, database)
        .stdout(Stdio::piped());
    command
}

/// Checks five times, at different moments, that every reported trial is in the database, without
/// a gap.
fn killed_in_the_middle() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let database = directory.path().join("trials.db");
    let mut reported = 0;
    for reports in [1, 2, 7, 20, 60] {
        let mut writer = child(&std::env::current_exe()?, "writer", &database).spawn()?;
        let output = writer.stdout.take().ok_or("no output")?;
        let mut lines = BufReader::new(output).lines();
        for _ in 0..reports {
            reported = 1 + lines.next().ok_or("the writer ended")??.parse::<u64>()?;
        }
        writer.kill()?;
        writer.wait()?;
        // A report in the pipe at the kill counts as well.
        for line in lines.map_while(Result::ok) {
            reported = 1 + line.parse::<u64>().unwrap_or(reported - 1);
        }
        let recorded = block_on(trials_in(&database))?;
        let ordinals: Vec<u64> = recorded.iter().map(|trial| trial.ordinal.into()).collect();
        if ordinals != (0..ordinals.len() as u64).collect::<Vec<u64>>() {
            return Err(format!("gaps: {ordinals:?}").into());
        }
        // The trial that was being reported may be stored, too.
        if !(reported..=reported + 1).contains(&(ordinals.len() as u64)) {
            return Err(format!("reported {reported}, stored {}", ordinals.len()).into());
        }
    }
    Ok(())
}

async fn trials_in(database: &Path) -> Result<Vec<store::Trial>, StoreError> {
    let store = Sqlite::open(&database.to_string_lossy()).await?;
    let study = store.open_study(&key(), None).await?;
    store.trials_of(&study).await
}

/// Prepares a database with one trial, and a copy of this program that any user may run.
fn prepare() -> Result<(TempDir, PathBuf, PathBuf), Failed> {
    let directory = tempfile::tempdir()?;
    fs::set_permissions(directory.path(), Permissions::from_mode(0o755))?;
    let executable = directory.path().join("child");
    fs::copy(std::env::current_exe()?, &executable)?;
    let inner = directory.path().join("data");
    fs::create_dir(&inner)?;
    let database = inner.join("trials.db");
    block_on(async {
        let store = Sqlite::open(&database.to_string_lossy()).await?;
        let study = store.open_study(&key(), None).await?;
        store.record_trial(&study, &trial(0, 1, right(8.5))).await?;
        store.close().await;
        Ok::<(), StoreError>(())
    })?;
    Ok((directory, executable, database))
}

/// Runs a child without permission to write files of others. Root has every permission, so it
/// becomes nobody.
fn run(executable: &Path, role: &str, database: &Path) -> Result<(Output, String), Failed> {
    let mut command = child(executable, role, database);
    if fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0) {
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = command.output()?;
    let text = String::from_utf8(output.stdout.clone())?;
    Ok((output, text))
}

fn check(output: &(Output, String), code: i32, parts: &[&str]) -> Result<(), Failed> {
    let (output, text) = output;
    if output.status.code() == Some(code) && parts.iter().all(|part| text.contains(part)) {
        return Ok(());
    }
    Err(format!(
        "wanted {code} {parts:?}, got {:?}: {text:?}",
        output.status.code()
    )
    .into())
}

/// Checks that reading works, that writing fails in one line with the file's name, and that the
/// file does not change.
fn unprivileged(directory_mode: u32, file_mode: u32) -> Result<(), Failed> {
    let (_directory, executable, database) = prepare()?;
    let parent = database.parent().ok_or("no parent")?.to_owned();
    let before = fs::read(&database)?;
    fs::set_permissions(&database, Permissions::from_mode(file_mode))?;
    fs::set_permissions(&parent, Permissions::from_mode(directory_mode))?;
    let read = run(&executable, "reader", &database)?;
    let opened = run(&executable, "opener", &database)?;
    fs::set_permissions(&parent, Permissions::from_mode(0o755))?;
    check(&read, 2, &["8.5\n", "trials.db: cannot be written"])?;
    check(&opened, 2, &["trials.db: cannot be written"])?;
    if fs::read(&database)? != before {
        return Err("the file was changed".into());
    }
    Ok(())
}

fn unreadable_file() -> Result<(), Failed> {
    let (_directory, executable, database) = prepare()?;
    fs::set_permissions(&database, Permissions::from_mode(0o000))?;
    check(
        &run(&executable, "reader", &database)?,
        2,
        &["cannot be opened; check the permissions"],
    )?;
    check(
        &run(&executable, "opener", &database)?,
        2,
        &["cannot be opened; check the permissions"],
    )
}

fn directory_that_cannot_be_made() -> Result<(), Failed> {
    let (_directory, executable, database) = prepare()?;
    let parent = database.parent().ok_or("no parent")?;
    fs::set_permissions(parent, Permissions::from_mode(0o555))?;
    let below = parent.join("a/b/trials.db");
    let opened = run(&executable, "opener", &below)?;
    fs::set_permissions(parent, Permissions::from_mode(0o755))?;
    check(&opened, 2, &["cannot create its directory"])
}
