//! A service runs studies, and agents lend it their devices: whichever is killed, the result
//! equals that of `tune`.

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

/// Waits until a study has this number of trials.
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

/// Starts an agent, and waits until it is connected.
pub(crate) fn agent(db: &Path, address: &str) -> Result<Running, Failed> {
    Running::agent(wavetune(db, &[]), address)
}

/// Kills an agent and then the service, and restarts both.
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
    // The remaining agent finds the service again.
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

/// Checks that a service on loopback lends its machine's devices by its own agent, which ends
/// with it, even if it is killed.
pub(crate) fn a_service_lends_its_own_machine() -> Result<(), Failed> {
    for signal in ["TERM", "KILL"] {
        let directory = tempfile::tempdir()?;
        let db = directory.path().join("own.db");
        let mut serve = wavetune(&db, &["serve", "--listen", "127.0.0.1:0"]);
        // Without the machine's GPUs.
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
        // The agent writes to the same pipe, so it ends with the last of both.
        let said: Vec<String> = lines.collect();
        service.wait()?;
        let has = |part: &str| said.iter().any(|line| line.contains(part));
        assert!(has("lending emulated:mi300x"), "{said:?}");
        assert!(has("ended; trials reported: 2"), "{signal}: {said:?}");
    }
    Ok(())
}

/// Checks that a service with tokens, or with `--no-agent`, lends nothing by itself.
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
        // The service prints what it lends before it answers.
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

/// Checks that a finished study has no trials left and equals that of `tune` alone. Returns both
/// answers.
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
