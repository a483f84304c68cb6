//! The tests' compiled kernels, which `.cargo/config.toml` keeps in `target/tmp/objects`.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

/// The environment variable of the folder. cargo sets it for xtask, too.
pub(crate) const VARIABLE: &str = "WAVETUNE_OBJECTS";

/// Time since an entry's last use after which it is removed. A use updates the entry's date.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Removes the entries below a folder that no run has used for [`KEPT`]. Returns their number.
///
/// # Errors
///
/// If an entry cannot be removed.
pub(crate) fn remove_unused(folder: &Path) -> Result<usize> {
    let mut removed = 0;
    // Before the first run there is no folder.
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            removed += remove_unused(&entry.path())?;
        } else if entry
            .metadata()?
            .modified()?
            .elapsed()
            // A date in the future counts as new.
            .is_ok_and(|age| age > KEPT)
        {
            fs::remove_file(entry.path())?;
            removed += 1;
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn entries_without_a_use_for_a_month_are_removed() {
        let folder = std::env::temp_dir().join(format!("xtask-objects-{}", std::process::id()));
        let group = folder.join("ab");
        fs::create_dir_all(&group).unwrap();
        for (name, age) in [("old", KEPT + KEPT / 30), ("young", KEPT - KEPT / 30)] {
            let file = fs::File::create(group.join(name)).unwrap();
            file.set_modified(SystemTime::now() - age).unwrap();
        }
        assert_eq!(remove_unused(&folder).unwrap(), 1);
        assert!(group.join("young").exists() && !group.join("old").exists());
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(remove_unused(&folder).unwrap(), 0);
    }
}
