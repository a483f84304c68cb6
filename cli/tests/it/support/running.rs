//! Services and agents as processes, and a client.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use codegen::llvm::LlvmProcess;
use serde_json::Value;
use testing::Failed;

/// A service or an agent, which is killed when it is dropped.
pub(crate) struct Running {
    child: Child,
    /// Its first lines.
    said: String,
}

impl Running {
    /// Starts a process, and waits until it prints `until` on standard error.
    pub(crate) fn start(mut command: Command, until: &str) -> Result<Running, Failed> {
        let mut child = command.stderr(Stdio::piped()).spawn()?;
        let stderr = child.stderr.take().ok_or("no standard error")?;
        let mut lines = BufReader::new(stderr).lines();
        let said = lines
            .by_ref()
            .map_while(Result::ok)
            .find(|line| line.contains(until));
        // Later lines are read, so that the pipe does not fill.
        std::thread::spawn(move || lines.for_each(drop));
        let said = said.ok_or_else(|| format!("it did not say {until:?}"))?;
        Ok(Running { child, said })
    }

    /// Starts a process without waiting.
    pub(crate) fn start_unheard(mut command: Command) -> Result<Running, Failed> {
        let child = command.stderr(Stdio::null()).spawn()?;
        let said = String::new();
        Ok(Running { child, said })
    }

    /// Starts a service that listens at this address.
    pub(crate) fn service(mut wavetune: Command, listen: &str) -> Result<Running, Failed> {
        wavetune.args(["serve", "--no-agent", "--listen", listen]);
        Running::start(wavetune, "listening on")
    }

    /// Starts an agent of that service, and waits until it reports its connection. The service
    /// may start later.
    pub(crate) fn agent(wavetune: Command, address: &str) -> Result<Running, Failed> {
        Running::start(lent(wavetune, address), "connected")
    }

    /// Returns the address of the service.
    pub(crate) fn address(&self) -> &str {
        self.said.rsplit('/').next().unwrap_or_default()
    }

    /// Returns a service's metrics.
    pub(crate) fn metrics(&self) -> Result<String, Failed> {
        let url = format!("http://{}/metrics", self.address());
        Ok(ureq::get(&url).call()?.body_mut().read_to_string()?)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns its peak memory in kilobytes.
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

    /// Asks it to end. Returns its exit code.
    pub(crate) fn end(mut self) -> Result<Option<i32>, Failed> {
        self.tell_to_end()?;
        Ok(self.child.wait()?.code())
    }

    /// Asks it to end, without waiting.
    pub(crate) fn tell_to_end(&self) -> Result<(), Failed> {
        let id = self.child.id().to_string();
        // A minimal Debian has no `kill` program, but its shell does.
        let told = Command::new("sh")
            .args(["-c", "kill -TERM $0", &id])
            .status()?;
        assert!(told.success());
        Ok(())
    }
}

/// Returns a `wavetune` command with this database.
pub(crate) fn wavetune(db: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
    command.env("WAVETUNE_DB", db).stdin(Stdio::null());
    command
}

/// Returns `wavetune` as LLVM's process, without a sandbox.
pub(crate) fn llvm_process() -> LlvmProcess {
    LlvmProcess {
        sandbox: None,
        program: env!("CARGO_BIN_EXE_wavetune").into(),
        arguments: vec!["compiler-process".to_owned()],
    }
}

/// Returns the command of an agent of that service.
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

/// Returns the body of the answer to a request.
pub(crate) fn ask(address: &str, head: &str, body: &str) -> Result<Value, Failed> {
    let answer = answer(address, head, body)?;
    let (_, body) = answer.split_once("\r\n\r\n").ok_or("no body")?;
    Ok(serde_json::from_str(body)?)
}

/// Returns the answer to a request.
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
