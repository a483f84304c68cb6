//! `wavetune token`: tokens are created, listed and revoked, and a public service answers only
//! clients with a token.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A folder with a database.
struct Bed(tempfile::TempDir);

impl Bed {
    fn new() -> Bed {
        Bed(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn wavetune(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
        command
            .args(arguments.split(' '))
            .env("WAVETUNE_DB", self.path("test.db"))
            .env_remove("WAVETUNE_LOG")
            .env_remove("WAVETUNE_TOKEN")
            .stdin(Stdio::null());
        command
    }

    /// Runs a command with this exit code. Returns its standard output and standard error.
    #[track_caller]
    fn run(&self, arguments: &str, exit: i32) -> (String, String) {
        let output = self.wavetune(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (out, err) = (text(output.stdout), text(output.stderr));
        assert_eq!(output.status.code(), Some(exit), "{arguments}\n{out}{err}");
        (out, err)
    }

    /// Checks a command's exit code and a part of its output.
    #[track_caller]
    fn check(&self, arguments: &str, exit: i32, part: &str) {
        let (out, err) = self.run(arguments, exit);
        assert!(
            (out.clone() + &err).contains(part),
            "{arguments}\n{out}{err}"
        );
    }

    #[track_caller]
    fn json(&self, schema: &str, arguments: &str) -> Vec<Value> {
        let (out, _) = self.run(&format!("{arguments} --output-format json"), 0);
        testing_conformance::answers(schema, out.as_bytes())
    }

    /// Creates a token.
    #[track_caller]
    fn token(&self, arguments: &str) -> String {
        let (out, err) = self.run(&format!("token create {arguments}"), 0);
        let token = out.trim_end();
        assert_eq!(
            (out.lines().count(), err.lines().count()),
            (1, 1),
            "{out}{err}"
        );
        assert!(token.starts_with("wt_") && token.len() == 75, "{token}");
        assert!(!err.contains("wt_"), "{err}");
        token.to_owned()
    }
}

#[test]
fn a_token_is_written_to_a_file_of_its_own() {
    let bed = Bed::new();
    let file = bed.path("ann.token");
    let to = |name: &str| bed.path(name).display().to_string();
    let create = format!("token create ann --scope read --output {}", to("ann.token"));
    let (out, err) = bed.run(&create, 0);
    assert_eq!(out, "");
    assert!(err.starts_with("token 1, ann: read; until "), "{err}");
    assert!(!err.contains("wt_"), "{err}");
    let token = std::fs::read_to_string(&file).unwrap();
    assert!(token.trim_end().parse::<store::AccessToken>().is_ok());
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // An existing file stays, and no token is created for it.
    bed.check(&create, 2, "ann.token: File exists");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), token);
    assert_eq!(bed.json("token", "token list").len(), 1);
    // Without a token there is no file.
    let create = "token create ann --scope read --output";
    bed.check(
        &format!("{create} {}", to("no/ann.token")),
        2,
        "cannot create",
    );
    let nowhere = format!("{create} {} --db /dev/null/x.db", to("b.token"));
    bed.check(&nowhere, 2, "");
    assert!(!bed.path("b.token").exists());
    let json = format!("{create} {} --output-format json", to("c.token"));
    bed.check(&json, 2, "cannot be used with");
}

#[test]
fn tokens_are_made_listed_and_taken_back() {
    let bed = Bed::new();
    bed.check("token list", 2, "does not exist");
    bed.token("ann --scope read,submit");
    bed.token("rack-7 --scope agent --expires-in 0s");
    let made = bed.json(
        "token-new",
        "token create ann --scope admin --expires-in 1year",
    );
    assert_eq!(made[0]["id"], 3);
    let token = made[0]["token"].as_str().unwrap().to_owned();
    bed.check("token revoke 3", 0, "token 3 is revoked");
    bed.check("token revoke 3", 1, "see `wavetune token list`");
    bed.check(
        "token revoke 99",
        1,
        "there is no valid token with the number 99",
    );
    let listed = bed.json("token", "token list");
    let states: Vec<_> = listed.iter().map(|it| it["is_good"] == true).collect();
    assert_eq!(states, [true, false, false]);
    assert_eq!(listed[0]["scopes"], serde_json::json!(["read", "submit"]));
    assert!(listed[2]["revoked"].is_string(), "{listed:?}");
    let (table, _) = bed.run("token list", 0);
    let rows: Vec<&str> = table.lines().skip(1).collect();
    for (row, part) in rows
        .iter()
        .zip(["read submit  valid ", "expired", "revoked"])
    {
        assert!(row.contains(part), "{table}");
    }
    // The database has only the hash, and no output shows more.
    let said = format!("{listed:?}{table}");
    let files = std::fs::read_dir(bed.0.path()).unwrap();
    let bytes = files.map(|file| std::fs::read(file.unwrap().path()).unwrap());
    let kept = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let kept: String = kept.collect();
    assert!(kept.contains("rack-7"));
    for text in [said, kept] {
        assert!(
            !text.contains("wt_") && !text.contains(&token[3..30]),
            "{text}"
        );
    }
}

#[test]
fn invalid_tokens_are_refused() {
    let bed = Bed::new();
    bed.check("token create ann", 2, "--scope");
    bed.check(
        "token create ann --scope root",
        2,
        "possible values: read, submit, agent, admin",
    );
    bed.check(
        "token create ann --scope read --expires-in soon",
        2,
        "expires-in",
    );
    let long = "x".repeat(65);
    bed.check(
        &format!("token create {long} --scope read"),
        2,
        "1 to 64 visible characters",
    );
    bed.check(
        "token create a\nb --scope read",
        2,
        "1 to 64 visible characters",
    );
    bed.token("ann --scope read --expires-in 1000000years");
    bed.token("ann --scope read,read");
}

/// Checks that two tokens share only their form.
#[test]
fn tokens_are_random() {
    let bed = Bed::new();
    let tokens: Vec<String> = (0..4).map(|_| bed.token("ann --scope read")).collect();
    for (number, token) in tokens.iter().enumerate() {
        for other in &tokens[..number] {
            let equal = token.bytes().zip(other.bytes()).filter(|(a, b)| a == b);
            // A sixteenth of 72 digits, and the prefix.
            assert!(equal.count() < 30, "{token}\n{other}");
        }
    }
}

/// A service, which is killed when the test ends.
struct Service {
    child: Child,
    port: String,
}

impl Service {
    fn start(mut command: Command) -> Service {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.starts_with("listening on http://") {
            line.clear();
            assert_ne!(said.read_line(&mut line).unwrap(), 0, "it does not listen");
        }
        std::thread::spawn(move || said.read_to_end(&mut Vec::new()));
        let port = line.trim().rsplit(':').next().unwrap().to_owned();
        Service { child, port }
    }

