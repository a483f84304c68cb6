//! Compilation of a user's whole module, as the user's own iree-compile would compile it.
//!
//! Only the compiler reads the module. The sources of its executables are dumped beside the
//! output, so that a launch can be traced to its operations.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use crate::spec::preload_spec;
use configgen::Target;
use tempfile::TempDir;

use super::compiler::{folder, option, read_text};
use super::outcome::outcome_of_module;
use super::{IreeCompiler, IreeError};
use codegen::child_process;

/// The largest size of an executable's source, in bytes. Constants make it long.
const MAX_SOURCE_BYTES: u64 = 16 << 20;

/// The files that change a compilation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SpecPaths<'a> {
    /// A preprocessing spec. Its code objects are in its folder.
    pub replacements: Option<&'a Path>,
    /// A tuning spec.
    pub tuning: Option<&'a Path>,
}

/// The option that names a preprocessing spec.
pub(super) const REPLACEMENTS: &str = "--iree-preprocessing-transform-spec-filename=";

/// The name of the compiler's copy of the module.
pub(super) const COPY: &str = "model";

/// A compiled module; its files are deleted with it.
#[derive(Debug)]
pub struct CompiledModule {
    _folder: TempDir,
    path: PathBuf,
    /// The source of each executable in MLIR.
    pub executables: Vec<String>,
}

impl CompiledModule {
    /// Returns the path of the `.vmfb` file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl IreeCompiler {
    /// Compiles the module in this file, with IREE's defaults except for `options` and `specs`.
    ///
    /// # Errors
    ///
    /// Every failure of the compiler; see [`IreeError`].
    pub fn compile_module(
        &self,
        source: &Path,
        target: &Target,
        options: &[OsString],
        specs: SpecPaths<'_>,
    ) -> Result<CompiledModule, IreeError> {
        let folder = folder()?;
        let dumped = folder.path().join("sources");
        let mut how = options.to_vec();
        how.push(option("--iree-hal-dump-executable-sources-to=", &dumped));
        if let Some(spec) = specs.replacements {
            how.push(option(REPLACEMENTS, spec));
            let objects = spec.parent().unwrap_or(Path::new("."));
            let name = "--iree-hal-executable-object-search-path=";
            how.push(option(name, objects));
        }
        if let Some(spec) = specs.tuning {
            how.push(option("--iree-codegen-tuning-spec-path=", spec));
            // Without it, iree-compile 3.13.0 sometimes deadlocks on a spec and a module of
            // several dispatches.
            how.extend(spec.to_str().and_then(preload_spec).map(OsString::from));
        }
        // The code objects of a spec are in its folder, which the sandbox shows with the file.
        let visible: Vec<&Path> = specs.replacements.into_iter().chain(specs.tuning).collect();
        let path = self.run_on_module(source, target, folder.path(), &how, &visible)?;
        Ok(CompiledModule {
            executables: texts(&dumped)?,
            _folder: folder,
            path,
        })
    }

    /// Compiles the module in this file, and returns the output's path in `folder`. In a sandbox,
    /// the compiler sees the folder, and the files in `visible` with theirs.
    pub(super) fn run_on_module(
        &self,
        source: &Path,
        target: &Target,
        folder: &Path,
        how: &[OsString],
        visible: &[&Path],
    ) -> Result<PathBuf, IreeError> {
        // In a sandbox, the compiler sees this folder and none of the user's files.
        let (copy, output) = (folder.join(COPY), folder.join("model.out"));
        fs::copy(source, &copy).map_err(IreeError::io(source))?;
        let visible: Vec<&Path> = [&*self.path].into_iter().chain(visible.to_vec()).collect();
        let sandbox = self.sandbox.as_ref();
        let mut command = child_process::command(sandbox, &self.path, &visible, Some(folder));
        command
            .arg("--iree-hal-target-device=hip")
            .arg(format!("--iree-rocm-target={target}"))
            .args(how)
            .arg(&copy)
            .arg("-o")
            .arg(&output);
        let ended =
            child_process::run(&mut command, self.limit).map_err(IreeError::io(&self.path))?;
        outcome_of_module(ended, self.limit)?;
        match output.is_file() {
            true => Ok(output),
            false => {
                let message = "iree-compile ended as if all were well, and wrote no module";
                Err(IreeError::Unreadable(message.to_owned()))
            }
        }
    }
}

/// Returns the texts of all MLIR files in a folder, in the order of their names.
fn texts(folder: &Path) -> Result<Vec<String>, IreeError> {
    // A module without dispatches has no folder of sources.
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(Vec::new());
    };
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.map_err(IreeError::io(folder))?;
        let bytes = entry.metadata().map_err(IreeError::io(entry.path()))?.len();
        if entry.path().extension() == Some(OsStr::new("mlir")) && bytes <= MAX_SOURCE_BYTES {
            paths.push(entry.path());
        }
    }
    paths.sort();
    paths.iter().map(|path| read_text(path)).collect()
}
