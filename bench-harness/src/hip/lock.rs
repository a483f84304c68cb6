//! Locks on a device: one process at a time measures on it.
//!
//! A study holds one lock from its beginning to its end. Its child holds another while it lives.
//! No other study can start between two children. No child starts before the previous one has
//! left the device, even if another process killed it.
//!
//! Locks are files in the user's runtime directory, or else in the user's state directory. The
//! files stay: two processes could both lock a removed and a new file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use rustix::fs::{FlockOperation, flock};

use super::device_facts::HipDeviceFacts;

/// The holder of a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    /// The process that tunes.
    Study,
    /// The process that uses the device.
    Child,
}

/// A held lock. Dropping it releases the lock.
pub(super) struct DeviceLock {
    _file: File,
}

/// The reason why a device is not locked.
#[derive(Debug, thiserror::Error)]
pub(super) enum LockError {
    /// Another process holds the lock.
    #[error("{device} is in use by process {holder}; --wait waits for it")]
    Held {
        /// The device.
        device: String,
        /// The process number and, if visible, its command line.
        holder: String,
    },
    /// The lock file cannot be created or locked.
    #[error("the device cannot be locked: {path}: {source}")]
    Io {
        /// The file or its folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl DeviceLock {
    /// Locks a device for this process, with a file in `folder`. If another process holds the
    /// lock, it waits or fails, as `wait` says.
    pub(super) fn take(
        folder: &Path,
        facts: &HipDeviceFacts,
        holder: Holder,
        wait: bool,
    ) -> Result<DeviceLock, LockError> {
        // Device numbers depend on the environment of a process; UUID and PCI address do not.
        let key = facts.uuid.as_deref().unwrap_or(&facts.pci);
        let key = key.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let path = folder.join(match holder {
            Holder::Study => format!("hip-{key}.lock"),
            Holder::Child => format!("hip-{key}.child.lock"),
        });
        let error = |source: io::Error| LockError::Io {
            path: path.clone(),
            source,
        };
        fs::create_dir_all(folder).map_err(error)?;
        let mut options = OpenOptions::new();
        // Without truncation: the file may hold the number of the process that has the lock.
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(error)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) if !wait => {
                let mut holder = String::new();
                file.read_to_string(&mut holder).map_err(error)?;
                return Err(LockError::Held {
                    device: format!("hip:{}", facts.ordinal),
                    holder: with_command(holder.trim()),
                });
            }
            Err(rustix::io::Errno::WOULDBLOCK) => {
                flock(&file, FlockOperation::LockExclusive).map_err(|errno| error(errno.into()))?;
            }
            Err(errno) => return Err(error(errno.into())),
        }
        let note = |mut file: &File| {
            file.set_len(0)?;
            file.rewind()?;
            writeln!(file, "{}", std::process::id())
        };
        note(&file).map_err(error)?;
        Ok(DeviceLock { _file: file })
    }
}

/// Returns the user's folder for locks, which contains nothing else.
pub(super) fn folder() -> PathBuf {
    let own = ProjectDirs::from("", "", "wavetune");
    let found = own.and_then(|own| Some(own.runtime_dir().or(own.state_dir())?.to_owned()));
    found.unwrap_or_else(|| std::env::temp_dir().join("wavetune"))
}

/// Returns a process as text: its number and, if visible, its command line.
fn with_command(process: &str) -> String {
    let is_number = !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit());
    let line = is_number.then(|| fs::read(format!("/proc/{process}/cmdline")).ok());
    let line = line.flatten().unwrap_or_default();
    let words: Vec<_> = line
        .split(|&byte| byte == 0)
        .map(String::from_utf8_lossy)
        .collect();
    match words.join(" ").trim() {
        "" => process.to_owned(),
        command => format!("{process} ({command})"),
    }
}
