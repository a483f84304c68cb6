//! Linking: many objects into one code object, by ld.lld in a child process with a time limit.
//!
//! A link costs about as much as several compilations, nearly all of it the start of the process: hence many at a time.

mod metadata;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::child::{self, End};

/// The time that one link may take; 64 objects take 0.1 s.
const LIMIT: Duration = Duration::from_secs(30);

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
    /// The linked file is not what a code object looks like.
    #[error("the code object that {} made: {reason}", .linker.display())]
    Metadata {
        /// The linker.
        linker: PathBuf,
        /// What is unexpected.
        reason: String,
    },
}

/// Links `objects`, whose global symbols are distinct, into a shared object that a HIP loader takes.
///
/// # Errors
///
/// [`LinkError`]; temporary files are gone in either case.
pub fn link<'a>(
    linker: &Path,
    objects: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Vec<u8>, LinkError> {
    let io = |source| LinkError::Io {
        linker: linker.to_owned(),
        source,
    };
    let folder = tempfile::Builder::new()
        .prefix("wavetune-link-")
        .tempdir()
        .map_err(io)?;
    let output = folder.path().join("linked.hsaco");
    // One thread: the objects are small, and other links run beside this one.
    let mut command = Command::new(linker);
    command
        .args(["-shared", "--no-undefined", "--threads=1", "-o"])
        .arg(&output);
    for (number, object) in objects.into_iter().enumerate() {
        let path = folder.path().join(format!("{number}.o"));
        fs::write(&path, object).map_err(io)?;
        command.arg(path);
    }
    let ended = child::run(&mut command, LIMIT).map_err(io)?;
    if ended.end != End::Success {
        return Err(LinkError::Failed {
            linker: linker.to_owned(),
            end: ended.end.to_string(),
            message: ended.messages.trim().chars().take(MESSAGE_LENGTH).collect(),
        });
    }
    let mut code_object = fs::read(&output).map_err(io)?;
    metadata::merge(&mut code_object).map_err(|reason| LinkError::Metadata {
        linker: linker.to_owned(),
        reason,
    })?;
    Ok(code_object)
}
