//! A service carries on studies, and agents lend it their devices: whoever is killed, what comes out is what `tune` finds.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testing::Failed;

use crate::tuning::running::{Running, ask};
use crate::tuning::{json as answer, wavetune};

const PROBLEM: &str = "argmax:4x[1000]xf32";

const TRIALS: u64 = 200;

/// Waits until a study has so many trials.
pub(crate) fn wait_for(address: &str, id: &Value, trials: u64) -> Result<(), Failed> {
    let begin = Instant::now();
    loop {
        let study = ask(address, &format!("GET /api/v1/studies/{id}"), "")?;
        let done = study["progress"]["done"].as_u64().unwrap_or(0);
        let goes_on = study["state"] == "running" || study["state"] == "waiting";
        if done >= trials || !goes_on {
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

/// A service on loopback lends the devices of its machine by an agent of its own, which ends with it, also where it is killed.
pub(crate) fn a_service_lends_its_own_machine() -> Result<(), Failed> {
    for signal in ["TERM", "KILL"] {
        let directory = tempfile::tempdir()?;
        let db = directory.path().join("own.db");
        let mut serve = wavetune(&db, &["serve", "--listen", "127.0.0.1:0"]);
        // No GPU of the machine takes part.
        serve.env("WAVETUNE_HIP_LIBRARY", directory.path().join("none.so"));
        let mut service = serve.stderr(Stdio::piped()).spawn()?;
        let stderr = service.stderr.take().ok_or("no standard error")?;
        let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
        let listening = lines.next().ok_or("it says nothing")?;
        let address = listening.rsplit('/').next().ok_or("no address")?.to_owned();
        let wanted = json!({ "problems": [PROBLEM], "target": "gfx942", "budget": 2 });
        let studies = ask(&address, "POST /api/v1/studies", &wanted.to_string())?;
        wait_for(&address, &studies["studies"][0]["id"], u64::MAX)?;
        let study = ask(&address, "GET /api/v1/studies/1", "")?;
        assert_eq!(study["state"], "done", "{study}");
        assert_eq!(study["device"], "emulated:mi300x");
        let id = service.id().to_string();
        let kill = format!("kill -{signal} $0");
        assert!(
            Command::new("sh")
                .args(["-c", &kill, &id])
                .status()?
                .success()
        );
        // The agent writes to the same place, so this ends with the last of both.
        let said: Vec<String> = lines.collect();
        service.wait()?;
        let has = |part: &str| said.iter().any(|line| line.contains(part));
        assert!(has("lending emulated:mi300x"), "{said:?}");
        assert!(has("ended; trials told: 2"), "{signal}: {said:?}");
    }
    Ok(())
}

/// A service whose clients show tokens lends nothing by itself, and neither does one that is told to lend nothing.
pub(crate) fn a_service_lends_nothing_unasked() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("own.db");
    let made = wavetune(&db, &["token", "create", "ann", "--scope", "read"]).output()?;
    assert!(made.status.success());
    for more in ["--no-agent", "--require-token"] {
        let mut serve = wavetune(&db, &["serve", "--listen", "127.0.0.1:0", more]);
        let mut service = serve.stderr(Stdio::piped()).spawn()?;
        let stderr = service.stderr.take().ok_or("no standard error")?;
        let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
        let listening = lines.next().ok_or("it says nothing")?;
        let address = listening.rsplit('/').next().ok_or("no address")?;
        // What is lent is said before anybody is answered.
        crate::tuning::running::answer(address, "GET /healthz", "")?;
        let id = service.id().to_string();
        assert!(
            Command::new("sh")
                .args(["-c", "kill -TERM $0", &id])
                .status()?
                .success()
        );
        let said: Vec<String> = lines.collect();
        service.wait()?;
        assert!(
            !said.iter().any(|line| line.contains("lending")),
            "{more}: {said:?}"
        );
    }
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
