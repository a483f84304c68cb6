//! Files and folders that tasks write.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

/// Makes a folder that is empty, whatever was there before.
///
/// # Errors
/// If the folder cannot be removed or made.
pub(crate) fn make_anew(folder: &Path) -> Result<()> {
    remove(folder)?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}

/// Removes a folder with everything in it, if it is there.
///
/// # Errors
/// If the folder cannot be removed.
pub(crate) fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}

/// Appends a line to a file, which need not exist. Several processes may append at once.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn append(file: &Path, line: &str) -> Result<()> {
    // One write a line: with O_APPEND, Linux puts each write behind the others as a whole.
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
