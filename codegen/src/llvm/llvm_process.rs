//! LLVM in a sandbox, with a process for each compilation.
//!
//! The process runs the caller's own program, which then calls [`serve_parent`]. Each compilation
//! pays for loading libLLVM and for the sandbox, so this mode is optional.

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

/// The files that the two processes exchange in a folder: the IR and the object.
const SOURCE: &str = "kernels.ll";
const OBJECT: &str = "kernels.o";

/// A sandbox and the command line of the LLVM process. The program must call [`serve_parent`]
/// with the arguments that follow these.
#[derive(Debug, Clone)]
pub struct LlvmProcess {
    /// The sandbox that the process runs in.
    pub sandbox: Sandbox,
    /// The program, usually the running one.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl LlvmProcess {
    /// Compiles `ir` for `processor` into an object, with the libLLVM at `library`.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Compile`] with LLVM's diagnostics or the way in which its process ended.
    /// [`LlvmError::Confined`] if the process or its files fail.
    pub(crate) fn compile(
        &self,
        library: &Path,
        ir: &str,
        processor: &str,
    ) -> Result<Vec<u8>, LlvmError> {
        let failed = |error: io::Error| LlvmError::Confined(error.to_string());
        let folder = tempfile::Builder::new()
            .prefix("wavetune-llvm-")
            .tempdir()
            .map_err(failed)?;
        let folder = folder.path();
        fs::write(folder.join(SOURCE), ir).map_err(failed)?;
        let sandbox = Some(&self.sandbox);
        let mut command = child_process::command(sandbox, &self.program, &[library], Some(folder));
        // In the order of `serve_parent`.
        command.args(&self.arguments).arg(library).arg(processor);
        let ended = child_process::run(command.arg(folder), LIMIT).map_err(failed)?;
        match ended.end {
            ChildEnd::Success => fs::read(folder.join(OBJECT)).map_err(failed),
            ChildEnd::Failure => Err(LlvmError::Compile(ended.messages.trim().to_owned())),
            end => Err(LlvmError::Compile(format!(
                "its process {end}: {}",
                ended.messages.trim()
            ))),
        }
    }
}

/// Runs as the LLVM process: compiles the IR that the parent put into a folder and writes the
/// object there. The arguments are a libLLVM, a processor and the folder.
///
/// # Errors
///
/// LLVM's diagnostics, or that the arguments are not a parent's. The parent reads the error from
/// standard error.
pub fn serve_parent(arguments: &[OsString]) -> Result<(), String> {
    let [library, processor, folder] = arguments else {
        return Err("a library, a processor and a folder were expected".to_owned());
    };
    let processor = processor.to_str().ok_or("no processor has such a name")?;
    let folder = Path::new(folder);
    let failed = |error: io::Error| error.to_string();
    let ir = fs::read_to_string(folder.join(SOURCE)).map_err(failed)?;
    let llvm = Llvm::load(Path::new(library)).map_err(|error| error.to_string())?;
    let object = llvm.compile(&ir, processor, LlvmOutput::Object);
    let object = object.map_err(|error| match error {
        LlvmError::Compile(reason) => reason,
        error => error.to_string(),
    })?;
    fs::write(folder.join(OBJECT), object).map_err(failed)
}
