//! A nats-server for tests: a private one on a free port, or an [`Account`] of the one that all
//! tests share.
//!
//! A private server has its data in a temporary directory, and ends when its value is dropped.

mod account;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use tempfile::TempDir;

pub use account::Account;

/// Returns the program, from `PATH` or from Debian's folder, which may not be in `PATH`.
pub fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    let mut files = folders.map(|folder| folder.join("nats-server"));
    files.find(|file| file.is_file())
}

/// A private server, which a test may kill and restart.
#[derive(Debug)]
pub struct Nats {
    program: PathBuf,
    options: Vec<String>,
    folder: TempDir,
    port: u16,
    child: Option<Child>,
}

impl Nats {
    /// Starts a server on a free port, with these options.
    ///
    /// # Errors
    ///
    /// If it does not start: with its log.
    pub fn start(program: &Path, options: &[&str]) -> io::Result<Self> {
        let mut nats = Self {
            program: program.to_owned(),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
            folder: tempfile::tempdir()?,
            port: 0,
            child: None,
        };
        nats.start_again()?;
        Ok(nats)
    }

    /// Restarts the server on its port and its data.
    ///
    /// # Errors
    ///
    /// As [`Nats::start`].
    pub fn start_again(&mut self) -> io::Result<()> {
        let ports = self.folder.path().join("ports");
        fs::create_dir_all(&ports)?;
        // -1 is any free port.
        let port = if self.port == 0 {
            -1
        } else {
            i32::from(self.port)
        };
        let log = fs::File::create(self.folder.path().join("log"))?;
        let child = Command::new(&self.program)
            .args(["--addr", "127.0.0.1", "--port", &port.to_string()])
            .arg("--ports_file_dir")
            .arg(&ports)
            .arg("--store_dir")
            .arg(self.data())
            .args(&self.options)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()?;
        // nats-server names the file by its process ID.
        let file = ports.join(format!("nats-server_{}.ports", child.id()));
        self.child = Some(child);
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(60) {
            if let Some(port) = fs::read_to_string(&file).ok().as_deref().and_then(port_in) {
                self.port = port;
                return Ok(());
            }
            sleep(Duration::from_millis(10));
        }
        let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        Err(io::Error::other(format!(
            "nats-server did not start: {log}"
        )))
    }

    /// Kills the server as a power cut does, except that the system still writes its buffers.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // A server that has ended by itself must still be waited for.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Stops all threads of the server, so that its files do not change until [`Nats::resume`] or
    /// [`Nats::kill`].
    ///
    /// # Errors
    ///
    /// If the server does not run.
    pub fn pause(&self) -> io::Result<()> {
        let process = self.signal(Signal::STOP)?;
        // The signal returns earlier than the last thread stops.
        waitpid(Some(process), WaitOptions::UNTRACED)?;
        Ok(())
    }

    /// Continues a paused server.
    ///
    /// # Errors
    ///
    /// If the server does not run.
    pub fn resume(&self) -> io::Result<()> {
        self.signal(Signal::CONT).map(drop)
    }

    fn signal(&self, signal: Signal) -> io::Result<Pid> {
        let child = self.child.as_ref().map(Pid::from_child);
        let process = child.ok_or(io::ErrorKind::NotFound)?;
        kill_process(process, signal)?;
        Ok(process)
    }

    /// Deletes all stored data.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub fn lose_data(&self) -> io::Result<()> {
        fs::remove_dir_all(self.data())
    }

    /// Returns the address for clients.
    pub fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the process ID, or 0 if the server does not run.
    pub fn id(&self) -> u32 {
        self.child.as_ref().map_or(0, Child::id)
    }

    /// Returns the folder of all stored data.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Parses the client's port from a file of ports: `{"nats":["nats://127.0.0.1:4222"]}`.
fn port_in(text: &str) -> Option<u16> {
    let (_, address) = text.split_once("nats://127.0.0.1:")?;
    address.split('"').next()?.parse().ok()
}
