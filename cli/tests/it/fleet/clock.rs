//! A clock that jumps during a study, an hour ahead and then two hours back: no trial is lost or
//! made twice.

use std::fs;
use std::path::Path;

use testing::Failed;

use crate::fleet::disk::until;
use crate::fleet::running::{Running, ask};
use crate::fleet::survives::{check, submit, under_way};
use crate::fleet::wavetune;

const BUDGET: u64 = 150;

/// Debian's path of the library that sets a process's clock.
const LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";

pub(crate) fn jumps() -> Result<(), Failed> {
    if !Path::new(LIBRARY).exists() {
        return Err(format!("{LIBRARY} is not there (apt-get install libfaketime)").into());
    }
    let directory = tempfile::tempdir()?;
    let (db, clock) = (
        directory.path().join("clock.db"),
        directory.path().join("clock"),
    );
    let db = db.to_str().ok_or("not UTF-8")?;
    fs::write(&clock, "+0")?;
    let mut command = wavetune(db);
    command.env("LD_PRELOAD", LIBRARY);
    command.env("FAKETIME_TIMESTAMP_FILE", &clock);
    command.env("FAKETIME_NO_CACHE", "1");
    // As on a real system: the monotonic clock does not jump.
    command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    let service = Running::service(command, "127.0.0.1:0")?;
    let address = [service.address().to_owned()];
    let _agent = Running::agent(wavetune(db), &address[0])?;
    let problem = ["argmax:4x[4096]xf32".to_owned()];
    let studies = submit(&address[0], &problem, BUDGET)?;
    let study = format!("GET /api/v1/studies/{}", studies[0]);
    let changed = || -> Result<String, Failed> {
        let changed = ask(&address[0], &study, "")?["changed"].clone();
        Ok(changed.to_string())
    };
    let before = changed()?;
    for (done, jump) in [(5, "+3600"), (50, "-3600")] {
        let is_so = || Ok(ask(&address[0], &study, "")?["progress"]["done"].as_u64() > Some(done));
        until("more trials", is_so)?;
        fs::write(&clock, jump)?;
    }
    until("the study ends", || Ok(under_way(&address, &studies) == 0))?;
    // The clock did jump.
    assert!(changed()? < before, "{before}");
    assert_eq!(service.end()?, Some(0));
    let checked = wavetune(db).args(["db", "check"]).output()?;
    assert!(checked.status.success(), "{checked:?}");
    check(db, directory.path(), &problem, BUDGET)
}
