//! Another file replaces the served database, and later the first one returns. Studies are always
//! those of the present file, and no trial gets into the other.

use std::fs;
use std::path::{Path, PathBuf};

use testing::Failed;

use crate::fleet::disk::until;
use crate::fleet::running::{Running, answer, ask};
use crate::fleet::survives::{submit, under_way};
use crate::fleet::wavetune;

/// Trials of the study that runs while its file is moved: so many that some are left.
const LONG: u64 = 100_000;
const SHORT: u64 = 12;

/// Moves a database with its log, as a careful operator does.
fn moved(from: &Path, to: &Path) -> Result<(), Failed> {
    for ending in ["", "-wal", "-shm"] {
        let [from, to] =
            [from, to].map(|path| PathBuf::from(format!("{}{ending}", path.display())));
        if from.exists() {
            fs::rename(from, to)?;
        }
    }
    Ok(())
}

/// Returns the numbers of the service's studies, or `None` while it gives another answer.
fn studies(address: &str) -> Result<Option<Vec<u64>>, Failed> {
    let listed = ask(address, "GET /api/v1/studies", "")?;
    let Some(listed) = listed["studies"].as_array() else {
        return Ok(None);
    };
    let numbers = listed.iter().filter_map(|study| study["id"].as_u64());
    Ok(Some(numbers.collect()))
}

/// Returns the trials of a database, which must be whole.
fn trials(db: &Path) -> Result<usize, Failed> {
    let checked = wavetune(db).args(["db", "check"]).output()?;
    assert!(checked.status.success(), "{checked:?}");
    let listed = wavetune(db)
        .args(["trials", "1", "--output-format", "json"])
        .output()?;
    let lines = String::from_utf8(listed.stdout)?;
    Ok(lines.matches("\"ordinal\":").count())
}

pub(crate) fn is_followed() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let at = |name: &str| directory.path().join(name);
    let (served, first, other) = (at("served.db"), at("first.db"), at("other.db"));
    let mut tune = wavetune(&other);
    let problem = "argmax:4x[4096]xf32".to_owned();
    let budget = SHORT.to_string();
    tune.args([
        "tune",
        &problem,
        "--device",
        "emulated:mi300x",
        "--budget",
        &budget,
    ]);
    let made = tune.output()?;
    assert!(made.status.success(), "{made:?}");
    let tuned = trials(&other)?;
    assert!(tuned as u64 >= SHORT);
    let service = Running::service(wavetune(&served), "127.0.0.1:0")?;
    let address = service.address().to_owned();
    let _agent = Running::agent(wavetune("unused.db"), &address)?;
    let long = submit(&address, &["argmax:8x[8192]xf32".to_owned()], LONG)?;
    let study = format!("GET /api/v1/studies/{}", long[0]);
    let done = || Ok::<_, Failed>(ask(&address, &study, "")?["progress"]["done"].as_u64());
    until("some trials", || Ok(done()? > Some(2)))?;

    moved(&served, &first)?;
    moved(&other, &served)?;
    until("the other file's studies", || {
        Ok(studies(&address)? == Some(Vec::new()))
    })?;
    let ready = answer(&address, "GET /readyz", "")?;
    assert!(ready.ends_with("\r\n\r\nok\n"), "{ready}");
    // The agent that was there all the time runs a study of the new file.
    let short = submit(&address, &["argmax:2x[2048]xf32".to_owned()], SHORT)?;
    until("the study ends", || {
        let study = ask(&address, &format!("GET /api/v1/studies/{}", short[0]), "")?;
        Ok(study["state"] == "done")
    })?;

    moved(&served, &other)?;
    moved(&first, &served)?;
    until("the first file's studies", || {
        Ok(studies(&address)?.is_some_and(|it| it.len() == 1))
    })?;
    let before = done()?;
    until("the first study goes on", || Ok(done()? > before))?;
    ask(
        &address,
        &format!("POST /api/v1/studies/{}/cancel", long[0]),
        "",
    )?;
    let services = [address];
    until("the study ends", || Ok(under_way(&services, &long) == 0))?;
    assert_eq!(service.end()?, Some(0));
    // Study 1 of each file is another study.
    assert_eq!(trials(&other)?, tuned);
    assert!(trials(&served)? > 2);
    Ok(())
}
