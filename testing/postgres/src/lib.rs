//! A PostgreSQL for tests: a private server in a temporary directory, which ends when its value
//! is dropped.
//!
//! It listens only on a socket in that directory, so it takes no port and no other user reaches
//! it. A server with a certificate also listens on loopback, for clients with TLS. PostgreSQL
//! refuses to run as root; under root, the server runs as nobody, the owner of the directory. Its
//! data survives no power cut.
//!
//! A test that needs no private server has a [`Database`] on the server that all tests share.
//!
//! The program of this package is such a server for tests in other languages. It prints the
//! server's URL, and ends the server when its standard input ends.

mod cluster;
mod database;

pub use database::Database;

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// The folder of distributions for the programs of each version, which are not in `PATH`. A
/// subfolder has the version as its name.
const VERSIONS: &str = "/usr/lib/postgresql";

/// The oldest supported version with all features that the schema needs.
const OLDEST: u32 = 14;

/// The user that has no rights: `nobody` on Linux.
const NOBODY: u32 = 65534;

/// The superuser of each server.
const USER: &str = "wavetune";

/// The port in the socket's name, for a server that listens on no port.
const PORT: u16 = 5432;

/// The access rules of a server with a certificate: TLS only on loopback.
const TLS_ALONE: &str = "local all all trust\nhostssl all all 127.0.0.1/32 trust\n";

/// Linux's folder of files in memory.
const MEMORY: &str = "/dev/shm";

/// Bytes that must be free in [`MEMORY`] for it to be used. Containers often have 64 MB; a server
/// of these tests takes less than 100 MB, and several may run.
const ENOUGH: u64 = 2 << 30;

/// The settings of every server.
const SETTINGS: [&str; 5] = [
    "fsync=off",
    "full_page_writes=off",
    // A killed server must leave nothing in /dev/shm.
    "dynamic_shared_memory_type=mmap",
    "max_connections=200",
    // Loading LLVM takes a connection longer than the queries of a test.
    "jit=off",
];

/// Time limit of a server's start and of its end.
const LIMIT: Duration = Duration::from_secs(60);

/// Returns the folder of PostgreSQL's programs: of the newest installed version, or that in
/// `PATH`.
pub fn programs() -> Option<PathBuf> {
    let has_server = |folder: &PathBuf| folder.join("initdb").is_file();
    let versions = fs::read_dir(VERSIONS).into_iter().flatten().flatten();
    let versions = versions.filter_map(|entry| {
        let version: u32 = entry.file_name().to_str()?.parse().ok()?;
        let folder = entry.path().join("bin");
        (version >= OLDEST && has_server(&folder)).then_some((version, folder))
    });
    let newest = versions.max().map(|(_, folder)| folder);
    newest.or_else(|| {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).find(has_server)
    })
}

/// Returns the parent of servers' folders: in memory, if that has room. `free` is the number of
/// free bytes there, or `None` if files cannot be kept in memory.
///
/// A server has a thousand files, and a suite makes and removes hundreds of servers. On an ext4
/// without a journal, half of the time of such a suite went into finding inodes that were not
/// freed a moment ago.
fn parent(free: Option<u64>) -> PathBuf {
    match free {
        Some(free) if free >= ENOUGH => PathBuf::from(MEMORY),
        _ => std::env::temp_dir(),
    }
}

fn free_in_memory() -> Option<u64> {
    let memory = rustix::fs::statvfs(MEMORY).ok()?;
    Some(memory.f_bavail.saturating_mul(memory.f_frsize))
}

/// Returns the folder of the installed programs.
fn installed() -> io::Result<PathBuf> {
    let missing = || io::Error::new(io::ErrorKind::NotFound, "PostgreSQL is not installed");
    programs().ok_or_else(missing)
}

/// A running server.
#[derive(Debug)]
pub struct Server {
    programs: PathBuf,
    folder: TempDir,
    port: u16,
    settings: Vec<String>,
    process: Child,
    databases: AtomicU32,
}

impl Server {
    /// Starts a server.
    ///
    /// # Errors
    ///
    /// `NotFound` if PostgreSQL is not installed; its log if it does not start.
    pub fn start() -> io::Result<Server> {
        Self::start_with(None)
    }

    /// Starts a server that shows this certificate on loopback: a PEM text, and its key. See
    /// [`Server::tls_url`].
    ///
    /// # Errors
    ///
    /// As [`Server::start`].
    pub fn start_tls(certificate: &str, key: &str) -> io::Result<Server> {
        Self::start_with(Some((certificate, key)))
    }

    fn start_with(tls: Option<(&str, &str)>) -> io::Result<Server> {
        let programs = installed()?;
        let folder = tempfile::tempdir_in(parent(free_in_memory()))?;
        if is_root()? {
            chown(folder.path(), Some(NOBODY), Some(NOBODY))?;
        }
        cluster::make(&programs, &folder.path().join("data"))?;
        let (port, settings) = match tls {
            None => (PORT, vec!["listen_addresses=".to_owned()]),
            Some((certificate, key)) => {
                fs::write(folder.path().join("data/pg_hba.conf"), TLS_ALONE)?;
                let certificate = private(&folder, "server.crt", certificate)?;
                let key = private(&folder, "server.key", key)?;
                let port = free_port()?;
                let settings = [
                    "listen_addresses=127.0.0.1".to_owned(),
                    format!("port={port}"),
                    "ssl=on".to_owned(),
                    format!("ssl_cert_file={}", certificate.display()),
                    format!("ssl_key_file={}", key.display()),
                ];
                (port, settings.to_vec())
            }
        };
        let process = launch(&programs, folder.path(), &settings)?;
        let server = Server {
            programs,
            folder,
            port,
            settings,
            process,
            databases: AtomicU32::new(0),
        };
        server.wait_until_ready()?;
        Ok(server)
    }

