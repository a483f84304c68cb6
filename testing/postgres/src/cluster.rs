//! The files of a new server. `initdb` needs about a second of processor time, and a test suite
//! has hundreds of servers. So the first server leaves a copy of its files beside the programs
//! that cargo has built, and later ones copy that.

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
    // In MB. With the default of 16, write-ahead segments would be two fifths of the copied
    // bytes.
    "--wal-segsize=1",
];

/// Creates the files of a server in a new folder.
pub(crate) fn make(programs: &Path, data: &Path) -> io::Result<()> {
    let kept = place(programs)?;
    if let Some(kept) = kept.as_deref().filter(|it| it.is_dir()) {
        let owner = is_root()?.then_some(NOBODY);
        return copy(kept, data, owner);
    }
    let mut initdb = unprivileged(&programs.join("initdb"))?;
    succeed(initdb.args(OPTIONS).arg("--pgdata").arg(data))?;
    // Without a copy, the next server runs `initdb` again. Another process may have left one
    // first.
    kept.and_then(|kept| keep(data, &kept).ok());
    Ok(())
}

/// Returns the place of the copied files for these programs, or `None` if cargo has not built the
/// running program.
fn place(programs: &Path) -> io::Result<Option<PathBuf>> {
    let program = std::env::current_exe()?;
    let mut folders = program.ancestors().skip(1);
    let Some(built) = folders.find(|folder| folder.join(".fingerprint").is_dir()) else {
        return Ok(None);
    };
    let postgres = fs::metadata(programs.join("postgres"))?;
    // Another version, or other options, need other files.
    let mut hasher = DefaultHasher::new();
    (programs, postgres.len(), postgres.modified()?, OPTIONS).hash(&mut hasher);
    Ok(Some(
        built.join(format!("new-postgres-{:016x}", hasher.finish())),
    ))
}

/// Keeps a copy of the files. The rename makes it appear as a whole or not at all.
fn keep(data: &Path, kept: &Path) -> io::Result<()> {
    let folder = kept.parent().unwrap_or(kept);
    let made = tempfile::tempdir_in(folder)?;
    let whole = made.path().join("data");
    copy(data, &whole, None)?;
    fs::rename(whole, kept)
}

/// Copies a folder and gives it to this owner.
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
