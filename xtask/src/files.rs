//! Files and folders that tasks write.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::workspace;

/// Creates an empty folder. Removes an existing one first.
///
/// # Errors
///
/// If the folder cannot be removed or made.
pub(crate) fn make_anew(folder: &Path) -> Result<()> {
    remove(folder)?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}

/// Removes a folder with all its contents, if it exists.
///
/// # Errors
///
/// If the folder cannot be removed.
pub(crate) fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}

/// Copies this program to the folder of temporary files, under a name. A build may replace the
/// program itself while the copy is in use. Returns the copy's path.
///
/// # Errors
///
/// If the program cannot be copied.
pub(crate) fn copy_of_this_program(name: &str) -> Result<PathBuf> {
    let program = std::env::current_exe().context("cannot tell where xtask itself is")?;
    let copy = workspace::temporary()?.join(name);
    // Linux refuses to overwrite a running program, but not to remove it.
    if copy.exists() {
        fs::remove_file(&copy)?;
    }
    fs::copy(program, &copy).with_context(|| format!("cannot write {}", copy.display()))?;
    Ok(copy)
}

/// Returns true if this process is the copy with this name.
pub(crate) fn is_copy(name: &str) -> bool {
    std::env::current_exe().is_ok_and(|it| it.ends_with(name))
}

/// Appends a line to a file, and creates the file if necessary. Several processes may append at
/// once.
///
/// # Errors
///
/// If the file cannot be written.
pub(crate) fn append(file: &Path, line: &str) -> Result<()> {
    // One write per line: with O_APPEND, Linux does not interleave the writes of several
    // processes.
    let mut file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)?;
    Ok(file.write_all(format!("{line}\n").as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_anew_and_a_file_grows_line_by_line() {
        let folder = std::env::temp_dir().join(format!("xtask-files-{}", std::process::id()));
        for _ in ["made", "made anew"] {
            make_anew(&folder).unwrap();
            let file = folder.join("lines");
            assert!(!file.exists());
            append(&file, "one").unwrap();
            append(&file, "two").unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), "one\ntwo\n");
        }
        remove(&folder).unwrap();
        assert!(!folder.exists());
        remove(&folder).unwrap();
        assert!(append(&folder.join("lines"), "one").is_err());
    }
}
