//! A service carries on studies, and agents lend it their devices: whoever is killed, what comes out is what `tune` finds.

use std::path::Path;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use serde_json::{Value, json};

use crate::running::{Running, ask};
use crate::{json as answer, wavetune};

const PROBLEM: &str = "argmax:4x[1000]xf32";

const TRIALS: u64 = 200;

/// Waits until a study has so many trials.
pub(crate) fn wait_for(address: &str, id: &Value, trials: u64) -> Result<(), Failed> {
    let begin = Instant::now();
    loop {
        let study = ask(address, &format!("GET /api/v1/studies/{id}"), "")?;
        let done = study["progress"]["done"].as_u64().unwrap_or(0);
        if done >= trials || study["state"] != "running" {
            return Ok(());
        }
        if begin.elapsed() > Duration::from_secs(120) {
            return Err(format!("{done} trials of {trials}: {study}").into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// An agent that has said that it speaks with the service.
pub(crate) fn agent(db: &Path, address: &str) -> Result<Running, Failed> {
    Running::agent(wavetune(db, &[]), address)
}

/// An agent is killed, then the service, and both are started again.
pub(crate) fn a_service_tunes_on_lent_devices() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("served.db");
    let service = Running::service(wavetune(&db, &[]), "127.0.0.1:0")?;
    let address = service.address().to_owned();
    let first = agent(&db, &address)?;
    let second = agent(&db, &address)?;
    let wanted = json!({ "problems": [PROBLEM], "target": "gfx942", "budget": TRIALS });
    let studies = ask(&address, "POST /api/v1/studies", &wanted.to_string())?;
    let id = &studies["studies"][0]["id"];
    wait_for(&address, id, TRIALS / 4)?;
    first.kill()?;
    wait_for(&address, id, TRIALS / 2)?;
    service.kill()?;
    // The agent that is left finds it again.
    let service = Running::service(wavetune(&db, &[]), &address)?;
    wait_for(&address, id, u64::MAX)?;
    let study = ask(&address, &format!("GET /api/v1/studies/{id}"), "")?;
    assert_eq!(study["state"], "done", "{study}");
    assert_eq!(second.end()?, Some(0));
    assert_eq!(service.end()?, Some(0));

    let (resumed, _) = as_alone(&db, PROBLEM, TRIALS)?;
    assert_eq!(resumed["trials"]["total"], TRIALS);
    Ok(())
}

/// A study that is done has nothing left to be tried, and is as one that `tune` has made alone: the answers of both.
pub(crate) fn as_alone(db: &Path, problem: &str, trials: u64) -> Result<(Value, Value), Failed> {
    let budget = trials.to_string();
    let tune = [
        "tune",
        problem,
        "--budget",
        &budget,
        "--output-format",
        "json",
    ];
    let found = answer(wavetune(db, &tune), 0)?;
    assert_eq!(
        found["trials"]["resumed"], trials,
        "nothing is left to be tried"
    );
    let alone = answer(wavetune(&db.with_extension("alone"), &tune), 0)?;
    for same in ["best", "default", "speedup"] {
        assert_eq!(found[same], alone[same], "{same}");
    }
    Ok((found, alone))
}
