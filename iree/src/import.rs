//! ONNX import: the importer of iree-base-compiler turns a model into MLIR.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::compiler::folder;
use super::outcome::cut;
use super::{IreeCompiler, IreeError};
use codegen::child_process::{self, ChildEnd};

/// An imported module; its file is deleted with it.
#[derive(Debug)]
pub struct ImportedModule {
    _folder: TempDir,
    path: PathBuf,
    converted_from: Option<u32>,
}

impl ImportedModule {
    /// Returns the module's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the version of ONNX's operators that the model has, if it was converted to
    /// [`OPSET`].
    pub fn converted_from(&self) -> Option<u32> {
        self.converted_from
    }
}

/// The oldest version of ONNX's operators with all forms known to IREE. An older model is
/// converted to it.
pub const OPSET: u32 = 17;

/// The attribute of a module with the version of the model's operators.
const OPSET_ATTRIBUTE: &str = "torch.onnx_meta.opset_version = ";

/// The beginning of a module that is searched for the attribute, in bytes.
const HEAD_BYTES: u64 = 1 << 20;

const IMPORTER: &str = "iree-import-onnx";

impl IreeCompiler {
    /// Imports the model in this file as a module, outside of the sandbox. A model with older
    /// operators is converted to [`OPSET`] if the importer can.
    ///
    /// # Errors
    ///
    /// Every failure of a compiler; see [`IreeError`]. If there is no importer, the error is a
    /// missing file.
    pub fn import_onnx(&self, source: &Path) -> Result<ImportedModule, IreeError> {
        let folder = folder()?;
        let path = folder.path().join("imported.mlir");
        self.run_importer(source, &path, &[])?;
        let version = opset(&path).map_err(IreeError::io(&path))?;
        let mut imported = ImportedModule {
            path,
            _folder: folder,
            converted_from: None,
        };
        if let Some(version) = version.filter(|it| *it < OPSET) {
            let converted = imported._folder.path().join("converted.mlir");
            let option = format!("--opset-version={OPSET}");
            // Without a conversion, the model as it is may still compile.
            if self.run_importer(source, &converted, &[&option]).is_ok() {
                imported.path = converted;
                imported.converted_from = Some(version);
            }
        }
        Ok(imported)
    }

    fn run_importer(&self, source: &Path, to: &Path, options: &[&str]) -> Result<(), IreeError> {
        let missing = || IreeError::io(IMPORTER)(io::ErrorKind::NotFound.into());
        let importer = importer(&self.path).ok_or_else(missing)?;
        let mut command = child_process::command(None, &importer, &[], None);
        command.arg(source).args(options).arg("-o").arg(to);
        let ended =
            child_process::run(&mut command, self.limit).map_err(IreeError::io(&importer))?;
        if ended.end != ChildEnd::Success {
            // The last line of a Python traceback has the error.
            let mut lines = ended.messages.lines().map(str::trim);
            let last = lines.rfind(|line| !line.is_empty());
            let message = last.map_or_else(|| ended.end.to_string(), cut);
            return Err(IreeError::NotImported { message });
        }
        Ok(())
    }
}

/// Returns the version of the operators of an imported model, if the module states it.
fn opset(module: &Path) -> io::Result<Option<u32>> {
    let mut head = Vec::new();
    File::open(module)?
        .take(HEAD_BYTES)
        .read_to_end(&mut head)?;
    // The cut may be within a character, which ends no search.
    let head = String::from_utf8_lossy(&head);
    let stated = head.split_once(OPSET_ATTRIBUTE);
    let number = stated.and_then(|(_, rest)| rest.split(' ').next());
    Ok(number.and_then(|number| number.parse().ok()))
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
    fn the_version_of_the_operators_is_read() {
        #[track_caller]
        fn check(text: &str, expected: Option<u32>) {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), text).unwrap();
            assert_eq!(opset(file.path()).unwrap(), expected);
        }
        check(
            "func.func @f() attributes {torch.onnx_meta.opset_version = 9 : si64} {",
            Some(9),
        );
        check("func.func @f() {", None);
        check("torch.onnx_meta.opset_version = x", None);
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