    /// Returns the status of the answer to a client with this token.
    fn status(&self, token: Option<&str>) -> String {
        let address = format!("127.0.0.1:{}", self.port);
        let mut stream = TcpStream::connect(&address).unwrap();
        let shows = token.map(|token| format!("Authorization: Bearer {token}\r\n"));
        write!(
            stream,
            "GET /api/v1/devices HTTP/1.1\r\nHost: {address}\r\n{}Connection: close\r\n\r\n",
            shows.unwrap_or_default()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.get(9..12).unwrap_or_default().to_owned()
    }

    /// Waits until a client with this token gets this status.
    #[track_caller]
    fn soon(&self, token: &str, status: &str) {
        let begin = Instant::now();
        while self.status(Some(token)) != status {
            assert!(begin.elapsed() < Duration::from_secs(60), "not {status}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn a_service_that_others_reach_wants_tokens() {
    let bed = Bed::new();
    let advice = "create one with `wavetune token create NAME --scope read` and the same --db";
    bed.check("serve --listen 0.0.0.0:0", 2, advice);
    bed.check("serve --listen [::]:0", 2, advice);
    bed.check("serve --listen 127.0.0.1:0 --require-token", 2, advice);
    bed.token("old --scope read --expires-in 0s");
    bed.check("serve --listen 0.0.0.0:0", 2, advice);
    let token = bed.token("ann --scope read");
    for arguments in [
        "serve --listen 0.0.0.0:0",
        "serve --listen 127.0.0.1:0 --require-token",
    ] {
        let service = Service::start(bed.wavetune(arguments));
        assert_eq!(service.status(None), "401", "{arguments}");
        service.soon(&token, "200");
    }
    // Other users of this machine could read the database as well.
    let service = Service::start(bed.wavetune("serve --no-agent --listen 127.0.0.1:0"));
    assert_eq!(service.status(None), "200");
}

/// Checks that a service follows created and revoked tokens within a second or two.
#[test]
fn a_service_accepts_new_tokens() {
    let bed = Bed::new();
    bed.token("ann --scope read");
    let service = Service::start(bed.wavetune("serve --listen 127.0.0.1:0 --require-token"));
    let token = bed.token("bob --scope read");
    service.soon(&token, "200");
    bed.check("token revoke 2", 0, "is revoked");
    service.soon(&token, "401");
}

/// Checks that no message repeats an unreadable token.
#[test]
fn the_contents_of_a_token_file_stay_secret() {
    let bed = Bed::new();
    let agent = "agent --device emulated:mi300x --token-file";
    let token = bed.token("rack-7 --scope agent");
    let cut = bed.path("cut");
    std::fs::write(&cut, &token[..70]).unwrap();
    let (out, err) = bed.run(&format!("{agent} {}", cut.display()), 2);
    assert!(err.contains("cut: this is not a token"), "{err}");
    assert!(!(out + &err).contains(&token[3..20]), "{err}");
    bed.check(
        &format!("{agent} {}", bed.path("none").display()),
        2,
        "none: ",
    );
    let mut command = bed.wavetune("agent --device emulated:mi300x");
    let output = command.env("WAVETUNE_TOKEN", &token[1..]).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(err.contains("WAVETUNE_TOKEN: this is not a token"), "{err}");
    assert!(!err.contains(&token[3..20]), "{err}");
    // No option takes the token itself.
    bed.check("agent --token wt_1", 2, "unexpected argument '--token'");
}
