//! The last scene of the demo: the same answer over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::expect;
use super::shell::Shell;

/// Time limit of an answer, and of the service's end.
const LIMIT: Duration = Duration::from_secs(10);

/// Starts the service, asks it for the best configuration of `problem`, and ends it.
pub(super) fn ask(shell: &Shell, problem: &str) -> Result<()> {
    println!("\n== The same answer over HTTP");
    let words = [
        "wavetune",
        "serve",
        "--no-agent",
        "--listen",
        // Another service may use the default port.
        "127.0.0.1:0",
        "--db",
        "demo.db",
    ];
    let mut service = DemoService::start(shell.command(&words)?)?;
    let path = format!(
        "/api/v1/configurations?problem={}&target=gfx942",
        percent_encoded(problem)
    );
    println!("GET http://{}{path}", service.address);
    let answer = service.get(&path)?;
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
struct DemoService {
    process: Child,
    /// Its standard error. It stays open, because the service may write more.
    log: BufReader<ChildStderr>,
    /// Address and port; the service chose the port.
    address: String,
}

impl DemoService {
    fn start(mut command: Command) -> Result<DemoService> {
        let mut process = command.stderr(Stdio::piped()).spawn()?;
        let log = BufReader::new(process.stderr.take().context("its stderr is a pipe")?);
        let mut service = DemoService {
            process,
            log,
            address: String::new(),
        };
        let mut line = String::new();
        // The first line names the address, because the service chose the port.
        service.log.read_line(&mut line)?;
        print!("{line}");
        let address = line
            .trim()
            .rsplit_once("http://")
            .map(|(_, address)| address);
        service.address = address
            .context("the service did not say where it listens")?
            .to_string();
        Ok(service)
    }

    /// Returns the whole answer to one request.
    fn get(&self, path: &str) -> Result<String> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(LIMIT))?;
        let host = &self.address;
        write!(
            stream,
            // The service closes the connection, so the answer's length need not be parsed.
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }

    fn terminate(&mut self) -> Result<ExitStatus> {
        // The shell's own `kill`: a small system may lack the package of the program.
        let kill = format!("kill -TERM {}", self.process.id());
        println!("$ {kill}");
        let sent = Command::new("sh").args(["-c", &kill]).status()?;
        expect(sent.success(), "SIGTERM could not be sent")?;
        let start = Instant::now();
        while start.elapsed() < LIMIT {
            if let Some(status) = self.process.try_wait()? {
                return Ok(status);
            }
            sleep(Duration::from_millis(10));
        }
        bail!("the service still runs {} s after SIGTERM", LIMIT.as_secs())
    }
}

impl Drop for DemoService {
    fn drop(&mut self) {
        // After `terminate` there is no process to kill, which is no error.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Encodes a query's value: each byte but letters, digits and `-._~` as `%` and two digits.
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
