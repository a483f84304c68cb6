//! A cache of iree-compile's outputs, by their inputs.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;

use super::IreeError;
use codegen::cache::{Cache, CacheKey};

/// The file name of the module that a run compiles. No name of an executable has this or the next
/// beginning and end.
pub(super) const SOURCE: &str = "given.mlir";

/// The file name of the tuning spec, if one carries the configuration.
pub(super) const SPEC: &str = "spec.mlir";

const INPUTS: [&str; 2] = [SOURCE, SPEC];

/// The output files of earlier runs.
///
/// This is not the user's cache: on a user's machine, `iree-compile` runs for each trial. The
/// environment can name a cache for tests.
#[derive(Debug, Clone)]
pub(super) struct OutputCache(Cache);

impl OutputCache {
    pub(super) fn of_environment() -> Self {
        Self(Cache::of_environment())
    }

    pub(super) fn none() -> Self {
        Self(Cache::none())
    }

    /// Runs `compile` in a folder that has the inputs, unless the outputs are cached.
    pub(super) fn of(
        &self,
        program: &Path,
        arguments: &[impl AsRef<OsStr>],
        folder: &Path,
        compile: impl FnOnce() -> Result<(), IreeError>,
    ) -> Result<(), IreeError> {
        if !self.0.keeps() {
            return compile();
        }
        let key = key(program, arguments, folder).map_err(IreeError::io(program))?;
        if self.0.restore(key, folder).map_err(IreeError::io(folder))? {
            return Ok(());
        }
        compile()?;
        self.0
            .keep(key, folder, |name| INPUTS.iter().any(|it| name == *it));
        Ok(())
    }
}

fn key(program: &Path, arguments: &[impl AsRef<OsStr>], folder: &Path) -> io::Result<CacheKey> {
    let mut parts = vec![CacheKey::part_of_program(program)?];
    let folder_name = folder.to_string_lossy();
    let arguments = arguments.iter().map(|it| it.as_ref().to_string_lossy());
    // The folder's name differs in each run and must not be in the key.
    parts.extend(arguments.map(|it| it.replace(&*folder_name, "FOLDER")));
    for name in INPUTS {
        let file = folder.join(name);
        if file.exists() {
            parts.push(format!("{name}: {}", fs::read_to_string(file)?));
        }
    }
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    Ok(CacheKey::of(&parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs that leave their number in a file; the number that the last one finds there.
    #[track_caller]
    fn check(outputs: &OutputCache, runs: &[(&str, &str, Option<&str>)], expected: &str) {
        let mut found = String::new();
        for (number, (argument, source, spec)) in runs.iter().enumerate() {
            let folder = tempfile::tempdir().unwrap();
            let file = |name: &str| folder.path().join(name);
            fs::write(file(SOURCE), source).unwrap();
            if let Some(spec) = spec {
                fs::write(file(SPEC), spec).unwrap();
            }
            let argument = format!("{argument}={}", file("x").display());
            let compile = || {
                fs::write(file("module.hsaco"), number.to_string()).unwrap();
                Ok(())
            };
            let ran = outputs.of(Path::new("/bin/sh"), &[argument], folder.path(), compile);
            ran.unwrap();
            assert_eq!(fs::read_to_string(file(SOURCE)).unwrap(), *source);
            found = fs::read_to_string(file("module.hsaco")).unwrap();
        }
        assert_eq!(found, expected, "{runs:?}");
    }

    #[test]
    fn outputs_are_those_of_the_same_inputs() {
        let cache = tempfile::tempdir().unwrap();
        let outputs = OutputCache(Cache::in_folder(cache.path()));
        let first = ("-o", "module", None);
        check(&outputs, &[first, first], "0");
        check(&outputs, &[first, ("-d", "module", None)], "1");
        check(&outputs, &[first, ("-o", "modulf", None)], "1");
        let with_spec = ("-o", "module", Some("spec"));
        check(&outputs, &[first, with_spec], "1");
        check(&outputs, &[with_spec, ("-o", "module", Some("s"))], "1");
        check(&OutputCache::none(), &[first, first], "1");
    }

    #[test]
    fn a_failure_is_not_stored() {
        let cache = tempfile::tempdir().unwrap();
        let outputs = OutputCache(Cache::in_folder(cache.path()));
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(SOURCE), "module").unwrap();
        let run = |end| outputs.of(Path::new("/bin/sh"), &["-o"], folder.path(), || end);
        let failure = IreeError::Unreadable("it fails".to_owned());
        assert!(run(Err(failure)).is_err());
        let failure = IreeError::Unreadable("it fails again".to_owned());
        assert!(run(Err(failure)).is_err());
    }
}
