//! The child as its parent sees it: it replies within its limits, or the parent ends it. On
//! request, a sandbox confines it.

use std::fs;
use std::io::{self, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use codegen_sandbox::{Sandbox, SandboxPolicy, signal_of, visible_path};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process_group, set_parent_process_death_signal, waitid,
};
use rustix::system::sysinfo;

use super::child_protocol::{self, ChildPhase, ChildReply, ChildRequest};
use super::lock;
use crate::device::DeviceError;

/// The time for anything but a kernel: loading the library, making and copying inputs, comparing
/// results. The largest inputs need a minute.
const HOST_LIMIT: Duration = Duration::from_secs(300);

/// The time in which the previous child leaves the device.
const WAIT_LIMIT: Duration = Duration::from_secs(60);

/// The time in which a process is gone after SIGKILL. Later, it hangs in the kernel driver.
const KILL_LIMIT: Duration = Duration::from_secs(30);

/// The time in which a process ends after it closes its standard output. The sandbox reports the
/// child's end a moment later.
const CLOSED_LIMIT: Duration = Duration::from_secs(1);

/// The time between two checks if the process is gone.
const POLL: Duration = Duration::from_millis(2);

/// The number of bytes of the child's standard error that the parent keeps, from its end.
const KEPT_BYTES: usize = 16 << 10;

/// The messages that ROCm's runtime prints before it aborts because of a kernel. Users report
/// `Memory access fault by GPU node-1 …`. The others follow `Callback: Queue … aborting with
/// error :` (clr, `rocdevice.cpp`).
const FAULTS: [&str; 5] = [
    "Memory access fault",
    "HSA_STATUS_ERROR_EXCEPTION",
    "HSA_STATUS_ERROR_MEMORY_FAULT",
    "HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION",
    "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION",
];

/// The command that starts a child: a program that calls [`serve_parent`](super::serve_parent)
/// for these arguments.
#[derive(Debug, Clone)]
pub struct ChildCommand {
    /// The program, usually this one.
    pub program: PathBuf,
    /// The program's arguments.
    pub arguments: Vec<String>,
    /// The sandbox that confines the child. `None` starts a plain child.
    pub sandbox: Option<Sandbox>,
}

impl ChildCommand {
    /// Builds the command of a child that uses this library, or one that it finds.
    fn command(&self, library: Option<&Path>) -> io::Result<Command> {
        let mut command = match &self.sandbox {
            None => Command::new(&self.program),
            Some(sandbox) => {
                let locks = lock::folder();
                fs::create_dir_all(&locks)?;
                let mut read = vec![self.program.clone()];
                read.extend(library.map(visible_path));
                // A library may be a symbolic link. The child needs the link and its target.
                read.extend(library.map(PathBuf::from));
                let room = SandboxPolicy {
                    read,
                    write: Some(locks),
                    gpus: true,
                    memory: memory(),
                };
                sandbox.command(&self.program, &room)
            }
        };
        command.args(&self.arguments);
        Ok(command)
    }
}

/// Returns the memory limit of a confined child in bytes: three quarters of the machine's memory,
/// because inputs are as large as problems.
fn memory() -> u64 {
    let machine = sysinfo();
    // These types differ between systems.
    let (units, unit) = (machine.totalram as u64, u64::from(machine.mem_unit));
    units.saturating_mul(unit) / 4 * 3
}

/// A child process, alive until a moment ago. Dropping it ends the child.
pub(super) struct Process {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<ChildReply>,
    /// The thread that reads standard error and returns its last bytes.
    messages: Option<JoinHandle<Vec<u8>>>,
    /// True if the child began a kernel since the last request.
    launched: bool,
}

/// The reason why there is no reply.
#[derive(Debug)]
pub(super) struct ChildDeath {
    /// The error to report for the kernel.
    pub(super) error: DeviceError,
    /// True if a kernel had begun.
    pub(super) launched: bool,
}

