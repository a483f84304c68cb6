//! A faulty machine does not make a study abandon its trials: its device is left alone, and the
//! service says why.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testing::Failed;

use crate::tuning::lent::{as_alone, wait_for};
use crate::tuning::running::{Running, ask};
use crate::tuning::{json as answer, wavetune};

const PROBLEM: &str = "argmax:4x[1000]xf32";
const TRIALS: u64 = 20;

/// Returns the path of this machine's linker.
fn linker(db: &std::path::Path) -> Result<PathBuf, Failed> {
    let doctor = answer(wavetune(db, &["doctor", "--output-format", "json"]), 0)?;
    let tools = doctor["tools"].as_array().ok_or("no tools")?;
    let lld = tools.iter().find(|tool| tool["name"] == "ld.lld");
    let path = lld.and_then(|lld| lld["path"].as_str());
    Ok(path.ok_or("no linker")?.into())
}

/// Removes the linker of an agent, and restores it before the device is asked again.
pub(crate) fn a_device_whose_machine_fails_is_left_alone() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let path = |name: &str| directory.path().join(name);
    let db = path("served.db");
    let (lld, linked) = (linker(&db)?, path("ld.lld"));
    symlink(&lld, &linked)?;
    let service = Running::service(wavetune(&db, &[]), "127.0.0.1:0")?;
    let address = service.address().to_owned();
    let mut command = wavetune(&db, &[]);
    command
        .env("XDG_CACHE_HOME", path("cache"))
        .env_remove("WAVETUNE_OBJECTS")
        .env("WAVETUNE_LLD", &linked);
    let agent = Running::agent(command, &address)?;
    fs::remove_file(&linked)?;
    let wanted = json!({ "problems": [PROBLEM], "target": "gfx942", "budget": TRIALS });
    let studies = ask(&address, "POST /api/v1/studies", &wanted.to_string())?;
    let begin = Instant::now();
    let quarantine = loop {
        let agents = ask(&address, "GET /api/v1/agents", "")?;
        let quarantine = &agents["agents"][0]["devices"][0]["quarantine"];
        if *quarantine != Value::Null {
            break quarantine.clone();
        }
        let waited = begin.elapsed() < Duration::from_secs(60);
        assert!(waited, "nobody is left alone: {agents}");
        std::thread::sleep(Duration::from_millis(20));
    };
    let reason = quarantine["reason"].as_str().ok_or("no reason")?;
    assert!(reason.contains("ld.lld"), "{reason}");
    assert!(quarantine["left_s"].as_u64() <= Some(10), "{quarantine}");
    symlink(&lld, &linked)?;
    let id = &studies["studies"][0]["id"];
    wait_for(&address, id, u64::MAX)?;
    let study = ask(&address, &format!("GET /api/v1/studies/{id}"), "")?;
    assert_eq!(study["state"], "done", "{study}");
    // No trial was abandoned: the study equals that of a healthy machine.
    as_alone(&db, PROBLEM, TRIALS)?;
    let agents = ask(&address, "GET /api/v1/agents", "")?;
    let device = &agents["agents"][0]["devices"][0];
    assert_eq!(device, &json!({ "device": 0 }), "{agents}");
    assert_eq!(agent.end()?, Some(0));
    assert_eq!(service.end()?, Some(0));
    Ok(())
}
