//! IREE's runtime, run on the emulated device by way of libwavetune_hip.so.
//!
//! `iree-benchmark-module` calls a function of a compiled module, and the library writes each
//! launch, copy and fill to its journal. The program's own commands, which load the module and
//! copy its inputs, come first. Calls are equal, so the journal of two calls is longer than that
//! of one by exactly one call.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use codegen_sandbox::{Sandbox, SandboxPolicy};

use super::IreeError;
use super::compiler::folder;
use super::outcome::cut;
use codegen::child_process::{self, ChildEnd, ChildOutcome};
use codegen::tools::MissingRuntime;

/// The address space of a confined runtime, in bytes. The library reserves as much as a device
/// has, and touches little of it.
const CONFINED_BYTES: u64 = 1 << 40;

/// The largest size of a journal, in bytes: a few hundred thousand commands.
const MAX_JOURNAL_BYTES: u64 = 64 << 20;

/// The emulated device's library and IREE's programs.
#[derive(Debug, Clone)]
pub struct IreeRuntime {
    programs: PathBuf,
    library: PathBuf,
    sandbox: Option<Sandbox>,
    limit: Duration,
    confined_bytes: u64,
}

/// A call of a function.
struct CallOf<'a> {
    module: &'a Path,
    function: &'a str,
    inputs: &'a [String],
    device: &'a str,
}

/// The journal of one call of a function, in lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallJournal {
    /// The commands that load the module, such as the computation of constants, and the copies of
    /// inputs.
    pub before: Vec<String>,
    /// The commands of the call.
    pub call: Vec<String>,
}

impl IreeRuntime {
    /// Finds the runtime's programs, preferably those beside the compiler, and the library.
    ///
    /// # Errors
    ///
    /// [`MissingRuntime`]: the missing part and the way to get it.
    pub fn find(compiler: &Path) -> Result<IreeRuntime, MissingRuntime> {
        let (programs, library) = codegen::tools::find_runtime(compiler)?;
        Ok(IreeRuntime {
            programs,
            library,
            sandbox: None,
            limit: Duration::from_secs(600),
            confined_bytes: CONFINED_BYTES,
        })
    }

    /// Returns the path of the emulated device's library.
    pub fn library(&self) -> &Path {
        &self.library
    }

    /// Moves the programs into a sandbox.
    #[must_use]
    pub fn in_sandbox(mut self, sandbox: Option<Sandbox>) -> Self {
        self.sandbox = sandbox;
        self
    }

    /// Sets the time limit of one program, and its address space in a sandbox, in bytes.
    #[must_use]
    pub fn with_limits(mut self, limit: Duration, confined_bytes: u64) -> Self {
        self.limit = limit;
        self.confined_bytes = confined_bytes;
        self
    }

    /// Returns the declarations of a module's functions, such as
    /// `sync func @main(%input0: tensor<4xf32>) -> (%output0: tensor<f32>)`.
    ///
    /// # Errors
    ///
    /// [`IreeError`]: the program failed.
    pub fn declarations(&self, module: &Path) -> Result<Vec<String>, IreeError> {
        let folder = folder()?;
        let mut command = self.command("iree-dump-module", module, folder.path());
        command.arg(module);
        let ended = self.run(&mut command, "iree-dump-module")?;
        let lines = ended.output.lines();
        let declared =
            lines.filter_map(|line| Some(line.split_once("iree.abi.declaration: ")?.1.to_owned()));
        Ok(declared.collect())
    }

    /// Calls a function and returns the journal of the call. `inputs` are values in the notation
    /// of `--input`. Kernels have their modelled times and are not executed. The file `known` has
    /// lines of earlier journals; their launches are not modelled again. It may be missing.
    ///
    /// # Errors
    ///
    /// [`IreeError`]: the program failed.
    pub fn call(
        &self,
        module: &Path,
        function: &str,
        inputs: &[String],
        device: &str,
        known: &Path,
    ) -> Result<CallJournal, IreeError> {
        let call = CallOf {
            module,
            function,
            inputs,
            device,
        };
        let twice = self.journal(&call, 2, known, &[])?;
        // This run only counts commands, so it need not model them.
        let limit = ("WAVETUNE_HIP_INSTRUCTION_LIMIT", "1");
        let once = self.journal(&call, 1, known, &[limit])?;
        // The second call adds the commands of one call; all before the first belong to the module.
        let length = twice.len().checked_sub(once.len());
        let start = length.and_then(|length| once.len().checked_sub(length));
        let Some(start) = start else {
            let message = "two calls of the function are not alike".to_owned();
            return Err(IreeError::Runtime { message });
        };
        let mut before = twice;
        let mut call = before.split_off(start);
        call.truncate(call.len() / 2);
        Ok(CallJournal { before, call })
    }

