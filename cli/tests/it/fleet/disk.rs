//! A disk that is full for a while. The service answers reads, says why its studies wait, and
//! continues them by itself when there is room again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use testing::Failed;

use crate::fleet::running::{Running, answer, ask};
use crate::fleet::survives::{check, submit, under_way};
use crate::fleet::wavetune;

const BUDGET: u64 = 200;

/// Returns a command that runs the following words with a private disk of this size at `place`.
fn with_disk(place: &Path, megabytes: u32) -> Command {
    let mount = format!("mount -t tmpfs -o size={megabytes}m tmpfs \"$0\" && exec \"$@\"");
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", &mount]).arg(place);
    command.stdin(Stdio::null());
    command
}

/// Returns the reason why this machine cannot mount such a disk.
pub(crate) fn missing() -> Option<String> {
    let place = tempfile::tempdir().ok()?;
    let tried = with_disk(place.path(), 1).arg("true").output();
    let is_there = tried.is_ok_and(|tried| tried.status.success());
    (!is_there).then(|| "unshare may not make a mount namespace here".to_owned())
}

pub(crate) fn is_full_for_a_while() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let place = directory.path().join("disk");
    fs::create_dir(&place)?;
    let db = place.join("full.db");
    let mut command = with_disk(&place, 3);
    command.arg(env!("CARGO_BIN_EXE_wavetune"));
    command.env("WAVETUNE_DB", &db);
    let service = Running::service(command, "127.0.0.1:0")?;
    let address = service.address().to_owned();
    let there =
        PathBuf::from(format!("/proc/{}/root", service.id())).join(place.strip_prefix("/")?);
    let _agent = Running::agent(wavetune("unused.db"), &address)?;
    let problem = ["argmax:4x[4096]xf32".to_owned()];
    let studies = submit(&address, &problem, BUDGET)?;
    let study = format!("GET /api/v1/studies/{}", studies[0]);
    until("some trials", || {
        Ok(ask(&address, &study, "")?["progress"]["done"].as_u64() > Some(5))
    })?;
    let ballast = there.join("ballast");
    // As much as fits.
    fs::write(&ballast, vec![0; 4 << 20])
        .err()
        .ok_or("the disk is larger than it was to be")?;
    until("the trouble is told", || {
        let told = answer(&address, "GET /readyz", "")?;
        Ok(told.contains("200 OK")
            && told.contains("studies wait: ")
            && told.contains("its disk is full; free space"))
    })?;
    let best = format!(
        "GET /api/v1/configurations?problem={}&target=gfx942",
        problem[0]
    );
    assert_eq!(ask(&address, &best, "")?["answer"], "exact");
    assert_eq!(ask(&address, &study, "")?["state"], "running");
    let wanted = json!({ "problems": ["argmax:2x[2048]xf32"], "target": "gfx942", "budget": 1 });
    let refused = answer(&address, "POST /api/v1/studies", &wanted.to_string())?;
    assert!(refused.starts_with("HTTP/1.1 507 "), "{refused}");
    assert!(refused.contains("\"/problems/disk-full\""), "{refused}");
    fs::remove_file(ballast)?;
    let services = [address];
    until("the study ends", || Ok(under_way(&services, &studies) == 0))?;
    until("nothing is told", || {
        Ok(answer(&services[0], "GET /readyz", "")?.ends_with("ok\n"))
    })?;
    let kept = directory.path().join("kept.db");
    let mut backup = Command::new("cp");
    backup
        .arg("-r")
        .arg(&there)
        .arg(directory.path().join("copy"));
    // The disk disappears with the service.
    let copied = backup.status()?;
    assert!(copied.success());
    assert_eq!(service.end()?, Some(0));
    for name in ["", "-wal"] {
        let file = directory.path().join("copy").join(format!("full.db{name}"));
        if file.exists() {
            fs::rename(file, format!("{}{name}", kept.display()))?;
        }
    }
    let kept = kept.to_str().ok_or("not UTF-8")?;
    let checked = wavetune(kept).args(["db", "check"]).output()?;
    assert!(checked.status.success(), "{checked:?}");
    check(kept, directory.path(), &problem, BUDGET)
}

/// Waits until the condition holds.
pub(crate) fn until(what: &str, is_so: impl Fn() -> Result<bool, Failed>) -> Result<(), Failed> {
    let begun = Instant::now();
    while !is_so()? {
        if begun.elapsed() > Duration::from_secs(90) {
            return Err(format!("{what}: not within 90 s").into());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}
