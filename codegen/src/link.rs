//! Linking: an object into a code object that a HIP loader takes, by ld.lld in a child process with a time limit.
//!
//! A link costs about as much as several compilations, nearly all of it the start of the process: hence many kernels in
//! one object. Not many objects in one link: each would bring a metadata note of its own, and a code object has one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::Sandbox;

use crate::child_process::{self, ChildEnd};

/// The time that one link may take; it takes 0.05 s.
const LIMIT: Duration = Duration::from_secs(30);

/// The linker's options, without the files. One thread: the object is small, and other links run beside this one.
pub(crate) const OPTIONS: [&str; 3] = ["-shared", "--no-undefined", "--threads=1"];

/// What is shown of the linker's messages, in characters.
const MESSAGE_LENGTH: usize = 400;

/// Why objects were not linked.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// A temporary file or the linker's process.
    #[error("linking with {}: {source}", .linker.display())]
    Io {
        /// The linker.
        linker: PathBuf,
        /// The failure.
        source: io::Error,
    },
    /// The linker refuses the objects, is killed or takes too long.
    #[error("{} {end}: {message}", .linker.display())]
    Failed {
        /// The linker.
        linker: PathBuf,
        /// How it ended.
        end: String,
        /// The beginning of what it said.
        message: String,
    },
}

/// Links `object` into a shared object; in a sandbox, where one is given.
///
/// # Errors
///
/// [`LinkError`]; temporary files are gone in either case.
pub fn link(linker: &Path, object: &[u8], sandbox: Option<&Sandbox>) -> Result<Vec<u8>, LinkError> {
    let io = |source| LinkError::Io {
        linker: linker.to_owned(),
        source,
    };
    let folder = tempfile::Builder::new()
        .prefix("wavetune-link-")
        .tempdir()
        .map_err(io)?;
    let (input, output) = (
        folder.path().join("kernels.o"),
        folder.path().join("kernels.hsaco"),
    );
    fs::write(&input, object).map_err(io)?;
    let mut command = child_process::command(sandbox, linker, &[linker], Some(folder.path()));
    command.args(OPTIONS).arg("-o").args([&output, &input]);
    let ended = child_process::run(&mut command, LIMIT).map_err(io)?;
    if ended.end != ChildEnd::Success {
        return Err(LinkError::Failed {
            linker: linker.to_owned(),
            end: ended.end.to_string(),
            message: ended.messages.trim().chars().take(MESSAGE_LENGTH).collect(),
        });
    }
    fs::read(&output).map_err(io)
}
