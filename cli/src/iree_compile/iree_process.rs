//! The running iree-compile. A signal to this program ends it first, and the folder of the spec
//! is removed.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use tempfile::TempDir;

use crate::Exit;
use crate::signals;

/// Time between two checks of the compiler.
const POLL: Duration = Duration::from_millis(5);

/// The compiler's process, which has not been waited for; `None` before it runs.
#[derive(Default)]
pub(super) struct IreeProcess(Arc<Mutex<Option<Child>>>);

impl IreeProcess {
    /// Listens for signals, and then creates the folder of the spec. Until the compiler runs, a
    /// signal removes the folder and ends this program.
    pub(super) fn prepare() -> anyhow::Result<(IreeProcess, TempDir)> {
        let mut signals = signals::listen()?;
        let made = tempfile::Builder::new()
            .prefix("wavetune-spec-")
            .tempdir()?;
        let running = IreeProcess::default();
        let (child, folder) = (running.0.clone(), made.path().to_owned());
        let pass_on = move || {
            while let Some(signal) = signals.blocking_recv() {
                let child = child.lock().unwrap_or_else(PoisonError::into_inner);
                match &*child {
                    // The compiler's end makes `end` return, and the caller removes the folder.
                    Some(child) => signal.pass_on(child),
                    None => {
                        std::fs::remove_dir_all(&folder).ok();
                        signals::end(signal);
                    }
                }
            }
        };
        thread::Builder::new()
            .name("passes signals on".to_owned())
            .spawn(pass_on)?;
        Ok((running, made))
    }

    /// Starts the compiler.
    pub(super) fn start(self, command: &mut Command) -> anyhow::Result<IreeProcess> {
        let program = PathBuf::from(command.get_program());
        let mut child = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let started = command.spawn();
        *child = Some(started.with_context(|| format!("cannot run {}", program.display()))?);
        drop(child);
        Ok(self)
    }

    /// Waits for the compiler. Returns its exit code, or 128 plus the number of the signal that
    /// ended it.
    pub(super) fn end(self) -> io::Result<i32> {
        loop {
            // `try_wait` frees the process's number. Under the lock, no signal goes to another
            // process that gets the number.
            let mut child = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match child.as_mut().map(Child::try_wait).transpose()?.flatten() {
                Some(status) => return Ok(code(status)),
                // The thread of the signals needs the lock while this one sleeps.
                None => drop(child),
            }
            thread::sleep(POLL);
        }
    }
}

fn code(status: ExitStatus) -> i32 {
    let of_signal = status.signal().map(|signal| 128 + signal);
    status.code().or(of_signal).unwrap_or(Exit::Error as i32)
}
