//! A server that all test processes of a target directory share.
//!
//! The first process that needs the server starts it, through a supervisor. This shell script
//! ends the server after no process has used it for [`PATIENCE`]. Locks hold the state, because
//! the kernel releases the locks of a dead process. They are files in `target/tmp/NAME/`:
//!
//! | file | locked by |
//! |---|---|
//! | `users` | each user, shared, during its use; the supervisor, exclusively, when it ends |
//! | `start` | the user that looks for the server or starts it |
//! | `running` | the supervisor, as long as it runs |
//!
//! The file `folder` names the server's own folder.

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

/// Time without users after which a server ends.
///
/// 20 s, because some test executables of a run use no server.
pub const PATIENCE: Duration = Duration::from_secs(20);

const SUPERVISOR: &str = include_str!("supervisor.sh");

/// Time limit of a server's start.
const LIMIT: Duration = Duration::from_secs(60);

/// The recipe for a server.
#[derive(Debug)]
pub struct Recipe<'a> {
    /// The name of the server and of its settings: users of one name share a server.
    pub name: &'a str,
    /// The parent of the server's own folder.
    pub parent: &'a Path,
    /// The user ID and group ID of the server; `None` for those of this process.
    pub owner: Option<u32>,
    /// Time without users after which the server ends.
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
    /// `prepare` fills the server's empty folder and returns the server's command line.
    /// `is_ready` returns true if the server in this folder answers.
    ///
    /// # Errors
    ///
    /// If the server does not start: with its output.
    pub fn join(
        recipe: &Recipe<'_>,
        prepare: impl FnOnce(&Path) -> io::Result<Vec<OsString>>,
        is_ready: impl Fn(&Path) -> io::Result<bool>,
    ) -> io::Result<Self> {
        let state = target_tmp()?.join(recipe.name);
        fs::create_dir_all(&state)?;
        let users = lock_file(&state.join("users"))?;
        // `users` first: while this lock is held, the supervisor does not end the server.
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
                    // A killed supervisor could not remove its folder.
                    fs::remove_dir_all(left).ok();
                }
                let folder = tempfile::tempdir_in(recipe.parent)?;
                chown(folder.path(), recipe.owner, recipe.owner)?;
                let command = prepare(folder.path())?;
                let mut files = SupervisorFiles {
                    users: lock_file(&state.join("users"))?,
                    running,
                    // The supervisor removes the log with the folder; this handle can still read
                    // it.
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
                // From here on the supervisor removes the folder.
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
///
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

/// The open files of the supervisor.
struct SupervisorFiles {
    users: File,
    running: File,
    log: File,
}

/// Starts the supervisor, which inherits the lock of `running`.
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
        // The script finds the locks as its standard input and output, because `Command` passes
        // on no other open files.
        .stdin(files.users.try_clone()?)
        .stdout(files.running.try_clone()?)
        .stderr(files.log.try_clone()?)
        // A process group of its own: Ctrl-C at the terminal is for the tests only.
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