    fn journal(
        &self,
        of: &CallOf<'_>,
        calls: u32,
        known: &Path,
        variables: &[(&str, &str)],
    ) -> Result<Vec<String>, IreeError> {
        let folder = folder()?;
        let [journal, known_here] = ["journal", "known"].map(|name| folder.path().join(name));
        // In a sandbox, the program sees this folder alone.
        if known.is_file() {
            fs::copy(known, &known_here).map_err(IreeError::io(known))?;
        }
        let mut command = self.command("iree-benchmark-module", of.module, folder.path());
        let mut library = OsString::from("--hip_dylib_path=file:");
        library.push(&self.library);
        let mut input = OsString::from("--module=");
        input.push(of.module);
        command
            .arg("--device=hip")
            .arg(library)
            .arg(input)
            .arg(format!("--function={}", of.function))
            .args(of.inputs.iter().map(|value| format!("--input={value}")))
            .arg(format!("--benchmark_min_time={calls}x"))
            .env("WAVETUNE_HIP_DEVICE", of.device)
            .env("WAVETUNE_HIP_TIME_ONLY", "1")
            // A known time must not depend on the launches before.
            .env("WAVETUNE_HIP_CACHES", "cold")
            .env("WAVETUNE_HIP_KNOWN_TIMES", &known_here)
            // A caller's own settings would change the run.
            .env("WAVETUNE_HIP_CHECK", "")
            .env_remove("WAVETUNE_HIP_INSTRUCTION_LIMIT")
            .env("WAVETUNE_HIP_TIMES", &journal)
            .envs(variables.iter().copied());
        self.run(&mut command, "iree-benchmark-module")?;
        // A module may loop for as long as its call may take.
        if fs::metadata(&journal).is_ok_and(|it| it.len() > MAX_JOURNAL_BYTES) {
            let message = format!(
                "a call of {} has too many commands: its journal is larger than {MAX_JOURNAL_BYTES} bytes",
                of.function
            );
            return Err(IreeError::Runtime { message });
        }
        let text = match fs::read_to_string(&journal) {
            Ok(text) => text,
            // A function without commands for the device.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(IreeError::io(journal)(error)),
        };
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// Returns the path of one of IREE's programs.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    fn command(&self, program: &str, module: &Path, folder: &Path) -> Command {
        let program = self.program(program);
        match &self.sandbox {
            // The child has no limit of memory: a model's weights may be many gigabytes.
            None => Command::new(program),
            Some(sandbox) => {
                let read = [&program, &self.programs, &self.library].map(Clone::clone);
                let policy = SandboxPolicy {
                    read: read.into_iter().chain([module.to_owned()]).collect(),
                    write: Some(folder.to_owned()),
                    memory: self.confined_bytes,
                    ..SandboxPolicy::default()
                };
                sandbox.command(&program, &policy)
            }
        }
    }

    pub(super) fn run(
        &self,
        command: &mut Command,
        name: &'static str,
    ) -> Result<ChildOutcome, IreeError> {
        let ended = child_process::run(command, self.limit).map_err(IreeError::io(name))?;
        if ended.end == ChildEnd::Success {
            return Ok(ended);
        }
        // The status comes first in the runtime's message, and the place in its source before it.
        let lines = || ended.messages.lines().map(str::trim);
        let error = lines().find(|line| line.contains("; ") || line.starts_with("libwavetune_hip"));
        let error = error.or_else(|| lines().find(|line| !line.is_empty()));
        let error = error.map_or_else(|| ended.end.to_string(), cut);
        Err(IreeError::Runtime {
            message: format!("{name} {}: {error}", ended.end),
        })
    }
}
