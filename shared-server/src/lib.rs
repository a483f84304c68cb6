//! A server that all test processes of a target directory share.
//!
//! The first process that needs the server starts it, beside a supervisor. This shell script ends
//! the server after no process has used it for [`PATIENCE`]. The state is held by locks, which the
//! kernel releases for a process that dies. They are files in `target/tmp/NAME/`:
//!
//! | file | who locks it |
//! |---|---|
//! | `users` | each user, shared, as long as it uses the server; the supervisor, exclusively, when it ends |
//! | `start` | the user that looks for the server or starts it |
//! | `running` | the supervisor, as long as it runs |
//!
//! `folder` names the server's own folder.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// The time after which a server without users ends.
///
/// Why 20 s: between two test executables of a run there may be some that use no server.
pub const PATIENCE: Duration = Duration::from_secs(20);

const SUPERVISOR: &str = include_str!("supervisor.sh");

/// The time that a server may take to start.
const LIMIT: Duration = Duration::from_secs(60);

/// How to start a server.
#[derive(Debug)]
pub struct Recipe<'a> {
    /// The name of the server and of its settings: users of one name share a server.
    pub name: &'a str,
    /// The folder in which the server gets its own one.
    pub parent: &'a Path,
    /// The user ID and group ID under which the server runs; `None` for those of this process.
    pub owner: Option<u32>,
    /// The time after which the server ends without users.
    pub patience: Duration,
}

/// A use of a shared server, which lasts as long as the value.
#[derive(Debug)]
pub struct SharedServer {
    folder: PathBuf,
    _users: File,
}

impl SharedServer {
    /// Returns a use of the server of this name, and starts the server if it does not run.
    ///
    /// `prepare` fills the server's empty folder and returns the server's command line. `is_ready`
    /// returns whether the server in this folder answers.
    ///
    /// # Errors
    /// What the server wrote, if it does not start.
    pub fn join(
        recipe: &Recipe<'_>,
        prepare: impl FnOnce(&Path) -> io::Result<Vec<OsString>>,
        is_ready: impl Fn(&Path) -> io::Result<bool>,
    ) -> io::Result<Self> {
        let state = target_tmp()?.join(recipe.name);
        fs::create_dir_all(&state)?;
        let users = lock_file(&state.join("users"))?;
        users.lock_shared()?;
        let start = lock_file(&state.join("start"))?;
        start.lock()?;
        let running = lock_file(&state.join("running"))?;
        let note = state.join("folder");
        match running.try_lock() {
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
            Ok(()) => {
                if let Ok(left) = fs::read_to_string(&note) {
                    // The supervisor was killed before it could remove the folder.
                    fs::remove_dir_all(left).ok();
                }
                let folder = tempfile::tempdir_in(recipe.parent)?;
                chown(folder.path(), recipe.owner, recipe.owner)?;
                let command = prepare(folder.path())?;
                let mut files = SupervisorFiles {
                    users: lock_file(&state.join("users"))?,
                    running,
                    // The supervisor removes it with the folder; this handle still reads it.
                    log: lock_file(&folder.path().join("log"))?,
                };
                let mut supervisor = supervise(recipe, folder.path(), &command, &files)?;
                if let Err(error) = wait_until(&mut supervisor, || is_ready(folder.path())) {
                    end(&mut supervisor)?;
                    let mut said = String::new();
                    files.log.rewind()?;
                    files.log.read_to_string(&mut said)?;
                    return Err(io::Error::other(format!("{error}: {said}")));
                }
                // From here on the supervisor removes it.
                let folder = folder.keep();
                fs::write(&note, folder.as_os_str().as_encoded_bytes())?;
            }
        }
        Ok(Self {
            folder: PathBuf::from(fs::read_to_string(&note)?),
            _users: users,
        })
    }

    /// Returns the server's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Returns `target/tmp` of the target directory in which cargo has put this program.
///
/// # Errors
/// `NotFound` if this program is in no target directory.
pub fn target_tmp() -> io::Result<PathBuf> {
    let program = std::env::current_exe()?;
    let mut folders = program.ancestors().skip(1);
    let profile = folders.find(|folder| folder.join("deps").is_dir());
    let target = profile.and_then(Path::parent).ok_or_else(|| {
        let message = format!("{} is in no target directory of cargo", program.display());
        io::Error::new(io::ErrorKind::NotFound, message)
    })?;
    Ok(target.join("tmp"))
}

fn lock_file(path: &Path) -> io::Result<File> {
    File::options()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(path)
}

/// What the supervisor has open.
struct SupervisorFiles {
    users: File,
    running: File,
    log: File,
}

/// Starts the supervisor, which holds the lock of `running`.
fn supervise(
    recipe: &Recipe<'_>,
    folder: &Path,
    command: &[OsString],
    files: &SupervisorFiles,
) -> io::Result<Child> {
    let mut supervisor = Command::new("sh");
    supervisor
        .args(["-c", SUPERVISOR, "supervisor"])
        .arg(folder)
        .arg(recipe.patience.as_secs().to_string())
        .args(command)
        .current_dir("/")
        .stdin(files.users.try_clone()?)
        .stdout(files.running.try_clone()?)
        .stderr(files.log.try_clone()?)
        // Ctrl-C at the terminal is for the tests.
        .process_group(0);
    if let Some(owner) = recipe.owner {
        supervisor.uid(owner).gid(owner);
    }
    supervisor.spawn()
}

fn wait_until(supervisor: &mut Child, is_ready: impl Fn() -> io::Result<bool>) -> io::Result<()> {
    let begin = Instant::now();
    while !is_ready()? {
        if supervisor.try_wait()?.is_some() || begin.elapsed() > LIMIT {
            return Err(io::Error::other("the server does not start"));
        }
        thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

fn end(supervisor: &mut Child) -> io::Result<()> {
    let pid = i32::try_from(supervisor.id()).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid
        && supervisor.try_wait()?.is_none()
    {
        kill_process(pid, Signal::TERM)?;
    }
    supervisor.wait()?;
    Ok(())
}
