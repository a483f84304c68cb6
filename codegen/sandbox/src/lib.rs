//! A sandbox for a child process: bubblewrap, with the files and devices that the child may use.
//!
//! [`Sandbox::find`] tests whether bubblewrap works on this machine. [`Sandbox::command`] makes
//! the command of a *confined* child. The child has no network, no privilege and limits of memory
//! and file size, also under root. It sees no other process. Its files are the system's programs
//! and libraries, and those that its [`SandboxPolicy`] names. It writes to one folder and ends
//! with this process.
//!
//! With `--sandbox`, the compilers of `codegen` and the device process of `bench-harness` start
//! in it. `docs/threat-model.md` lists the protection and its gaps.
//!
//! This crate knows no compiler and no device. The caller limits the child's time.
//!
//! # Invariants
//!
//! - A confined child writes to its folder and leaves nothing else behind. It reaches no network
//!   and no other process, and has no privilege.
//! - If a requested sandbox does not work, the program ends before it runs anything.

mod error;
mod policy;

use std::env;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

pub use error::SandboxError;
pub use policy::{SandboxPolicy, limit_memory, visible_path};

/// The prefix of bubblewrap's own messages.
const COMPLAINT: &str = "bwrap: ";

/// A working bubblewrap.
#[derive(Debug, Clone)]
pub struct Sandbox {
    program: PathBuf,
}

impl Sandbox {
    /// Finds bubblewrap in `PATH`, and tests it with a program that does nothing.
    ///
    /// # Errors
    ///
    /// [`SandboxError`] with the remedy: bubblewrap is not installed, is too old, or may not
    /// create namespaces.
    pub fn find() -> Result<Sandbox, SandboxError> {
        let path = env::var_os("PATH").unwrap_or_default();
        let found = env::split_paths(&path).map(|folder| folder.join("bwrap"));
        let Some(program) = found.into_iter().find(|file| file.is_file()) else {
            return Err(SandboxError::Missing);
        };
        let sandbox = Sandbox { program };
        let mut trial = sandbox.command(Path::new("true"), &SandboxPolicy::default());
        let ended = trial.stdin(Stdio::null()).output();
        let said = match ended {
            Ok(ended) if ended.status.success() => return Ok(sandbox),
            Ok(ended) => String::from_utf8_lossy(&ended.stderr).into_owned(),
            Err(error) => error.to_string(),
        };
        Err(SandboxError::of(&said))
    }

    /// Returns the path of bubblewrap.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Returns the version of bubblewrap, such as `0.8.0`, if it prints one.
    pub fn version(&self) -> Option<String> {
        let said = Command::new(&self.program).arg("--version").output().ok()?;
        let said = String::from_utf8(said.stdout).ok()?;
        said.split_whitespace().nth(1).map(str::to_owned)
    }

    /// Returns the command of a confined `program`; the caller adds its arguments. The exit code
    /// is the program's, and [`signal_of`] returns the signal that ended it.
    pub fn command(&self, program: &Path, room: &SandboxPolicy) -> Command {
        let mut command = Command::new(&self.program);
        room.add_arguments(&mut command);
        command.arg("--").arg(program);
        command
    }
}

/// Returns the signal that ended a child, confined or not. If its own child dies of signal N,
/// bubblewrap exits with 128 + N, as shells do.
pub fn signal_of(status: ExitStatus) -> Option<i32> {
    let told = || status.code().map(|code| code - 128);
    // Linux has no signal above 64, so a larger code is the program's own.
    status
        .signal()
        .or_else(|| told().filter(|signal| (1..=64).contains(signal)))
}

/// Returns bubblewrap's own message, if it is the reason that a child with these messages failed:
/// the child was not started.
pub fn failure_of(messages: &str) -> Option<&str> {
    let line = messages.lines().next()?;
    line.starts_with(COMPLAINT).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: i32, expected: Option<i32>) {
        assert_eq!(signal_of(ExitStatus::from_raw(status)), expected);
    }

    #[test]
    fn signals_come_through() {
        check(9, Some(9));
        check(137 << 8, Some(9));
        check(0, None);
        check(1 << 8, None);
        check(128 << 8, None);
        check(255 << 8, None);
    }

    #[test]
    fn bubblewrap_speaks_for_itself() {
        let own = "bwrap: Can't find source path /x: No such file or directory";
        assert_eq!(failure_of(&format!("{own}\n")), Some(own));
        assert_eq!(failure_of("a.mlir:1:1: error: bwrap: none\n"), None);
        assert_eq!(failure_of(""), None);
    }
}
