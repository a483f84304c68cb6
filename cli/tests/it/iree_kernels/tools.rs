//! The tools: wavetune itself, iree-compile, and iree-run-module on libwavetune_hip.so.

use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::cache::Cache;
use codegen::native::Native;
use codegen::tools::{IREE_VERSION, Tool, find};
use iree::spec::preload_spec;
use testing::Failed;

use crate::iree_kernels::limited;

/// The tools.
pub(crate) struct Tools {
    compiler: PathBuf,
    runner: PathBuf,
    library: PathBuf,
}

impl Tools {
    pub(crate) fn find() -> Result<Tools, String> {
        let compiler = find(Tool::IreeCompile).map_err(|error| error.to_string())?;
        Native::load(Cache::of_environment()).map_err(|error| error.to_string())?;
        let test = std::env::current_exe().map_err(|error| error.to_string())?;
        // The runtime is beside the compiler, or in a venv above the target directory.
        let beside = compiler.path.ancestors().nth(4).map(PathBuf::from);
        let venvs = test.ancestors().map(|folder| folder.join("iree-venv/lib"));
        let above = venvs
            .filter_map(|lib| lib.read_dir().ok())
            .flat_map(|pythons| pythons.flatten().map(|it| it.path().join("site-packages")));
        let installed = format!("iree_base_runtime-{IREE_VERSION}.dist-info/RECORD");
        let packages = beside.into_iter().chain(above);
        let mut packages = packages.filter(|it| it.join(&installed).is_file());
        let packages = packages.next().ok_or_else(|| {
            format!("iree-base-runtime {IREE_VERSION} not found: cargo xtask setup")
        })?;
        Ok(Tools {
            compiler: compiler.path,
            runner: packages.join("iree/_runtime_libs/iree-run-module"),
            library: test.with_file_name("libwavetune_hip.so"),
        })
    }

    pub(crate) fn compiler(&self) -> &Path {
        &self.compiler
    }

    /// Returns IREE's runner on an emulated device of libwavetune_hip.so, with the checker.
    pub(crate) fn device_runner(&self, device: &str) -> Command {
        let library = self.library().display();
        let mut command = Command::new(self.runner());
        command
            .arg("--device=hip")
            .arg(format!("--hip_dylib_path=file:{library}"))
            .env("WAVETUNE_HIP_DEVICE", device)
            .env("WAVETUNE_HIP_CHECK", "");
        command
    }

    pub(crate) fn runner(&self) -> &Path {
        &self.runner
    }

    pub(crate) fn library(&self) -> &Path {
        &self.library
    }

