//! A PostgreSQL for tests: a private server in a temporary directory, which ends when its value is
//! dropped.
//!
//! It listens at a socket in that directory alone, so that it takes no port and no other user
//! reaches it. A server with a certificate listens on loopback as well, for clients with TLS.
//! PostgreSQL refuses to run as root; under root, the server runs as nobody, the owner of the
//! directory. Its data survives no power cut.
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

/// Where distributions put the programs of a version, which are not in `PATH`; in it the version follows.
const VERSIONS: &str = "/usr/lib/postgresql";

/// The oldest version that has all that the schema asks for, and that is supported.
const OLDEST: u32 = 14;

/// The user that has no rights: `nobody` on Linux.
const NOBODY: u32 = 65534;

/// The superuser of each server.
const USER: &str = "wavetune";

/// The port of a server that takes none: part of the name of its socket.
const PORT: u16 = 5432;

/// Who is let in by a server with a certificate.
const TLS_ALONE: &str = "local all all trust\nhostssl all all 127.0.0.1/32 trust\n";

/// Where Linux keeps files in memory.
const MEMORY: &str = "/dev/shm";

/// How many bytes have to be free there for it to be used: containers often have 64 MB, and a server of these tests takes less than
/// 100 MB, of which several may run.
const ENOUGH: u64 = 2 << 30;

/// The settings of every server.
const SETTINGS: [&str; 5] = [
    "fsync=off",
    "full_page_writes=off",
    // So that nothing is left in /dev/shm by a server that is killed.
    "dynamic_shared_memory_type=mmap",
    "max_connections=200",
    // Loading LLVM takes a connection longer than the queries of a test.
    "jit=off",
];

/// How long a server may take to start or to end.
const LIMIT: Duration = Duration::from_secs(60);

/// The folder of PostgreSQL's programs: of the newest version that is installed, or the one in `PATH`.
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

/// In which folder servers have theirs: in memory, where that has the room. A server has a thousand files, and a suite makes and removes
/// hundreds of servers: on an ext4 without a journal half of the time of such a suite went into finding inodes that were not freed
/// a moment ago.
///
/// `free` is how many bytes are free in memory, if files may be kept there at all.
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

/// The folder of the programs that are installed.
fn installed() -> io::Result<PathBuf> {
    let missing = || io::Error::new(io::ErrorKind::NotFound, "PostgreSQL is not installed");
    programs().ok_or_else(missing)
}

/// A server that runs.
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
    /// `NotFound` where PostgreSQL is not installed; what it said where it does not start.
    pub fn start() -> io::Result<Server> {
        Self::start_with(None)
    }

    /// Starts one that shows this certificate, a PEM text with its key, to who asks it on loopback: [`Server::tls_url`].
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

    /// The URL of a database of this name.
    pub fn url(&self, database: &str) -> String {
        self.url_of(USER, database)
    }

    /// The same for another user; a password stands behind a colon.
    pub fn url_of(&self, user: &str, database: &str) -> String {
        url(self.folder.path(), self.port, user, database)
    }

    /// The URL of a database of this name on loopback, with this name or address of the machine; of a server with a
    /// certificate.
    pub fn tls_url(&self, host: &str, database: &str) -> String {
        format!("postgres://{USER}@{host}:{}/{database}", self.port)
    }

    /// The URL of a new, empty database.
    ///
    /// # Errors
    ///
    /// What PostgreSQL said.
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
    /// What PostgreSQL said.
    pub fn execute(&self, url: &str, sql: &str) -> io::Result<()> {
        psql(&self.programs, url, sql).map(drop)
    }

    /// Ends the server at once, as a crash does; what was committed is there when it is [resumed](Server::resume).
    ///
    /// # Errors
    ///
    /// Where it does not end.
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

/// The URL of a database of a server that has its socket in this folder.
fn url(folder: &Path, port: u16, user: &str, database: &str) -> String {
    let host = folder.display();
    format!("postgres://{user}@localhost:{port}/{database}?host={host}")
}

/// A program of PostgreSQL's for that server.
fn client(programs: &Path, program: &str, folder: &Path, port: u16) -> Command {
    let mut client = Command::new(programs.join(program));
    client.arg("--host").arg(folder);
    client.args(["--username", USER, "--port", &port.to_string()]);
    client
}

/// Executes SQL at a URL, and returns the rows without a heading.
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

/// A file of the server's that nobody else may read.
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

/// A port that nobody has now: PostgreSQL takes none that it chooses itself.
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

/// A program that is run without root's rights.
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
    fn files_lie_in_memory_where_that_has_the_room() {
        let disk = std::env::temp_dir();
        let containers = 64 << 20;
        for free in [None, Some(0), Some(containers), Some(ENOUGH - 1)] {
            assert_eq!(parent(free), disk, "{free:?}");
        }
        assert_eq!(parent(Some(ENOUGH)), Path::new(MEMORY));
    }
}
