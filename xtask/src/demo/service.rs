//! The last scene of the demo: the same answer over HTTP.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::expect;
use super::shell::Shell;
use crate::step;

/// How long the service may take to listen, to answer and to end.
const LIMIT: Duration = Duration::from_secs(10);

/// Starts the service, asks it for the best configuration of `problem`, and ends it.
pub(super) fn ask(shell: &Shell, problem: &str) -> Result<()> {
    println!("\n== The same answer over HTTP");
    // A port that was free a moment ago: the service takes a number, and the demo has to know it.
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
        .local_addr()?
        .port();
    let listen = format!("127.0.0.1:{port}");
    let words = ["wavetune", "serve", "--listen", &listen, "--db", "demo.db"];
    let mut service = Service(shell.command(&words)?.spawn()?);
    let path = format!(
        "/api/v1/configurations?problem={}&target=gfx942",
        percent_encoded(problem)
    );
    println!("GET http://{listen}{path}");
    let answer = get(&mut service.0, port, &path)?;
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .context("the answer is not HTTP")?;
    println!("{body}");
    let status = head.lines().next().unwrap_or_default();
    expect(
        status.starts_with("HTTP/1.1 200"),
        &format!("the service answered {status}"),
    )?;
    expect(
        service.terminate()?.success(),
        "the service did not end cleanly on SIGTERM",
    )
}

/// A running service, which does not outlive the demo.
struct Service(Child);

impl Service {
    fn terminate(&mut self) -> Result<ExitStatus> {
        step::run(
            Command::new("kill")
                .arg("-TERM")
                .arg(self.0.id().to_string()),
        )?;
        let start = Instant::now();
        while start.elapsed() < LIMIT {
            if let Some(status) = self.0.try_wait()? {
                return Ok(status);
            }
            sleep(Duration::from_millis(10));
        }
        bail!("the service still runs {} s after SIGTERM", LIMIT.as_secs())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // After `terminate` there is nothing left to kill, and that is no error here.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The whole answer to one request, once the service listens.
fn get(service: &mut Child, port: u16, path: &str) -> Result<String> {
    let start = Instant::now();
    let mut stream = loop {
        if let Some(status) = service.try_wait()? {
            bail!("the service ended before it answered: {status}");
        }
        match TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
            Ok(stream) => break stream,
            Err(error) if start.elapsed() > LIMIT => return Err(error.into()),
            Err(_) => sleep(Duration::from_millis(5)),
        }
    };
    stream.set_read_timeout(Some(LIMIT))?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

/// A query's value: what is neither a letter nor a digit nor one of `-._~` as `%` and its bytes.
fn percent_encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::percent_encoded;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(percent_encoded(text), expected);
    }

    #[test]
    fn a_problem_becomes_the_value_of_a_query() {
        check("argmax:4x[32000]xf32", "argmax%3A4x%5B32000%5Dxf32");
        check("a b&c=é", "a%20b%26c%3D%C3%A9");
    }
}