    /// Returns the URL of a database of this name.
    pub fn url(&self, database: &str) -> String {
        self.url_of(USER, database)
    }

    /// Returns the same URL for another user; a password stands behind a colon.
    pub fn url_of(&self, user: &str, database: &str) -> String {
        url(self.folder.path(), self.port, user, database)
    }

    /// Returns a database's URL on loopback, with this name or address of the machine, for a
    /// server with a certificate.
    pub fn tls_url(&self, host: &str, database: &str) -> String {
        format!("postgres://{USER}@{host}:{}/{database}", self.port)
    }

    /// Creates an empty database and returns its URL.
    ///
    /// # Errors
    ///
    /// PostgreSQL's message.
    pub fn create_database(&self) -> io::Result<String> {
        let number = self.databases.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{number}");
        succeed(self.client("createdb").arg(&name))?;
        Ok(self.url(&name))
    }

    /// Executes SQL in a database, as its superuser.
    ///
    /// # Errors
    ///
    /// PostgreSQL's message.
    pub fn execute(&self, url: &str, sql: &str) -> io::Result<()> {
        psql(&self.programs, url, sql).map(drop)
    }

    /// Ends the server at once, as a crash does. Committed data is there after it is
    /// [resumed](Server::resume).
    ///
    /// # Errors
    ///
    /// If it does not end.
    pub fn crash(&mut self) -> io::Result<()> {
        end(&mut self.process, Signal::QUIT)
    }

    /// Starts the server again.
    ///
    /// # Errors
    ///
    /// As [`Server::start`].
    pub fn resume(&mut self) -> io::Result<()> {
        self.process = launch(&self.programs, self.folder.path(), &self.settings)?;
        self.wait_until_ready()
    }

    fn wait_until_ready(&self) -> io::Result<()> {
        let begin = Instant::now();
        while succeed(self.client("pg_isready").arg("--quiet")).is_err() {
            if begin.elapsed() > LIMIT {
                let said = fs::read_to_string(self.folder.path().join("log"))?;
                return Err(io::Error::other(format!("it does not start: {said}")));
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn client(&self, program: &str) -> Command {
        client(&self.programs, program, self.folder.path(), self.port)
    }
}

/// Returns the URL of a database of the server with its socket in this folder.
fn url(folder: &Path, port: u16, user: &str, database: &str) -> String {
    let host = folder.display();
    format!("postgres://{user}@localhost:{port}/{database}?host={host}")
}

/// Creates a command of PostgreSQL's client programs for that server.
fn client(programs: &Path, program: &str, folder: &Path, port: u16) -> Command {
    let mut client = Command::new(programs.join(program));
    client.arg("--host").arg(folder);
    client.args(["--username", USER, "--port", &port.to_string()]);
    client
}

/// Executes SQL at a URL. Returns the rows without a heading.
fn psql(programs: &Path, url: &str, sql: &str) -> io::Result<String> {
    let mut psql = Command::new(programs.join("psql"));
    psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]);
    psql.args(["--set", "ON_ERROR_STOP=1", "--command", sql, url]);
    succeed(&mut psql)
}

impl Drop for Server {
    fn drop(&mut self) {
        end(&mut self.process, Signal::INT).ok();
    }
}

/// Writes a file that only the server may read: PostgreSQL refuses a readable key.
fn private(folder: &TempDir, name: &str, text: &str) -> io::Result<PathBuf> {
    let path = folder.path().join(name);
    let mut options = fs::OpenOptions::new();
    let mut file = options
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(&path)?;
    file.write_all(text.as_bytes())?;
    if is_root()? {
        chown(&path, Some(NOBODY), Some(NOBODY))?;
    }
    Ok(path)
}

/// Returns a free port. PostgreSQL cannot choose one itself.
fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

fn launch(programs: &Path, folder: &Path, own: &[String]) -> io::Result<Child> {
    let mut postgres = unprivileged(&programs.join("postgres"))?;
    postgres.arg("-D").arg(folder.join("data"));
    postgres.arg("-k").arg(folder);
    for setting in SETTINGS.into_iter().chain(own.iter().map(String::as_str)) {
        postgres.args(["-c", setting]);
    }
    let log = File::create(folder.join("log"))?;
    postgres.stdout(log.try_clone()?).stderr(log);
    postgres.stdin(Stdio::null()).spawn()
}

/// Creates a command that runs without root's rights.
fn unprivileged(program: &Path) -> io::Result<Command> {
    let mut command = Command::new(program);
    command.current_dir("/");
    if is_root()? {
        command.uid(NOBODY).gid(NOBODY);
    }
    Ok(command)
}

fn is_root() -> io::Result<bool> {
    Ok(fs::metadata("/proc/self")?.uid() == 0)
}

/// Runs a program and returns its output.
fn succeed(command: &mut Command) -> io::Result<String> {
    let output = command.stdin(Stdio::null()).output()?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(io::Error::other(
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )),
    }
}

fn end(process: &mut Child, signal: Signal) -> io::Result<()> {
    if process.try_wait()?.is_some() {
        return Ok(());
    }
    let pid = i32::try_from(process.id()).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid {
        kill_process(pid, signal)?;
    }
    let begin = Instant::now();
    while process.try_wait()?.is_none() {
        if begin.elapsed() > LIMIT {
            process.kill()?;
            process.wait()?;
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_lie_in_memory_if_there_is_room() {
        let disk = std::env::temp_dir();
        let containers = 64 << 20;
        for free in [None, Some(0), Some(containers), Some(ENOUGH - 1)] {
            assert_eq!(parent(free), disk, "{free:?}");
        }
        assert_eq!(parent(Some(ENOUGH)), Path::new(MEMORY));
    }
}
