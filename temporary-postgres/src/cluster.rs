//! The files of a new server. `initdb` takes about a second of processor time to make them, and a test suite has hundreds of servers: the first
//! leaves a copy beside the programs that cargo has built, and the others begin with a copy of that.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};

use crate::{NOBODY, USER, is_root, succeed, unprivileged};

const OPTIONS: [&str; 10] = [
    "--username",
    USER,
    "--auth",
    "trust",
    "--encoding",
    "UTF8",
    "--no-locale",
    "--no-sync",
    "--no-instructions",
    // In MB. What is written ahead would be two fifths of the bytes that are copied.
    "--wal-segsize=1",
];

/// Makes the files of a server in a folder that is not there yet.
pub(crate) fn make(programs: &Path, data: &Path) -> io::Result<()> {
    let kept = place(programs)?;
    if let Some(kept) = kept.as_deref().filter(|it| it.is_dir()) {
        let owner = is_root()?.then_some(NOBODY);
        return copy(kept, data, owner);
    }
    let mut initdb = unprivileged(&programs.join("initdb"))?;
    succeed(initdb.args(OPTIONS).arg("--pgdata").arg(data))?;
    // Where it cannot be kept the next one is made as this one was. Another process may have been faster.
    kept.and_then(|kept| keep(data, &kept).ok());
    Ok(())
}

/// Where the files of new servers of these programs are kept; none where the running program is none that cargo has built.
fn place(programs: &Path) -> io::Result<Option<PathBuf>> {
    let program = std::env::current_exe()?;
    let mut folders = program.ancestors().skip(1);
    let Some(built) = folders.find(|folder| folder.join(".fingerprint").is_dir()) else {
        return Ok(None);
    };
    let postgres = fs::metadata(programs.join("postgres"))?;
    let mut hasher = DefaultHasher::new();
    (programs, postgres.len(), postgres.modified()?, OPTIONS).hash(&mut hasher);
    Ok(Some(
        built.join(format!("new-postgres-{:016x}", hasher.finish())),
    ))
}

/// Keeps a copy, which is there as a whole or not at all.
fn keep(data: &Path, kept: &Path) -> io::Result<()> {
    let folder = kept.parent().unwrap_or(kept);
    let made = tempfile::tempdir_in(folder)?;
    let whole = made.path().join("data");
    copy(data, &whole, None)?;
    fs::rename(whole, kept)
}

/// Copies a folder, to be this user's.
fn copy(from: &Path, to: &Path, owner: Option<u32>) -> io::Result<()> {
    fs::create_dir(to)?;
    fs::set_permissions(to, fs::metadata(from)?.permissions())?;
    chown(to, owner, owner)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &to, owner)?,
            false => {
                fs::copy(entry.path(), &to)?;
                chown(&to, owner, owner)?;
            }
        }
    }
    Ok(())
}
