//! The files of an open database, and the check that they are still at its path.
//!
//! On Unix, SQLite goes on with a file that was deleted, moved or replaced, and everything
//! written to it is lost at its close. The same is true of the log (`-wal`) and its index
//! (`-shm`).

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use store::{StoreError, StoreFault};

use crate::error::fault;

/// A file that a path named when the database was opened.
///
/// The system gives an inode number to another file once nobody has the first one open. The
/// numbers are therefore valid only while a connection is open.
#[derive(Debug)]
struct OpenedFile {
    path: PathBuf,
    device: u64,
    inode: u64,
}

/// The files of an open database.
#[derive(Debug)]
pub(crate) struct DatabaseFiles {
    database: PathBuf,
    seen: Vec<OpenedFile>,
}

impl DatabaseFiles {
    /// Records the files at the path now. `logged` tells whether the log belongs to the database
    /// as it is read.
    pub(crate) fn at(database: &Path, logged: bool) -> Self {
        let mut paths = vec![database.to_owned()];
        // SQLite puts them beside the file itself, not beside a symbolic link to it.
        if logged && let Ok(file) = fs::canonicalize(database) {
            for ending in ["-wal", "-shm"] {
                let mut path = file.clone().into_os_string();
                path.push(ending);
                paths.push(path.into());
            }
        }
        let seen = paths.into_iter().filter_map(|path| {
            let (device, inode) = inode(&path)?;
            Some(OpenedFile {
                path,
                device,
                inode,
            })
        });
        DatabaseFiles {
            database: database.to_owned(),
            seen: seen.collect(),
        }
    }

    /// Returns whether the log at the path is still the one that was open.
    pub(crate) fn has_log(&self) -> bool {
        let mut logs = self.seen.iter().skip(1);
        logs.any(|seen| {
            let name = seen.path.as_os_str().as_encoded_bytes();
            name.ends_with(b"-wal") && inode(&seen.path) == Some((seen.device, seen.inode))
        })
    }

    /// Checks that the files are still at their paths, with up to three calls of `stat`.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        for seen in &self.seen {
            let what = match inode(&seen.path) {
                Some(found) if found == (seen.device, seen.inode) => continue,
                Some(_) => "replaced by another file",
                None => "deleted or moved",
            };
            let part = seen.path.display().to_string();
            return Err(fault(&self.database, StoreFault::Displaced { part, what }));
        }
        Ok(())
    }
}

fn inode(path: &Path) -> Option<(u64, u64)> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}
