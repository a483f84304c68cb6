//! A service that requires tokens, and an agent that shows one: it works, and no log, answer or
//! list of processes contains a token.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use serde_json::Value;
use testing::Failed;

use crate::tuning::wavetune;

/// A process that logs everything to a file, and is killed when it is dropped.
struct Logged {
    child: Child,
    log: PathBuf,
}

impl Logged {
    /// Starts a process, and waits until it prints `until`.
    fn start(mut command: Command, log: PathBuf, until: &str) -> Result<Logged, Failed> {
        let file = File::create(&log)?;
        command.env("WAVETUNE_LOG", "trace").stderr(file);
        let child = command.spawn()?;
        let logged = Logged { child, log };
        logged.wait_for(until)?;
        Ok(logged)
    }

    /// Waits until the process has printed `part`. Returns its log.
    fn wait_for(&self, part: &str) -> Result<String, Failed> {
        let begin = Instant::now();
        loop {
            let said = fs::read_to_string(&self.log)?;
            if said.contains(part) {
                return Ok(said);
            }
            if begin.elapsed() > Duration::from_secs(60) {
                return Err(format!("it did not say {part:?}: {said}").into());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Returns the process's command line, as a list of processes shows it.
    fn command_line(&self) -> Result<String, Failed> {
        let line = fs::read(format!("/proc/{}/cmdline", self.child.id()))?;
        Ok(String::from_utf8_lossy(&line).into_owned())
    }
}

impl Drop for Logged {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Creates a token with these scopes.
fn token(db: &Path, name: &str, scopes: &str) -> Result<String, Failed> {
    let output = wavetune(db, &["token", "create", name, "--scope", scopes]).output()?;
    assert!(output.status.success(), "{output:?}");
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// Returns the answer to a request with a token.
fn ask(address: &str, token: &str, head: &str, body: &str) -> Result<String, Failed> {
    let mut stream = TcpStream::connect(address)?;
    let length = body.len();
    write!(
        stream,
        "{head} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

/// Starts a service that requires tokens. Returns it and its address.
fn guarded(db: &Path, log: PathBuf) -> Result<(Logged, String), Failed> {
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--require-token"];
    let service = Logged::start(wavetune(db, &arguments), log, "listening on http://")?;
    let said = service.wait_for("\n")?;
    let address = said
        .split("http://")
        .nth(1)
        .and_then(|it| it.lines().next());
    let address = address.ok_or("no address")?.to_owned();
    Ok((service, address))
}

/// Runs an agent with this token, which is refused. Returns its output.
fn refused(db: &Path, server: &str, shows: Option<&str>) -> Result<String, Failed> {
    let mut command = wavetune(db, &["agent", "--server", server, "--jobs", "1"]);
    command
        .env("WAVETUNE_LOG", "trace")
        .env_remove("WAVETUNE_TOKEN");
    if let Some(token) = shows {
        command.env("WAVETUNE_TOKEN", token);
    }
    let output = command.output()?;
    let said = String::from_utf8(output.stderr)?;
    assert_eq!(output.status.code(), Some(2), "{said}");
    Ok(said)
}

/// Starts an agent with this token, in a file in this folder.
fn lend(folder: &Path, server: &str, token: &str) -> Result<Logged, Failed> {
    let file = folder.join("token");
    fs::write(&file, format!("{token}\n"))?;
    let arguments = ["agent", "--server", server, "--jobs", "1", "--token-file"];
    let mut lend = wavetune(&folder.join("none.db"), &arguments);
    lend.arg(&file);
    Logged::start(lend, folder.join("agent.log"), "connected")
}

pub(crate) fn an_agent_shows_its_token() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let path = |name: &str| directory.path().join(name);
    let db = path("guarded.db");
    let agents = token(&db, "rack-7", "agent")?;
    let submits = token(&db, "ann", "submit")?;
    let reads = token(&db, "bob", "read")?;
    let (service, address) = guarded(&db, path("service.log"))?;
    let server = format!("http://{address}");

    // The refusal says what to do.
    let none = refused(&db, &server, None)?;
    let advice = "set WAVETUNE_TOKEN or --token-file";
    assert!(
        none.contains("`wavetune token create`") && none.contains(advice),
        "{none}"
    );
    let other = refused(&db, &server, Some(&reads))?;
    assert!(
        other.contains("the token of \"bob\" lacks the scope agent"),
        "{other}"
    );

    let agent = lend(directory.path(), &server, &agents)?;
    let wanted = r#"{"problems": ["argmax:4x[1000]xf32"], "target": "gfx942", "budget": 8}"#;
    let begun = ask(&address, &submits, "POST /api/v1/studies", wanted)?;
    assert!(begun.starts_with("HTTP/1.1 201 "), "{begun}");
    let begin = Instant::now();
    let mut study = String::new();
    while !study.contains("\"state\":\"done\"") {
        assert!(begin.elapsed() < Duration::from_secs(120), "{study}");
        std::thread::sleep(Duration::from_millis(100));
        study = ask(&address, &reads, "GET /api/v1/studies/1", "")?;
    }
    let listed = wavetune(&db, &["token", "list", "--output-format", "json"]).output()?;
    let ids: Vec<Value> = String::from_utf8(listed.stdout)?
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).map(|token| token["id"].clone()))
        .collect::<Result<_, _>>()?;
    let said = fs::read_to_string(&service.log)?;
    for (id, name, operation) in [
        (&ids[0], "rack-7", "POST /api/v1/leases:tell"),
        (&ids[1], "ann", "POST /api/v1/studies"),
    ] {
        let part = format!("audit: done token={id} name=\"{name}\" address=127.0.0.1:");
        let of = format!("operation=\"{operation}\"");
        let is_told = |line: &str| {
            line.contains(&part) && line.contains(&of) && line.contains("studies=\"1\"")
        };
        assert!(said.lines().any(is_told), "{part} {of}: {said}");
    }

    // An agent with a revoked token ends.
    let id = ids[0].to_string();
    assert!(wavetune(&db, &["token", "revoke", &id]).status()?.success());
    let agent_said = agent.wait_for("the token of \"rack-7\" was revoked")?;
    let all = [
        said,
        agent_said,
        none,
        other,
        begun,
        study,
        service.command_line()?,
        agent.command_line()?,
    ];
    for token in [&agents, &submits, &reads] {
        for text in &all {
            assert!(!text.contains(&token[3..19]), "{text}");
        }
    }
    // The logs are not empty, nor is the list of processes.
    assert!(all[0].contains(" DEBUG "), "{}", all[0]);
    assert!(all[6].contains("serve"), "{}", all[6]);
    Ok(())
}

/// Checks that each command that asks a service shows a token, as an agent does.
pub(crate) fn requests_to_a_service_need_a_token() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let folder = directory.path();
    let db = folder.join("guarded.db");
    let agents = token(&db, "rack-7", "agent")?;
    let submits = token(&db, "ann", "read,submit")?;
    let reads = token(&db, "bob", "read")?;
    let (_service, address) = guarded(&db, folder.join("service.log"))?;
    let server = format!("http://{address}");
    let _agent = lend(folder, &server, &agents)?;
    let file = folder.join("bob.token");
    fs::write(&file, &reads)?;
    // Checks a command's exit code and a part of its output.
    let check = |words: &[&str], shows: Option<&str>, exit: i32, part: &str| {
        let mut command = wavetune(&folder.join("none.db"), words);
        command.args(["--server", &server]);
        match shows {
            Some(token) => command.env("WAVETUNE_TOKEN", token),
            None => command.env_remove("WAVETUNE_TOKEN"),
        };
        if shows == Some("") {
            command.arg("--token-file").arg(&file);
        }
        let output = command.output()?;
        let said = String::from_utf8([output.stdout, output.stderr].concat())?;
        assert_eq!(output.status.code(), Some(exit), "{words:?}: {said}");
        assert!(said.contains(part), "{words:?}: {part}: {said}");
        for token in [&agents, &submits, &reads] {
            assert!(!said.contains(&token[3..19]), "{said}");
        }
        Ok::<(), Failed>(())
    };
    let problem = "argmax:4x[1000]xf32";
    let tune = ["tune", problem, "--budget", "8"];
    let lookup = ["lookup", problem, "--target", "gfx942"];
    let cancel = ["studies", "cancel", "1"];
    for words in [&tune[..], &lookup, &cancel] {
        check(words, None, 2, "set WAVETUNE_TOKEN")?;
    }
    let by_file = Some("");
    check(&tune, by_file, 2, "lacks the scope submit")?;
    check(&tune, Some(&submits), 0, "kept as study 1")?;
    check(&lookup, by_file, 0, "emulated:mi300x")?;
    check(&cancel, by_file, 2, "lacks the scope submit")?;
    let done = "study 1 is done; it cannot be cancelled";
    check(&cancel, Some(&submits), 2, done)
}

/// Checks that an agent talks only to a service with a certificate of a trusted authority.
pub(crate) fn an_agent_knows_its_service() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let path = |name: &str| directory.path().join(name);
    let db = path("secret.db");
    let names = ["127.0.0.1".to_owned()];
    let made = rcgen::generate_simple_self_signed(names)?;
    let (certificate, key) = (path("c.pem"), path("k.pem"));
    fs::write(&certificate, made.cert.pem())?;
    fs::write(&key, made.signing_key.serialize_pem())?;
    let mut serve = wavetune(&db, &["serve", "--no-agent", "--listen", "127.0.0.1:0"]);
    serve.arg("--tls-certificate").arg(&certificate);
    serve.arg("--tls-key").arg(&key);
    let service = Logged::start(serve, path("service.log"), "listening on https://")?;
    let said = service.wait_for("\n")?;
    let address = said
        .split("https://")
        .nth(1)
        .and_then(|it| it.lines().next());
    let server = format!("https://{}", address.ok_or("no address")?);
    let arguments = ["agent", "--server", &server, "--jobs", "1"];
    let lost = wavetune(&db, &arguments);
    Logged::start(lost, path("lost.log"), "no connection, retrying: https://")?;
    let mut lent = wavetune(&db, &arguments);
    lent.arg("--ca").arg(&certificate);
    Logged::start(lent, path("lent.log"), "connected")?.wait_for("\nconnected")?;
    let mut wrong = wavetune(&db, &arguments);
    let output = wrong.arg("--ca").arg(&key).output()?;
    let said = String::from_utf8(output.stderr)?;
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("k.pem: it has no certificate"), "{said}");
    Ok(())
}
