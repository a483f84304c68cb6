//! Services and agents as processes, and a client.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use testing::Failed;

/// A service or an agent, which is killed when it is dropped.
pub(crate) struct Running {
    child: Child,
    /// What it said first.
    said: String,
}

impl Running {
    /// Starts it, and waits until it says this on standard error.
    pub(crate) fn start(mut command: Command, until: &str) -> Result<Running, Failed> {
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

    /// Starts it, and waits for nothing.
    pub(crate) fn start_unheard(mut command: Command) -> Result<Running, Failed> {
        let child = command.stderr(Stdio::null()).spawn()?;
        let said = String::new();
        Ok(Running { child, said })
    }

    /// A service that listens there.
    pub(crate) fn service(mut wavetune: Command, listen: &str) -> Result<Running, Failed> {
        wavetune.args(["serve", "--no-agent", "--listen", listen]);
        Running::start(wavetune, "listening on")
    }

    /// An agent of that service that has said whether it is connected; the service may not be there yet.
    pub(crate) fn agent(wavetune: Command, address: &str) -> Result<Running, Failed> {
        Running::start(lent(wavetune, address), "connected")
    }

    /// Where a service listens.
    pub(crate) fn address(&self) -> &str {
        self.said.rsplit('/').next().unwrap_or_default()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kilobytes of memory that it had at most.
    pub(crate) fn memory(&self) -> Result<u64, Failed> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = most.and_then(|most| most.split_whitespace().next());
        Ok(kilobytes.ok_or("no peak of memory")?.parse()?)
    }

    pub(crate) fn kill(mut self) -> Result<(), Failed> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Asks it to end; its exit code.
    pub(crate) fn end(mut self) -> Result<Option<i32>, Failed> {
        self.tell_to_end()?;
        Ok(self.child.wait()?.code())
    }

    /// Asks it to end, and does not wait for that.
    pub(crate) fn tell_to_end(&self) -> Result<(), Failed> {
        let id = self.child.id().to_string();
        // A minimal Debian has no program for this, but its shell does.
        let told = Command::new("sh")
            .args(["-c", "kill -TERM $0", &id])
            .status()?;
        assert!(told.success());
        Ok(())
    }
}

/// The program, with this database.
pub(crate) fn wavetune(db: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
    command.env("WAVETUNE_DB", db).stdin(Stdio::null());
    command
}

/// The command of an agent of that service.
pub(crate) fn lent(mut wavetune: Command, address: &str) -> Command {
    let server = format!("http://{address}");
    wavetune.args(["agent", "--server", &server, "--jobs", "1"]);
    wavetune
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The body of the answer to a request.
pub(crate) fn ask(address: &str, head: &str, body: &str) -> Result<Value, Failed> {
    let answer = answer(address, head, body)?;
    let (_, body) = answer.split_once("\r\n\r\n").ok_or("no body")?;
    Ok(serde_json::from_str(body)?)
}

/// The answer to a request.
pub(crate) fn answer(address: &str, head: &str, body: &str) -> Result<String, Failed> {
    let mut stream = TcpStream::connect(address)?;
    let length = body.len();
    write!(
        stream,
        "{head} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{body}"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}
