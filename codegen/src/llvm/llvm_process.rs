//! LLVM in processes of its own, and in a sandbox if there is one.
//!
//! A crash of LLVM then costs one compilation, not the caller's process. Each process runs the
//! caller's own program, which then calls [`serve_parent`]. It loads libLLVM once, and compiles
//! until it crashes or the parent ends.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use codegen_sandbox::Sandbox;
use tempfile::TempDir;

use super::{Llvm, LlvmError, LlvmOutput};
use crate::child_process::{self, Answer, Coprocess};

/// The time limit of one compilation. A batch takes 0.3 s, or several times that on a busy
/// machine.
const LIMIT: Duration = Duration::from_secs(60);

/// The files that the two processes exchange in a folder: the IR, and the output or the reason for
/// its absence.
const SOURCE: &str = "kernels.ll";
const OUTPUT: &str = "kernels.out";

/// The words that ask for an output, before the processor.
const OUTPUTS: [(&str, LlvmOutput); 2] = [
    ("object", LlvmOutput::Object),
    ("assembly", LlvmOutput::Assembly),
];

/// The answers.
const DONE: &str = "done";
const FAILED: &str = "failed";

/// The command line of an LLVM process, and its sandbox. The program must call [`serve_parent`]
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

/// A running LLVM process, and its folder.
#[derive(Debug)]
struct Worker {
    // Before the folder, so that the process has ended when the folder is removed.
    process: Coprocess,
    folder: TempDir,
}

/// The LLVM processes of a libLLVM. Each thread that compiles has one to itself meanwhile.
#[derive(Debug)]
pub(crate) struct LlvmWorkers {
    process: LlvmProcess,
    library: PathBuf,
    idle: Mutex<Vec<Worker>>,
}

impl LlvmWorkers {
    /// Creates the processes for the libLLVM at `library`, without starting one.
    pub(crate) fn new(process: LlvmProcess, library: &Path) -> LlvmWorkers {
        LlvmWorkers {
            process,
            library: library.to_owned(),
            idle: Mutex::default(),
        }
    }

    /// Returns the sandbox of the processes.
    pub(crate) fn sandbox(&self) -> Option<&Sandbox> {
        self.process.sandbox.as_ref()
    }

    /// Compiles `ir` for `processor`.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Compile`] with LLVM's diagnostics. [`LlvmError::Ended`] if LLVM crashes.
    /// [`LlvmError::Process`] if no process can be started, or if its files fail.
    pub(crate) fn compile(
        &self,
        ir: &str,
        processor: &str,
        output: LlvmOutput,
    ) -> Result<Vec<u8>, LlvmError> {
        let failed = |error: io::Error| LlvmError::Process(error.to_string());
        let Worker { process, folder } = self.worker().map_err(failed)?;
        fs::write(folder.path().join(SOURCE), ir).map_err(failed)?;
        let word = OUTPUTS.iter().find(|it| it.1 == output);
        let (word, _) = word.expect("each output has its word");
        let answer = process.ask(&format!("{word} {processor}"), LIMIT);
        let (line, process) = match answer.map_err(failed)? {
            Answer::Line(line, process) => (line, process),
            Answer::Ended(outcome) => {
                return Err(LlvmError::Ended {
                    end: outcome.end,
                    messages: outcome.messages.trim().to_owned(),
                });
            }
        };
        let text = fs::read(folder.path().join(OUTPUT)).map_err(failed)?;
        let result = match line.trim_end() {
            DONE => Ok(text),
            FAILED => Err(LlvmError::Compile(
                String::from_utf8_lossy(&text).into_owned(),
            )),
            other => return Err(LlvmError::Process(format!("it answers {other:?}"))),
        };
        self.idle().push(Worker { process, folder });
        result
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Worker>> {
        // A thread that panicked with the lock has changed nothing.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an idle process, or a new one.
    fn worker(&self) -> io::Result<Worker> {
        let idle = self.idle().pop();
        // One that was ended from outside must not cost a compilation.
        if let Some(worker) = idle.filter(|it| !it.process.has_ended()) {
            return Ok(worker);
        }
        let folder = tempfile::Builder::new()
            .prefix("wavetune-llvm-")
            .tempdir()?;
        let LlvmProcess {
            sandbox,
            program,
            arguments,
        } = &self.process;
        let tools = [&*self.library];
        let mut command =
            child_process::command(sandbox.as_ref(), program, &tools, Some(folder.path()));
        // In the order of `serve_parent`.
        command
            .args(arguments)
            .arg(&self.library)
            .arg(folder.path());
        Ok(Worker {
            process: Coprocess::start(command)?,
            folder,
        })
    }
}

/// Runs as an LLVM process. For each line of standard input, compiles the IR that the parent has
/// put into a folder and writes the output there. The arguments are a libLLVM and the folder.
///
/// # Errors
///
/// The library cannot be loaded, or the files fail. The parent reads the error from standard error.
pub fn serve_parent(arguments: &[OsString]) -> Result<(), String> {
    let [library, folder] = arguments else {
        return Err("a library and a folder were expected".to_owned());
    };
    let folder = Path::new(folder);
    let failed = |error: io::Error| error.to_string();
    let llvm = Llvm::load(Path::new(library)).map_err(|error| error.to_string())?;
    for question in io::stdin().lock().lines() {
        let question = question.map_err(failed)?;
        let (word, processor) = question.split_once(' ').unwrap_or_default();
        let known = OUTPUTS.iter().find(|it| it.0 == word);
        let &(_, output) = known.ok_or("a line is an output and a processor")?;
        let ir = fs::read_to_string(folder.join(SOURCE)).map_err(failed)?;
        let (answer, text) = match llvm.compile(&ir, processor, output) {
            Ok(compiled) => (DONE, compiled),
            Err(LlvmError::Compile(reason)) => (FAILED, reason.into_bytes()),
            Err(error) => return Err(error.to_string()),
        };
        fs::write(folder.join(OUTPUT), text).map_err(failed)?;
        let mut standard = io::stdout().lock();
        writeln!(standard, "{answer}")
            .and_then(|()| standard.flush())
            .map_err(failed)?;
    }
    Ok(())
}
