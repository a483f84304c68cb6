//! `WAVETUNE_LOG`: the selected events, their place, and the message for an invalid value.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

const HEALTH: &str = "/readyz";

/// Returns a `wavetune` command with its own database.
fn wavetune(directory: &Path, log: Option<&str>, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
    command
        .args(arguments)
        .env("WAVETUNE_DB", directory.join("test.db"))
        .env_remove("WAVETUNE_LOG")
        .stdin(Stdio::null());
    if let Some(log) = log {
        command.env("WAVETUNE_LOG", log);
    }
    command
}

#[track_caller]
fn check_refused(log: &str, part: &str) {
    let directory = tempfile::tempdir().unwrap();
    let output = wavetune(directory.path(), Some(log), &["devices"])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.starts_with("error: WAVETUNE_LOG="), "{said}");
    assert!(said.contains(part), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(output.stdout.is_empty());
}

#[test]
fn a_filter_that_cannot_be_read_is_an_error() {
    check_refused("loud", "\"loud\" is neither a level");
    check_refused("tuner=loud", "a list such as tuner=debug,server=info");
    check_refused(
        "emulator=debug",
        "the crates are agent, audit, dispatch, fleet, server, sqlx, tuner",
    );
}

/// Checks that `--verbose` logs at level debug, unless the variable selects other events.
#[test]
fn verbose_logs_at_level_debug() {
    let directory = tempfile::tempdir().unwrap();
    for (log, options, is_logged) in [
        (None, &["-v"][..], true),
        (None, &["--verbose"], true),
        (None, &[], false),
        (None, &["-q"], false),
        (Some("sqlx=error"), &["-v"], false),
    ] {
        let serve = ["serve", "--no-agent", "--listen", "127.0.0.1:0"];
        let service = Service::start_with(directory.path(), log, &[options, &serve].concat());
        assert_eq!(service.get(HEALTH), "200");
        let said = service.end();
        let is_event = |line: &String| line.contains(" DEBUG ") || line.contains(" INFO ");
        assert_eq!(
            said.iter().any(is_event),
            is_logged,
            "{options:?}: {said:#?}"
        );
    }
    let both = ["devices", "-q", "-v"];
    let output = wavetune(directory.path(), None, &both).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// A service that is killed when the test ends.
struct Service {
    child: Child,
    address: String,
    /// Its standard error; `None` if the test does not read it.
    said: Option<BufReader<ChildStderr>>,
}

impl Service {
    fn start(directory: &Path, log: Option<&str>) -> Service {
        let serve = ["serve", "--no-agent", "--listen", "127.0.0.1:0"];
        Service::start_with(directory, log, &serve)
    }

    fn start_with(directory: &Path, log: Option<&str>, arguments: &[&str]) -> Service {
        let mut command = wavetune(directory, log, arguments);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.starts_with("listening on http://") {
            line.clear();
            assert_ne!(said.read_line(&mut line).unwrap(), 0, "it does not listen");
        }
        let address = line.trim().rsplit("http://").next().unwrap().to_owned();
        Service {
            child,
            address,
            said: Some(said),
        }
    }

    /// Returns the status of an answer.
    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.get(9..12).unwrap_or_default().to_owned()
    }

    /// Ends the service. Returns its messages after the listening address.
    fn end(mut self) -> Vec<String> {
        let number = self.child.id().to_string();
        let ended = Command::new("sh")
            .args(["-c", "kill -TERM $0", &number])
            .status();
        assert!(ended.unwrap().success());
        let mut rest = String::new();
        if let Some(mut said) = self.said.take() {
            said.read_to_string(&mut rest).unwrap();
        }
        assert!(self.child.wait().unwrap().success(), "{rest}");
        rest.lines().map(str::to_owned).collect()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Starts a service that answers once, and then fails repeatedly because its database is gone.
fn broken(directory: &Path, log: Option<&str>, failures: usize) -> Service {
    let service = Service::start(directory, log);
    assert_eq!(service.get(HEALTH), "200");
    std::fs::remove_file(directory.join("test.db")).unwrap();
    for _ in 0..failures {
        assert_eq!(service.get(HEALTH), "503");
    }
    service
}

/// Checks that the operator learns of failures without asking, but only of some of very many.
#[test]
fn a_service_tells_its_failures_unasked() {
    let directory = tempfile::tempdir().unwrap();
    let said = broken(directory.path(), None, 14).end();
    assert_eq!(said.len(), 11, "{said:?}");
    let cause = |line: &String| {
        line.contains(" ERROR ")
            && line.contains(" status=503 ")
            && line.contains("cause=\"database ")
    };
    assert!(said[..10].iter().all(cause), "{said:?}");
    assert!(said[10].starts_with("4 more events in "), "{said:?}");
}

/// Checks that an explicit filter shows every request.
#[test]
fn a_service_tells_every_request_when_asked() {
    let directory = tempfile::tempdir().unwrap();
    let said = broken(directory.path(), Some("server=info"), 14).end();
    assert_eq!(said.len(), 15, "{said:?}");
    assert!(
        said[0].contains(" INFO request{id=\"") && said[0].contains(" status=200 "),
        "{said:?}"
    );
    let directory = tempfile::tempdir().unwrap();
    let said = broken(directory.path(), Some("off"), 1).end();
    assert!(said.is_empty(), "{said:?}");
}

/// Checks that a closed log ends nothing.
#[test]
fn a_service_outlives_the_reader_of_its_log() {
    let directory = tempfile::tempdir().unwrap();
    let mut service = Service::start(directory.path(), Some("trace"));
    service.said = None;
    std::fs::remove_file(directory.path().join("test.db")).unwrap();
    assert_eq!(service.get(HEALTH), "503");
    assert_eq!(service.get(HEALTH), "503");
    service.end();
}
