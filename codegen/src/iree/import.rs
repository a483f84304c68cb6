//! ONNX import: the importer of iree-base-compiler turns a model into MLIR.

use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::compiler::folder;
use super::outcome::cut;
use super::{IreeCompiler, IreeError};
use crate::child_process::{self, ChildEnd};

/// An imported module; its file is deleted with it.
#[derive(Debug)]
pub struct ImportedModule {
    _folder: TempDir,
    path: PathBuf,
}

impl ImportedModule {
    /// Returns the module's path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

const IMPORTER: &str = "iree-import-onnx";

impl IreeCompiler {
    /// Imports the model in this file as a module, outside of the sandbox.
    ///
    /// # Errors
    ///
    /// Every failure of a compiler; see [`IreeError`]. If there is no importer, the error is a
    /// missing file.
    pub fn import_onnx(&self, source: &Path) -> Result<ImportedModule, IreeError> {
        let missing = || IreeError::io(IMPORTER)(io::ErrorKind::NotFound.into());
        let importer = importer(&self.path).ok_or_else(missing)?;
        let folder = folder()?;
        let path = folder.path().join("imported.mlir");
        let mut command = child_process::command(None, &importer, &[], None);
        command.arg(source).arg("-o").arg(&path);
        let ended =
            child_process::run(&mut command, self.limit).map_err(IreeError::io(&importer))?;
        if ended.end != ChildEnd::Success {
            // The last line of a Python traceback has the error.
            let mut lines = ended.messages.lines().map(str::trim);
            let last = lines.rfind(|line| !line.is_empty());
            let message = last.map_or_else(|| ended.end.to_string(), cut);
            return Err(IreeError::NotImported { message });
        }
        Ok(ImportedModule {
            _folder: folder,
            path,
        })
    }
}

/// Returns the importer beside a compiler: in its folder, or in the `bin` folder of the venv that
/// has its wheel.
fn importer(compiler: &Path) -> Option<PathBuf> {
    let folders = compiler.ancestors().skip(1);
    let mut candidates = folders.flat_map(|it| [it.join(IMPORTER), it.join("bin").join(IMPORTER)]);
    // The folders below the venv: lib, python3.11, site-packages, iree, compiler, _mlir_libs.
    candidates.by_ref().take(14).find(|it| it.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(compiler: &str, at: &str, is_found: bool) {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join(at);
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::fs::write(&at, "").unwrap();
        let found = importer(&folder.path().join(compiler));
        assert_eq!(found.as_deref(), is_found.then_some(&*at));
    }

    #[test]
    fn the_importer_is_beside_the_compiler() {
        let wheel = "venv/lib/python3.11/site-packages/iree/compiler/_mlir_libs/iree-compile";
        check(wheel, "venv/bin/iree-import-onnx", true);
        check("bin/iree-compile", "bin/iree-import-onnx", true);
        check(wheel, "bin/iree-import-onnx", false);
        check("a/iree-compile", "b/iree-import-onnx", false);
    }
}
