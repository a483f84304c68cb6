//! iree-compile and, beside it or in a venv above the target directory, the programs of IREE's
//! runtime.

use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::tools::{IREE_VERSION, Tool, find};

use testing::end_of;
use testing::hip::library;

/// The tools.
pub(crate) struct Tools {
    compiler: PathBuf,
    runtime: PathBuf,
}

impl Tools {
    pub(crate) fn find() -> Result<Tools, String> {
        let compiler = find(Tool::IreeCompile).map_err(|error| error.to_string())?;
        let compiler = compiler.path;
        // site-packages/iree/compiler/_mlir_libs/iree-compile
        let beside = compiler.ancestors().nth(4).map(PathBuf::from);
        let test = std::env::current_exe().map_err(|error| error.to_string())?;
        let venvs = test.ancestors().map(|folder| folder.join("iree-venv/lib"));
        let above = venvs
            .filter_map(|lib| lib.read_dir().ok())
            .flat_map(|pythons| {
                pythons
                    .flatten()
                    .map(|python| python.path().join("site-packages"))
            });
        let installed = format!("iree_base_runtime-{IREE_VERSION}.dist-info/RECORD");
        let packages = beside
            .into_iter()
            .chain(above)
            .find(|it| it.join(&installed).is_file());
        let packages = packages.ok_or_else(|| {
            format!("iree-base-runtime {IREE_VERSION} not found: cargo xtask setup")
        })?;
        Ok(Tools {
            compiler,
            runtime: packages.join("iree/_runtime_libs"),
        })
    }

    /// Compiles a module for a target.
    pub(crate) fn compile(
        &self,
        mlir: &str,
        target: &str,
        options: &[&str],
        to: &Path,
    ) -> Result<(), String> {
        let source = to.with_extension("mlir");
        std::fs::write(&source, mlir).map_err(|error| error.to_string())?;
        let mut command = Command::new(&self.compiler);
        command
            .arg("--iree-hal-target-device=hip")
            .arg(format!("--iree-rocm-target={target}"))
            .args(options)
            .args([&source, Path::new("-o"), to]);
        output(&mut command).map(drop)
    }

    /// Runs a program of the runtime on the library and returns its output. An error has both
    /// streams.
    pub(crate) fn run(
        &self,
        program: &str,
        device: &str,
        arguments: &[String],
    ) -> Result<String, String> {
        let mut command = Command::new(self.runtime.join(program));
        command
            .arg("--device=hip")
            .arg(format!("--hip_dylib_path=file:{}", library().display()))
            .args(arguments)
            .env("WAVETUNE_HIP_DEVICE", device)
            .env("WAVETUNE_HIP_CHECK", "");
        output(&mut command)
    }
}

/// Returns the output of a program that succeeds.
fn output(command: &mut Command) -> Result<String, String> {
    let ended = end_of(command)?;
    match ended.status.success() {
        true => Ok(ended.output),
        false => Err(format!("{command:?}: {}", ended.reason())),
    }
}
