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

use tempfile::TempDir;

pub use account::Account;

/// The program, from `PATH` or where Debian has it, which is not in everybody's `PATH`.
pub fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    let mut files = folders.map(|folder| folder.join("nats-server"));
    files.find(|file| file.is_file())
}

/// A server, which may be killed and started again.
#[derive(Debug)]
pub struct Nats {
    program: PathBuf,
    options: Vec<String>,
    folder: TempDir,
    port: u16,
    child: Option<Child>,
}

impl Nats {
    /// Starts one on a free port, with these options.
    ///
    /// # Errors
    ///
    /// What it said where it does not start.
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

    /// Starts it on the port and on the data that it had.
    ///
    /// # Errors
    ///
    /// As [`Nats::start`].
    pub fn start_again(&mut self) -> io::Result<()> {
        let ports = self.folder.path().join("ports");
        fs::create_dir_all(&ports)?;
        // -1 is any that is free.
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

    /// Ends it as a power cut does, but for what the system has not written yet.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // Where it has ended by itself there is nothing to kill, but still to wait for.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Takes away all that it has stored.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub fn lose_data(&self) -> io::Result<()> {
        fs::remove_dir_all(self.data())
    }

    /// By which clients connect.
    pub fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its process, as long as it runs.
    pub fn id(&self) -> u32 {
        self.child.as_ref().map_or(0, Child::id)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The client's port in a file of ports: `{"nats":["nats://127.0.0.1:4222"]}`.
fn port_in(text: &str) -> Option<u16> {
    let (_, address) = text.split_once("nats://127.0.0.1:")?;
    address.split('"').next()?.parse().ok()
}