    pub(crate) fn wavetune(&self, db: &Path, arguments: &[String]) -> Result<Vec<u8>, Failed> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
        command.args(arguments).env("WAVETUNE_DB", db);
        command.env("WAVETUNE_EMULATED_HIP", self.library());
        output(&mut command)
    }

    /// Returns the exit code and both outputs.
    pub(crate) fn wavetune_said(
        &self,
        db: &Path,
        arguments: &[String],
    ) -> Result<(Option<i32>, Vec<u8>, String), Failed> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
        command.args(arguments).env("WAVETUNE_DB", db);
        command.env("WAVETUNE_EMULATED_HIP", self.library());
        let output = limited::output(&mut command)?;
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok((output.status.code(), output.stdout, errors))
    }

    fn compiling(
        &self,
        mlir: &str,
        target: &str,
        kernels: Option<&Path>,
        to: &Path,
    ) -> Result<Command, Failed> {
        let source = to.with_extension("mlir");
        std::fs::write(&source, mlir)?;
        let mut command = Command::new(&self.compiler);
        command
            .arg("--iree-hal-target-device=hip")
            .arg(format!("--iree-rocm-target={target}"))
            .args([&source, Path::new("-o"), to]);
        if let Some(kernels) = kernels {
            let (spec, folder) = (kernels.join("spec.mlir"), kernels.display());
            command
                .arg(format!(
                    "--iree-preprocessing-transform-spec-filename={}",
                    spec.display()
                ))
                .arg(format!("--iree-hal-executable-object-search-path={folder}"));
        }
        Ok(command)
    }

    /// Compiles a module with the kernels of a folder.
    pub(crate) fn compile(
        &self,
        mlir: &str,
        target: &str,
        kernels: Option<&Path>,
        to: &Path,
    ) -> Result<(), Failed> {
        output(&mut self.compiling(mlir, target, kernels, to)?).map(drop)
    }

    /// Compiles a module with more options.
    pub(crate) fn compile_with(
        &self,
        mlir: &str,
        target: &str,
        options: &[&str],
        to: &Path,
    ) -> Result<(), Failed> {
        output(self.compiling(mlir, target, None, to)?.args(options)).map(drop)
    }

    /// Compiles a module with a tuning spec beside the kernels.
    pub(crate) fn compile_tuned(
        &self,
        mlir: &str,
        target: &str,
        kernels: Option<&Path>,
        spec: Option<&Path>,
        to: &Path,
    ) -> Result<(), Failed> {
        let mut command = self.compiling(mlir, target, kernels, to)?;
        if let Some(spec) = spec {
            command.args(tuned_by(spec)?);
        }
        output(&mut command).map(drop)
    }

    /// Returns the executables of a module with the configurations of a tuning spec.
    pub(crate) fn configured(
        &self,
        mlir: &str,
        target: &str,
        spec: &Path,
    ) -> Result<String, Failed> {
        let to = spec.with_file_name("configured.txt");
        let mut command = self.compiling(mlir, target, None, &to)?;
        command.args(tuned_by(spec)?);
        output(command.arg("--compile-to=executable-configurations"))?;
        Ok(std::fs::read_to_string(to)?)
    }

    /// Returns the module with the kernels of a folder in place of operations.
    pub(crate) fn preprocessed(
        &self,
        mlir: &str,
        target: &str,
        kernels: &Path,
    ) -> Result<String, Failed> {
        let to = kernels.with_file_name("preprocessed.txt");
        let mut command = self.compiling(mlir, target, Some(kernels), &to)?;
        output(command.arg("--compile-to=preprocessing"))?;
        Ok(std::fs::read_to_string(to)?)
    }

    /// Compiles a module for the host's processor.
    pub(crate) fn compile_for_host(&self, mlir: &str, to: &Path) -> Result<(), Failed> {
        let source = to.with_extension("mlir");
        std::fs::write(&source, mlir)?;
        let mut command = Command::new(&self.compiler);
        command
            .arg("--iree-hal-target-device=local")
            .arg("--iree-hal-local-target-device-backends=llvm-cpu")
            .arg("--iree-llvmcpu-target-cpu=generic")
            .args([&source, Path::new("-o"), to]);
        output(&mut command).map(drop)
    }

    /// Calls a function of a module for the host's processor.
    pub(crate) fn run_on_host(
        &self,
        folder: &Path,
        module: &Path,
        function: &str,
        inputs: &[(String, Vec<u8>)],
        results: usize,
    ) -> Result<Vec<Vec<u8>>, Failed> {
        let mut command = Command::new(self.runner());
        command.arg("--device=local-sync");
        call(command, folder, module, function, inputs, results)
    }

    /// Calls a function of a module with these inputs, each a type and its bytes. Returns the
    /// bytes of its results.
    pub(crate) fn run(
        &self,
        folder: &Path,
        module: &Path,
        function: &str,
        inputs: &[(String, Vec<u8>)],
        results: usize,
    ) -> Result<Vec<Vec<u8>>, Failed> {
        self.run_on("mi300x", folder, module, function, inputs, results)
    }

    /// Calls a function on another device.
    pub(crate) fn run_on(
        &self,
        device: &str,
        folder: &Path,
        module: &Path,
        function: &str,
        inputs: &[(String, Vec<u8>)],
        results: usize,
    ) -> Result<Vec<Vec<u8>>, Failed> {
        let command = self.device_runner(device);
        call(command, folder, module, function, inputs, results)
    }
}

/// Calls a function by this runner.
fn call(
    mut command: Command,
    folder: &Path,
    module: &Path,
    function: &str,
    inputs: &[(String, Vec<u8>)],
    results: usize,
) -> Result<Vec<Vec<u8>>, Failed> {
    command
        .arg(format!("--module={}", module.display()))
        .arg(format!("--function={function}"));
    for (number, (kind, bytes)) in inputs.iter().enumerate() {
        let file = folder.join(format!("input{number}.bin"));
        std::fs::write(&file, bytes)?;
        command.arg(format!("--input={kind}=@{}", file.display()));
    }
    let results: Vec<PathBuf> = (0..results)
        .map(|number| folder.join(format!("result{number}.bin")))
        .collect();
    for file in &results {
        command.arg(format!("--output=@{}", file.display()));
    }
    output(&mut command)?;
    let read = |file: &PathBuf| Ok(std::fs::read(file)?);
    results.iter().map(read).collect()
}

/// Returns the options with which iree-compile takes a spec and reads it early.
pub(crate) fn tuned_by(spec: &Path) -> Result<[String; 2], Failed> {
    let file = spec.display().to_string();
    let early = preload_spec(&file).ok_or("a path that no pass can have")?;
    Ok([format!("--iree-codegen-tuning-spec-path={file}"), early])
}

/// Returns the standard output of a program that succeeds.
fn output(command: &mut Command) -> Result<Vec<u8>, Failed> {
    let output = limited::output(command)?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => {
            let errors = String::from_utf8_lossy(&output.stderr);
            let errors: String = errors.chars().take(2000).collect();
            Err(format!("{command:?}: {}\n{errors}", output.status).into())
        }
    }
}

/// Returns the words of a `wavetune iree-compile` for an MI300X; further options may follow.
pub(crate) fn compiling_words<'a>(input: &'a str, to: &'a str) -> [&'a str; 7] {
    let [device, target] = ["--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"];
    ["iree-compile", "--", device, target, input, "-o", to]
}
