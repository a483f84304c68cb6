//! LLVM in a process for each compilation, and in a sandbox if there is one.
//!
//! A crash of LLVM then costs one compilation, not the caller's process. The process runs the
//! caller's own program, which then calls [`serve_parent`]. Each compilation pays for loading
//! libLLVM, so libraries and tests compile in their own process.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use codegen_sandbox::Sandbox;

use super::{Llvm, LlvmError, LlvmOutput};
use crate::child_process::{self, ChildEnd};

/// The time limit of one compilation. A batch takes 0.3 s, or several times that on a busy
/// machine.
const LIMIT: Duration = Duration::from_secs(60);

/// The files that the two processes exchange in a folder: the IR and the output.
const SOURCE: &str = "kernels.ll";
const OUTPUT: &str = "kernels.out";

/// The arguments that ask for an output.
const OUTPUTS: [(&str, LlvmOutput); 2] = [
    ("object", LlvmOutput::Object),
    ("assembly", LlvmOutput::Assembly),
];

/// The command line of the LLVM process, and its sandbox. The program must call [`serve_parent`]
/// with the arguments that follow these.
#[derive(Debug, Clone)]
pub struct LlvmProcess {
    /// The sandbox that the process runs in, and the linker. Without one, only their memory is
    /// limited.
    pub sandbox: Option<Sandbox>,
    /// The program, usually the running one.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl LlvmProcess {
    /// Compiles `ir` for `processor`, with the libLLVM at `library`.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Compile`] with LLVM's diagnostics. [`LlvmError::Ended`] if LLVM crashes.
    /// [`LlvmError::Process`] if the process cannot be started, or if its files fail.
    pub(crate) fn compile(
        &self,
        library: &Path,
        ir: &str,
        processor: &str,
        output: LlvmOutput,
    ) -> Result<Vec<u8>, LlvmError> {
        let failed = |error: io::Error| LlvmError::Process(error.to_string());
        let folder = tempfile::Builder::new()
            .prefix("wavetune-llvm-")
            .tempdir()
            .map_err(failed)?;
        let folder = folder.path();
        fs::write(folder.join(SOURCE), ir).map_err(failed)?;
        let sandbox = self.sandbox.as_ref();
        let mut command = child_process::command(sandbox, &self.program, &[library], Some(folder));
        let word = OUTPUTS.iter().find(|it| it.1 == output).map(|it| it.0);
        // In the order of `serve_parent`.
        command.args(&self.arguments).arg(library).arg(processor);
        command.arg(folder).args(word);
        let ended = child_process::run(&mut command, LIMIT).map_err(failed)?;
        match ended.end {
            ChildEnd::Success => fs::read(folder.join(OUTPUT)).map_err(failed),
            ChildEnd::Failure => Err(LlvmError::Compile(ended.messages.trim().to_owned())),
            end => Err(LlvmError::Ended {
                end,
                messages: ended.messages.trim().to_owned(),
            }),
        }
    }
}

/// Runs as the LLVM process: compiles the IR that the parent put into a folder and writes the
/// output there. The arguments are a libLLVM, a processor, the folder and the kind of output.
///
/// # Errors
///
/// LLVM's diagnostics, or that the arguments are not a parent's. The parent reads the error from
/// standard error.
pub fn serve_parent(arguments: &[OsString]) -> Result<(), String> {
    let [library, processor, folder, output] = arguments else {
        return Err("a library, a processor, a folder and an output were expected".to_owned());
    };
    let known = OUTPUTS.iter().find(|it| output == it.0);
    let &(_, output) = known.ok_or("the output is `object` or `assembly`")?;
    let processor = processor.to_str().ok_or("no processor has such a name")?;
    let folder = Path::new(folder);
    let failed = |error: io::Error| error.to_string();
    let ir = fs::read_to_string(folder.join(SOURCE)).map_err(failed)?;
    let llvm = Llvm::load(Path::new(library)).map_err(|error| error.to_string())?;
    let compiled = llvm.compile(&ir, processor, output);
    let compiled = compiled.map_err(|error| match error {
        LlvmError::Compile(reason) => reason,
        error => error.to_string(),
    })?;
    fs::write(folder.join(OUTPUT), compiled).map_err(failed)
}
