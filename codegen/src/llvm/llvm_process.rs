//! LLVM in a sandbox: a process of its own for each compilation.
//!
//! That process is one of the program that calls us, which then calls [`serve_parent`]. It costs the loading of libLLVM, beside
//! the sandbox; so it is for those who ask for it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::Sandbox;

use super::{Llvm, LlvmError, LlvmOutput};
use crate::child_process::{self, ChildEnd};

/// The time that one compilation may take. A batch takes 0.3 s, on a busy machine several times that.
const LIMIT: Duration = Duration::from_secs(60);

/// What the folder between the two processes has: what is to be compiled, and what came of it.
const SOURCE: &str = "kernels.ll";
const OBJECT: &str = "kernels.o";

/// A sandbox, and how the program is started that is to be LLVM's process: one that calls [`serve_parent`] with what follows
/// these arguments.
#[derive(Debug, Clone)]
pub struct LlvmProcess {
    /// Where it is started.
    pub sandbox: Sandbox,
    /// The program, most often this one.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl LlvmProcess {
    /// The object that the libLLVM in the file `library` makes of `ir` for `processor`.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Compile`] with what LLVM reports, or how its process ended; [`LlvmError::Confined`] where there is none.
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

/// Is LLVM's process: compiles what its parent has put into a folder, or says why not, in which case the parent reads it. The
/// arguments are what the parent gives: a libLLVM, a processor and the folder.
///
/// # Errors
///
/// What LLVM reports, or that the arguments are not a parent's.
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