impl Process {
    pub(super) fn start(command: &ChildCommand, library: Option<&Path>) -> io::Result<Process> {
        let mut process = command.command(library)?;
        process
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own lets the parent end the child with everything that it started.
            .process_group(0);
        // SAFETY: the closure runs between fork and exec, which allows only async-signal-safe
        // calls. It makes one system call (prctl) and allocates nothing.
        unsafe {
            process.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::KILL))?));
        }
        let mut child = process.spawn()?;
        let missing = || io::Error::other("a pipe is missing");
        let requests = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        let messages = child.stderr.take().ok_or_else(missing)?;
        let (sender, answers) = mpsc::channel();
        thread::spawn(move || {
            let mut from = BufReader::new(output);
            // An invalid frame ends the conversation like the end of the pipe.
            while let Ok(Some((answer, _))) = child_protocol::read(&mut from) {
                if sender.send(answer).is_err() {
                    return;
                }
            }
        });
        Ok(Process {
            child,
            requests,
            answers,
            messages: Some(thread::spawn(move || keep_end(messages))),
            launched: false,
        })
    }

    /// Sends a request and waits for the reply, as long as the child keeps its limits.
    pub(super) fn ask(
        &mut self,
        request: &ChildRequest,
        attached: &[u8],
    ) -> Result<ChildReply, ChildDeath> {
        self.launched = false;
        // If the child is gone, the receive below reports it.
        child_protocol::write(&mut self.requests, request, attached).ok();
        let mut step = ChildPhase::Host;
        loop {
            let limit = match step {
                ChildPhase::Wait => WAIT_LIMIT,
                ChildPhase::Host => HOST_LIMIT,
                ChildPhase::Kernel(limit) => limit,
            };
            match self.answers.recv_timeout(limit) {
                Ok(ChildReply::Step(next)) => {
                    self.launched |= matches!(next, ChildPhase::Kernel(_));
                    step = next;
                }
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Timeout) => {
                    self.end();
                    return Err(self.death(too_long(step, limit)));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let error = self.autopsy();
                    return Err(self.death(error));
                }
            }
        }
    }

    fn death(&self, error: DeviceError) -> ChildDeath {
        ChildDeath {
            error,
            launched: self.launched,
        }
    }

    /// Ends the child and all that it started.
    fn end(&mut self) {
        let group = Pid::from_child(&self.child);
        // Until this process waits for the child, its group keeps its number. An error means that
        // the group is empty.
        kill_process_group(group, Signal::KILL).ok();
        self.wait();
    }

    /// Waits for the child's end. Returns `None` if it has not ended within the limit and may
    /// still hold the device.
    fn wait(&mut self) -> Option<ExitStatus> {
        // NOWAIT keeps the child as a zombie, so `Child::wait` still finds its status.
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let began = Instant::now();
        while began.elapsed() < KILL_LIMIT {
            let seen = waitid(WaitId::Pid(Pid::from_child(&self.child)), look);
            match seen {
                Ok(None) => thread::sleep(POLL),
                Ok(Some(_)) | Err(_) => return self.child.wait().ok(),
            }
        }
        None
    }

    /// Returns the cause of death of a child that this process did not end.
    fn autopsy(&mut self) -> DeviceError {
        // Its standard output is closed. A process that still lives ends soon.
        let began = Instant::now();
        let mut status = None;
        while status.is_none() && began.elapsed() < CLOSED_LIMIT {
            thread::sleep(POLL);
            status = self.child.try_wait().ok().flatten();
        }
        let messages = self.end_with_stderr();
        let status = status.or_else(|| self.child.try_wait().ok().flatten());
        verdict(status, &messages)
    }

    /// Ends the child and returns the end of its standard error, where libraries explain their
    /// failures.
    pub(super) fn end_with_stderr(&mut self) -> String {
        self.end();
        let messages = self.messages.take().and_then(|reader| reader.join().ok());
        String::from_utf8_lossy(&messages.unwrap_or_default()).into_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

fn too_long(step: ChildPhase, limit: Duration) -> DeviceError {
    let seconds = limit.as_secs_f64();
    match step {
        ChildPhase::Kernel(_) => DeviceError::Timeout(format!(
            "it ran for {seconds:.1} s, its limit, and its process was killed"
        )),
        ChildPhase::Host => DeviceError::Crash(format!("the driver was silent for {seconds:.0} s")),
        ChildPhase::Wait => DeviceError::Crash(format!(
            "a killed child process still holds the device after {seconds:.0} s"
        )),
    }
}

fn verdict(status: Option<ExitStatus>, messages: &str) -> DeviceError {
    let mut lines = messages.lines().map(str::trim);
    // ROCm's runtime aborts after a fault of a kernel. Its messages tell that from other crashes.
    if let Some(line) = lines.find(|line| FAULTS.iter().any(|fault| line.contains(fault))) {
        return DeviceError::Fault(line.to_owned());
    }
    let end = match status.map(|status| (signal_of(status), status.code())) {
        Some((Some(signal), _)) => format!("signal {signal} killed its process"),
        Some((_, Some(code))) => format!("its process ended with exit code {code}"),
        _ => "its process ended".to_owned(),
    };
    DeviceError::Crash(with_line(end, messages))
}

/// Appends the last line of the child's standard error to a message.
pub(super) fn with_line(message: String, messages: &str) -> String {
    let mut lines = messages.lines().map(str::trim);
    match lines.rfind(|line| !line.is_empty()) {
        Some(line) => format!("{message}: {line}"),
        None => message,
    }
}

/// Reads a stream to its end and keeps its last bytes.
fn keep_end(mut stream: impl Read) -> Vec<u8> {
    let (mut kept, mut piece) = (Vec::new(), [0; 4096]);
    while let Ok(length @ 1..) = stream.read(&mut piece) {
        kept.extend_from_slice(&piece[..length]);
        let beyond = kept.len().saturating_sub(KEPT_BYTES);
        kept.drain(..beyond);
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    const ABORT: Option<i32> = Some(6);

    #[track_caller]
    fn check(status: Option<i32>, messages: &str, expected: DeviceError) {
        assert_eq!(
            verdict(status.map(ExitStatus::from_raw), messages),
            expected
        );
    }

    #[test]
    fn causes_of_death_of_a_child() {
        let crash = |text: &str| DeviceError::Crash(text.to_owned());
        check(Some(9), "", crash("signal 9 killed its process"));
        check(
            Some(3 << 8),
            "a\nb\n\n",
            crash("its process ended with exit code 3: b"),
        );
        check(
            ABORT,
            "planted",
            crash("signal 6 killed its process: planted"),
        );
        let fault = "Memory access fault by GPU node-1 (Agent handle: 0x55) on address 0x7f. Reason: Unknown.";
        let messages = format!("x\n{fault}\nFailed to allocate file: core\n");
        check(ABORT, &messages, DeviceError::Fault(fault.to_owned()));
    }

    fn shell(script: &str) -> Process {
        Process::start(
            &ChildCommand {
                program: "sh".into(),
                arguments: vec!["-c".to_owned(), script.to_owned()],
                sandbox: None,
            },
            None,
        )
        .unwrap()
    }

    /// Returns a frame of `Step`, in a form that a shell prints.
    fn kernel(milliseconds: u32) -> String {
        let text = format!(r#"{{"Step":{{"Kernel":{{"secs":0,"nanos":{milliseconds}000000}}}}}}"#);
        format!(r#"printf '\{:03o}\0\0\0\0\0\0\0%s' '{text}'"#, text.len())
    }

    #[track_caller]
    fn check_death(script: &str, launched: bool, expected: &str) {
        let mut process = shell(script);
        let request = ChildRequest::Problem {
            problem: String::new(),
            seed: 0,
        };
        let death = process.ask(&request, &[]).unwrap_err();
        assert_eq!(death.launched, launched, "{death:?}");
        let found = death.error.to_string();
        assert!(found.contains(expected), "{found}");
    }

    #[test]
    fn deaths() {
        check_death("echo no frame at all; exit 4", false, "exit code 4");
        check_death(
            "echo why >&2; kill -ABRT $$",
            false,
            "signal 6 killed its process: why",
        );
        check_death(&format!("{}; exit 1", kernel(1000)), true, "exit code 1");
        check_death(
            &format!("{}; kill -KILL $$", kernel(1000)),
            true,
            "signal 9",
        );
    }

    #[test]
    fn the_limit_of_a_kernel_ends_the_child() {
        let began = Instant::now();
        let script = format!("{}; sleep 60 & sleep 60", kernel(100));
        check_death(&script, true, "the kernel did not finish: it ran for 0.1 s");
        assert!(began.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_child_ends_with_its_process() {
        let process = shell("sleep 60");
        let number = process.child.id();
        drop(process);
        assert!(!std::path::Path::new(&format!("/proc/{number}")).exists());
    }
}
