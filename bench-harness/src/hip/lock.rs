//! Locks on a device: one process at a time measures on it.
//!
//! A study has one from its beginning to its end, and its child has another for as long as it lives. So no other study
//! comes in between two children, and no child begins before the one before it, whoever killed it, has left the device.
//!
//! Locks are held on files in the user's runtime directory, else in that of the user's state. The files stay: one that
//! is removed could be locked by two.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use rustix::fs::{FlockOperation, flock};

use super::device_facts::HipDeviceFacts;

/// Who holds a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    /// The process that tunes.
    Study,
    /// The one that uses the device.
    Child,
}

/// A lock that is held. It is released with the value.
pub(super) struct DeviceLock {
    _file: File,
}

/// Why a device is not locked.
#[derive(Debug, thiserror::Error)]
pub(super) enum LockError {
    /// Another process has it.
    #[error("{device} is in use by process {holder}; --wait waits for it")]
    Held {
        /// The device.
        device: String,
        /// Its number and, where it can be seen, its command line.
        holder: String,
    },
    /// The file cannot be made or locked.
    #[error("the device cannot be locked: {path}: {source}")]
    Io {
        /// The file or its folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl DeviceLock {
    /// Locks a device for this process, with a file of that folder. Where another holds it, waits for as long as that lasts, or
    /// fails.
    pub(super) fn take(
        folder: &Path,
        facts: &HipDeviceFacts,
        holder: Holder,
        wait: bool,
    ) -> Result<DeviceLock, LockError> {
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

/// The user's folder for locks, which has nothing else.
pub(super) fn folder() -> PathBuf {
    let own = ProjectDirs::from("", "", "wavetune");
    let found = own.and_then(|own| Some(own.runtime_dir().or(own.state_dir())?.to_owned()));
    found.unwrap_or_else(|| std::env::temp_dir().join("wavetune"))
}

/// A process by its number and its command line, where that can be seen.
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
