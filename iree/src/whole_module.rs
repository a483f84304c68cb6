//! Compilation of a user's whole module, as the user's own iree-compile would compile it.
//!
//! Only the compiler reads the module. The sources of its executables are dumped beside the
//! output, so that a launch can be traced to its operations.

use std::ffi::OsString;
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

impl<'a> SpecPaths<'a> {
    /// Returns the options that name the files.
    fn options(self) -> Vec<OsString> {
        let mut options = Vec::new();
        if let Some(spec) = self.replacements {
            options.push(option(REPLACEMENTS, spec));
            let objects = spec.parent().unwrap_or(Path::new("."));
            let name = "--iree-hal-executable-object-search-path=";
            options.push(option(name, objects));
        }
        if let Some(spec) = self.tuning {
            options.push(option("--iree-codegen-tuning-spec-path=", spec));
            // Without it, iree-compile 3.13.0 sometimes deadlocks on a spec and a module of
            // several dispatches.
            options.extend(spec.to_str().and_then(preload_spec).map(OsString::from));
        }
        options
    }

    /// Returns the files. The code objects of a spec are in its folder, which a sandbox shows with
    /// the file.
    fn files(self) -> Vec<&'a Path> {
        self.replacements.into_iter().chain(self.tuning).collect()
    }
}

/// The options that omit weights, which are not needed and may be gigabytes.
pub(super) const WITHOUT_WEIGHTS: [&str; 2] = [
    "--mlir-elide-elementsattrs-if-larger=16",
    "--mlir-elide-resource-strings-if-larger=16",
];

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

/// A module without code: the text of two phases, with weights left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlinedModule {
    /// The commands of each function.
    pub commands: String,
    /// The dispatches before their buffers have places, so that equal ones have equal texts.
    pub dispatches: String,
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
        how.extend(specs.options());
        let path = self.run_on_module(source, target, folder.path(), &how, &specs.files())?;
        Ok(CompiledModule {
            executables: texts(&dumped, ".mlir")?,
            _folder: folder,
            path,
        })
    }

    /// Lowers the module in this file up to its commands, without generating code. This takes a
    /// tenth of a compilation.
    ///
    /// # Errors
    ///
    /// Every failure of the compiler; see [`IreeError`].
    pub fn outline(
        &self,
        source: &Path,
        target: &Target,
        options: &[OsString],
        specs: SpecPaths<'_>,
    ) -> Result<OutlinedModule, IreeError> {
        let folder = folder()?;
        let phases = folder.path().join("phases");
        let mut how = options.to_vec();
        how.extend(WITHOUT_WEIGHTS.map(OsString::from));
        // Numbers of aliases depend on the whole module.
        how.push("--mlir-print-local-scope".into());
        how.push("--compile-to=executable-sources".into());
        how.push(option("--dump-compilation-phases-to=", &phases));
        how.extend(specs.options());
        let lowered = self.run_on_module(source, target, folder.path(), &how, &specs.files())?;
        let dispatches = texts(&phases, ".flow.mlir")?;
        Ok(OutlinedModule {
            commands: read_text(&lowered)?,
            dispatches: dispatches.into_iter().next().unwrap_or_default(),
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

/// Returns the texts of the files in a folder with such an end, in the order of their names.
fn texts(folder: &Path, end: &str) -> Result<Vec<String>, IreeError> {
    // A module without dispatches has no folder of sources.
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(Vec::new());
    };
    let mut paths = Vec::new();
    for entry in entries {
        let entry = entry.map_err(IreeError::io(folder))?;
        let bytes = entry.metadata().map_err(IreeError::io(entry.path()))?.len();
        let has_end = entry.file_name().to_string_lossy().ends_with(end);
        if has_end && bytes <= MAX_SOURCE_BYTES {
            paths.push(entry.path());
        }
    }
    paths.sort();
    paths.iter().map(|path| read_text(path)).collect()
}
