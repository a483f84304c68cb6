//! The object cache: code objects on disk, each under the hash of everything that determines its
//! content.
//!
//! An entry is the object's own hash followed by the object, so that a torn or altered file is a
//! miss. The cache writes an entry beside its place and renames it. Processes that share the
//! folder therefore see a complete entry or none. The cache never fails a compilation: an
//! unreadable or unwritable entry is compiled again. It knows nothing about the objects.
//!
//! `$WAVETUNE_OBJECTS` names the folder in place of the user's. `.cargo/config.toml` sets it to a
//! folder in `target/tmp` for everything that cargo runs, so the tests of all crates share a
//! cache.

mod command;
mod files;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use blake3::{Hash, Hasher};

pub use command::compile;

/// The environment variable that names the folder.
pub const VARIABLE: &str = "WAVETUNE_OBJECTS";

/// The age below which a used entry keeps its date, so that not each use writes to the disk.
const FRESH: Duration = Duration::from_secs(24 * 60 * 60);

/// A part of every key, which changes with the form of keys or entries.
const FORMAT: &str = "wavetune object cache 1";

/// The key of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheKey(Hash);

impl CacheKey {
    /// Returns the key of an object made from `parts`. The split matters: `["ab", "c"]` and
    /// `["a", "bc"]` differ.
    pub fn of(parts: &[&str]) -> CacheKey {
        let mut hasher = Hasher::new();
        for part in std::iter::once(&FORMAT).chain(parts) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        CacheKey(hasher.finalize())
    }
}

/// A folder of entries, or none.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// Creates a cache in `folder`. The first stored entry creates the folder.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Cache {
        Cache {
            folder: Some(folder.into()),
        }
    }

    /// Returns the cache in the folder that `$WAVETUNE_OBJECTS` names; without the variable, a
    /// cache that keeps nothing.
    pub fn of_environment() -> Cache {
        let folder = std::env::var_os(VARIABLE).filter(|it| !it.is_empty());
        Cache {
            folder: folder.map(PathBuf::from),
        }
    }

    /// Returns the cache of this user: that of the environment, else `wavetune/objects` in the
    /// cache folder of the platform (XDG's on Linux). Without a home folder, it keeps nothing.
    pub fn of_user() -> Cache {
        let named = Self::of_environment();
        if named.keeps() {
            return named;
        }
        let folders = directories::ProjectDirs::from("", "", "wavetune");
        Cache {
            folder: folders.map(|folders| folders.cache_dir().join("objects")),
        }
    }

    /// Returns a cache that keeps nothing.
    pub fn none() -> Cache {
        Cache { folder: None }
    }

    /// Returns whether the cache stores anything.
    pub fn keeps(&self) -> bool {
        self.folder.is_some()
    }

    /// Returns the entry under `key`, if it is present and intact.
    pub fn get(&self, key: CacheKey) -> Option<Vec<u8>> {
        let path = self.path(key)?;
        let mut entry = fs::read(&path).ok()?;
        let (hash, object) = entry.split_first_chunk::<{ blake3::OUT_LEN }>()?;
        if blake3::hash(object) != *hash {
            return None;
        }
        entry.drain(..blake3::OUT_LEN);
        note_use(&path);
        Some(entry)
    }

    /// Stores an entry, if it can.
    pub fn put(&self, key: CacheKey, object: &[u8]) {
        if let Some(path) = self.path(key) {
            // A full or read-only disk only costs time at the next compilation.
            let _ = store(&path, object);
        }
    }

    /// Returns the path of an entry. The first two digits of the key spread the entries over 256
    /// folders.
    fn path(&self, key: CacheKey) -> Option<PathBuf> {
        let name = key.0.to_hex();
        Some(self.folder.as_ref()?.join(&name[..2]).join(&name[2..]))
    }
}

/// Sets the date of an entry to the present, because old entries are found by date.
fn note_use(path: &Path) {
    let used = fs::metadata(path).and_then(|about| about.modified());
    let is_old = used.is_ok_and(|used| used.elapsed().is_ok_and(|age| age > FRESH));
    if is_old && let Ok(file) = fs::File::open(path) {
        // A read-only cache keeps no dates.
        let _ = file.set_modified(SystemTime::now());
    }
}

fn store(path: &Path, object: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    // In the same folder, because a rename does not cross file systems.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(blake3::hash(object).as_bytes())?;
    file.write_all(object)?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_objects_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path());
        let key = CacheKey::of(&["ir", "22.1.8"]);
        assert_eq!(cache.get(key), None);
        cache.put(key, b"object");
        assert_eq!(cache.get(key).as_deref(), Some(&b"object"[..]));
        assert_eq!(cache.get(CacheKey::of(&["ir2", "2.1.8"])), None);
        cache.put(key, b"");
        assert_eq!(cache.get(key).as_deref(), Some(&b""[..]));
    }

    #[test]
    fn every_torn_or_altered_entry_is_a_miss() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path());
        let key = CacheKey::of(&["k"]);
        cache.put(key, b"object");
        let path = cache.path(key).unwrap();
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(cache.get(key), None, "cut to {length}");
        }
        for position in 0..whole.len() {
            let mut altered = whole.clone();
            altered[position] ^= 0x10;
            fs::write(&path, altered).unwrap();
            assert_eq!(cache.get(key), None, "altered at {position}");
        }
        cache.put(key, b"object");
        assert!(cache.get(key).is_some());
    }

    #[test]
    fn a_use_gives_an_old_entry_the_present_date() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path());
        let key = CacheKey::of(&["k"]);
        cache.put(key, b"object");
        let file = fs::File::open(cache.path(key).unwrap()).unwrap();
        file.set_modified(SystemTime::now() - 3 * FRESH).unwrap();
        assert!(cache.get(key).is_some());
        let used = file.metadata().unwrap().modified().unwrap();
        assert!(used.elapsed().unwrap() < FRESH);
    }

    #[test]
    fn an_unusable_folder_is_no_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for cache in [Cache::in_folder(file.path()), Cache::none()] {
            let key = CacheKey::of(&["k"]);
            cache.put(key, b"object");
            assert_eq!(cache.get(key), None);
        }
    }

    #[test]
    fn writers_at_the_same_time_leave_a_whole_entry() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path());
        let key = CacheKey::of(&["k"]);
        let objects: Vec<Vec<u8>> = (0..4u8).map(|n| vec![n; 100_000]).collect();
        cache.put(key, &objects[0]);
        std::thread::scope(|scope| {
            for object in &objects {
                scope.spawn(|| (0..20).for_each(|_| cache.put(key, object)));
            }
            for _ in 0..200 {
                assert!(objects.contains(&cache.get(key).expect("never torn")));
            }
        });
    }
}
