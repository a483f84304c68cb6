//! A service carries on studies, and agents lend it their devices: whoever is killed, what comes out is what `tune` finds.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use serde_json::{Value, json};

use crate::{json as answer, wavetune};

const PROBLEM: &str = "argmax:4x[1000]xf32";

const TRIALS: u64 = 200;

/// A service or an agent, which is killed when it is dropped.
pub(crate) struct Running {
    child: Child,
    /// What it said first.
    said: String,
}

impl Running {
    /// Starts it, and waits until it says this on standard error.
    fn start(mut command: Command, until: &str) -> Result<Running, Failed> {
        let mut child = command.stderr(Stdio::piped()).spawn()?;
        let stderr = child.stderr.take().ok_or("no standard error")?;
        let mut lines = BufReader::new(stderr).lines();
        let said = lines
            .by_ref()
            .map_while(Result::ok)
            .find(|line| line.contains(until));
        // What it says later is read, so that it can be said.
        std::thread::spawn(move || lines.for_each(drop));
        let said = said.ok_or_else(|| format!("it did not say {until:?}"))?;
        Ok(Running { child, said })
    }

    pub(crate) fn service(db: &Path, listen: &str) -> Result<Running, Failed> {
        Running::start(wavetune(db, &["serve", "--listen", listen]), "listening on")
    }

    pub(crate) fn agent(db: &Path, address: &str) -> Result<Running, Failed> {
        let server = format!("http://{address}");
        let arguments = ["agent", "--server", &server, "--jobs", "1"];
        Running::start(wavetune(db, &arguments), "connected")
    }

    /// Where a service listens.
    pub(crate) fn address(&self) -> &str {
        self.said.rsplit('/').next().unwrap_or_default()
    }

    fn kill(mut self) -> Result<(), Failed> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Asks it to end; its exit code.
    fn end(mut self) -> Result<Option<i32>, Failed> {
        let id = self.child.id().to_string();
        // A minimal Debian has no program for this, but its shell does.
        let told = Command::new("sh")
            .args(["-c", "kill -TERM $0", &id])
            .status()?;
        assert!(told.success());
        Ok(self.child.wait()?.code())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The body of the answer to a request.
pub(crate) fn ask(address: &str, head: &str, body: &str) -> Result<Value, Failed> {
    let mut stream = TcpStream::connect(address)?;
    let length = body.len();
    write!(
        stream,
        "{head} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (_, body) = answer.split_once("\r\n\r\n").ok_or("no body")?;
    Ok(serde_json::from_str(body)?)
}

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

/// An agent is killed, then the service, and both are started again.
pub(crate) fn a_service_tunes_on_lent_devices() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("served.db");
    let service = Running::service(&db, "127.0.0.1:0")?;
    let address = service.address().to_owned();
    let first = Running::agent(&db, &address)?;
    let second = Running::agent(&db, &address)?;
    let wanted = json!({ "problems": [PROBLEM], "target": "gfx942", "budget": TRIALS });
    let studies = ask(&address, "POST /api/v1/studies", &wanted.to_string())?;
    let id = &studies["studies"][0]["id"];
    wait_for(&address, id, TRIALS / 4)?;
    first.kill()?;
    wait_for(&address, id, TRIALS / 2)?;
    service.kill()?;
    // The agent that is left finds it again.
    let service = Running::service(&db, &address)?;
    wait_for(&address, id, u64::MAX)?;
    let study = ask(&address, &format!("GET /api/v1/studies/{id}"), "")?;
    assert_eq!(study["state"], "done", "{study}");
    assert_eq!(second.end()?, Some(0));
    assert_eq!(service.end()?, Some(0));

    let budget = TRIALS.to_string();
    let tune = [
        "tune",
        PROBLEM,
        "--budget",
        &budget,
        "--output-format",
        "json",
    ];
    let resumed = answer(wavetune(&db, &tune), 0)?;
    assert_eq!(resumed["trials"]["total"], TRIALS);
    assert_eq!(
        resumed["trials"]["resumed"], TRIALS,
        "nothing is left to be tried"
    );
    let other = directory.path().join("tuned.db");
    let undisturbed = answer(wavetune(&other, &tune), 0)?;
    for same in ["best", "default", "speedup"] {
        assert_eq!(resumed[same], undisturbed[same], "{same}");
    }
    Ok(())
}
