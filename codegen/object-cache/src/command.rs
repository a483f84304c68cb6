//! Compilers that tests call. The cache answers a call with the same program, arguments and
//! sources.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output};

use crate::{Cache, CacheKey};

impl CacheKey {
    /// Returns the part of a key that identifies a program by path, length and date: another
    /// version is another file.
    ///
    /// # Errors
    /// If there is no such file.
    pub fn part_of_program(program: &Path) -> io::Result<String> {
        let program = fs::canonicalize(program)?;
        let about = fs::metadata(&program)?;
        let (length, modified) = (about.len(), [about.mtime(), about.mtime_nsec()]);
        Ok(format!("{} {length} {modified:?}", program.display()))
    }
}

/// Runs a compiler that writes one file, or takes the file from the cache that the environment
/// names.
///
/// `sources` are the files and folders that determine the output, beside the program and the
/// arguments. Stores only a success without a message.
///
/// # Errors
/// If the compiler cannot be started, or a file cannot be read or written.
pub fn compile(command: &mut Command, sources: &[&Path], output: &Path) -> io::Result<Output> {
    let cache = Cache::of_environment();
    if !cache.keeps() {
        return command.output();
    }
    let key = key(command, sources, output)?;
    // Tests of one suite begin at once and often need the same output: one of them compiles it.
    // Without the lock, as on a read-only disk, each compiles its own.
    let lock = cache.path(key).map(|path| path.with_extension("lock"));
    let lock = lock.and_then(|path| lock_file(&path).ok());
    if let Some(bytes) = cache.get(key) {
        let program = Path::new(command.get_program());
        fs::write(output, bytes)?;
        // An output may be a program, so it gets the compiler's permissions.
        fs::set_permissions(output, fs::metadata(program)?.permissions())?;
        return Ok(Output {
            status: ExitStatus::from_raw(0),
            stdout: Vec::new(),
            stderr: Vec::new(),
        });
    }
    let ended = command.output()?;
    // A stored entry has no messages to repeat.
    if ended.status.success() && ended.stdout.is_empty() && ended.stderr.is_empty() {
        cache.put(key, &fs::read(output)?);
    }
    drop(lock);
    Ok(ended)
}

/// Opens a file and waits until no other process has locked it.
fn lock_file(path: &Path) -> io::Result<fs::File> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    let file = fs::File::create(path)?;
    file.lock()?;
    Ok(file)
}

fn key(command: &Command, sources: &[&Path], output: &Path) -> io::Result<CacheKey> {
    let mut parts = vec![CacheKey::part_of_program(Path::new(command.get_program()))?];
    // The paths of temporary files differ from call to call.
    let place = |argument: &OsStr| match sources.iter().position(|it| *it == argument) {
        Some(number) => format!("source {number}"),
        None if argument == output => "output".to_owned(),
        None => argument.to_string_lossy().into_owned(),
    };
    parts.extend(command.get_args().map(place));
    for source in sources {
        let mut files = Vec::new();
        collect(source, &mut files)?;
        // The system lists a folder in any order.
        files.sort();
        for file in files {
            let name = file.strip_prefix(source).unwrap_or(&file);
            let hash = blake3::hash(&fs::read(&file)?);
            parts.push(format!("{} {hash}", name.display()));
        }
    }
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    Ok(CacheKey::of(&parts))
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_file() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        collect(&entry?.path(), files)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the key of a call of `cp`, with a source in a folder and this content.
    fn check_key(folder: &Path, argument: &str, content: &str) -> CacheKey {
        fs::create_dir_all(folder.join("source")).unwrap();
        fs::write(folder.join("source/kernel.hip"), content).unwrap();
        let (source, output) = (folder.join("source"), folder.join("output"));
        let mut command = Command::new("/bin/cp");
        command.arg(argument).args([&source, &output]);
        key(&command, &[&source], &output).unwrap()
    }

    #[test]
    fn calls_are_told_apart_by_arguments_and_sources_and_not_by_their_folders() {
        let [one, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let (one, other) = (one.path(), other.path());
        let first = check_key(one, "-r", "a");
        assert_eq!(check_key(other, "-r", "a"), first);
        assert_ne!(check_key(other, "-R", "a"), first);
        assert_ne!(check_key(other, "-r", "b"), first);
        fs::write(one.join("source/header.h"), "").unwrap();
        assert_ne!(check_key(one, "-r", "a"), first);
    }

    #[test]
    fn programs_have_different_keys() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("clang");
        fs::write(&program, "22.1.8").unwrap();
        let before = CacheKey::part_of_program(&program).unwrap();
        fs::write(&program, "22.1.10").unwrap();
        assert_ne!(CacheKey::part_of_program(&program).unwrap(), before);
    }

    #[test]
    fn a_locked_file_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ab/cd.lock");
        let first = lock_file(&path).unwrap();
        let other = fs::File::open(&path).unwrap();
        assert!(other.try_lock().is_err());
        drop(first);
        assert!(other.try_lock().is_ok());
    }
}
