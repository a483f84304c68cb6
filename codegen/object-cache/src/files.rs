//! Entries of several files: the output of a compiler in a folder.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use crate::{Cache, CacheKey};

impl Cache {
    /// Writes the files of an entry into a folder, and returns whether the cache had the entry.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn restore(&self, key: CacheKey, folder: &Path) -> io::Result<bool> {
        let entry = self.get(key);
        let Some(files) = entry.as_deref().and_then(unpack) else {
            return Ok(false);
        };
        for (name, bytes) in files {
            fs::write(folder.join(name), bytes)?;
        }
        Ok(true)
    }

    /// Stores the files of a folder without those that `is_input` names, if it can.
    pub fn keep(&self, key: CacheKey, folder: &Path, is_input: impl Fn(&OsStr) -> bool) {
        if self.keeps()
            && let Ok(entry) = pack(folder, is_input)
        {
            self.put(key, &entry);
        }
    }
}

/// Packs each file as the lengths of its name and of its content, 8 bytes each, followed by both.
fn pack(folder: &Path, is_input: impl Fn(&OsStr) -> bool) -> io::Result<Vec<u8>> {
    let mut entry = Vec::new();
    for file in fs::read_dir(folder)? {
        let file = file?;
        let name = file.file_name();
        if is_input(&name) {
            continue;
        }
        let bytes = fs::read(file.path())?;
        for length in [name.len(), bytes.len()] {
            entry.extend((length as u64).to_le_bytes());
        }
        entry.extend(name.as_bytes());
        entry.extend(bytes);
    }
    Ok(entry)
}

fn unpack(mut entry: &[u8]) -> Option<Vec<(OsString, &[u8])>> {
    let mut files = Vec::new();
    while !entry.is_empty() {
        let (name, rest) = entry.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let [name, length] = [name, length].map(|it| u64::from_le_bytes(*it) as usize);
        let (name, rest) = rest.split_at_checked(name)?;
        let (bytes, rest) = rest.split_at_checked(length)?;
        files.push((OsString::from_vec(name.to_vec()), bytes));
        entry = rest;
    }
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_restored_but_for_the_inputs() {
        let [cache, made, again] = [(); 3].map(|()| tempfile::tempdir().unwrap());
        let cache = Cache::in_folder(cache.path());
        let key = CacheKey::of(&["files"]);
        for (name, text) in [
            ("a.hsaco", "object"),
            ("b.mlir", ""),
            ("given.mlir", "source"),
        ] {
            fs::write(made.path().join(name), text).unwrap();
        }
        assert!(!cache.restore(key, again.path()).unwrap());
        cache.keep(key, made.path(), |name| name == "given.mlir");
        assert!(cache.restore(key, again.path()).unwrap());
        let read = |name: &str| fs::read_to_string(again.path().join(name)).ok();
        assert_eq!(read("a.hsaco").as_deref(), Some("object"));
        assert_eq!(read("b.mlir").as_deref(), Some(""));
        assert_eq!(read("given.mlir"), None);
        Cache::none().keep(key, Path::new("/nowhere"), |_| false);
    }
}
