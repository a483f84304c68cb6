//! Linking: ld.lld, in a child process with a time limit, turns an object into a code object that
//! a HIP loader accepts.
//!
//! A link costs about as much as several compilations, nearly all of it process start. Therefore
//! many kernels share one object. One link takes one object: each object brings its own metadata
//! note, and a code object has only one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use codegen_sandbox::Sandbox;

use crate::child_process::{self, ChildEnd};

/// The time limit of one link; a link takes 0.05 s.
const LIMIT: Duration = Duration::from_secs(30);

/// The linker's options without the files. One thread is enough for a small object, and other
/// links run at the same time.
pub(crate) const OPTIONS: [&str; 3] = ["-shared", "--no-undefined", "--threads=1"];

/// The length of the linker's message in an error, in characters.
const MESSAGE_LENGTH: usize = 400;

/// The reason that linking failed.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// A temporary file or the linker's process failed.
    #[error("linking with {}: {source}", .linker.display())]
    Io {
        /// The linker's path.
        linker: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// The linker refused the object, was killed or exceeded the time limit.
    #[error("{} {end}: {message}", .linker.display())]
    Failed {
        /// The linker's path.
        linker: PathBuf,
        /// The way in which the process ended.
        end: String,
        /// The beginning of the linker's standard error.
        message: String,
    },
}

/// Links `object` into a shared object, in a sandbox if one is given.
///
/// # Errors
///
/// [`LinkError`]; the temporary files are deleted in either case.
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
