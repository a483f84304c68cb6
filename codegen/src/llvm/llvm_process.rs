//! LLVM in processes of its own, and in a sandbox if there is one.
//!
//! A crash of LLVM then costs one compilation, not the caller's process. Each process runs the
//! caller's own program, which then calls [`serve_parent`]. It loads libLLVM once, and compiles
//! until it crashes or the parent ends.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use codegen_sandbox::Sandbox;

use super::{Llvm, LlvmError, LlvmOutput};
use crate::child_process::{self, Answer, Coprocess, Message};

/// The time limit of one compilation. A batch takes 0.3 s, or several times that on a busy
/// machine.
const LIMIT: Duration = Duration::from_secs(60);

/// The words that ask for an output, before the processor. The content is the IR.
const OUTPUTS: [(&str, LlvmOutput); 2] = [
    ("object", LlvmOutput::Object),
    ("assembly", LlvmOutput::Assembly),
];

/// The words of the answers. Their content is the output, or LLVM's diagnostics.
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

/// The LLVM processes of a libLLVM. Each thread that compiles has one to itself meanwhile.
#[derive(Debug)]
pub(crate) struct LlvmWorkers {
    process: LlvmProcess,
    library: PathBuf,
    idle: Mutex<Vec<Coprocess>>,
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
    /// [`LlvmError::Process`] if no process can be started, or if it answers something else.
    pub(crate) fn compile(
        &self,
        ir: &str,
        processor: &str,
        output: LlvmOutput,
    ) -> Result<Vec<u8>, LlvmError> {
        let failed = |error: io::Error| LlvmError::Process(error.to_string());
        let word = OUTPUTS.iter().find(|it| it.1 == output);
        let (word, _) = word.expect("each output has its word");
        let question = Message {
            words: format!("{word} {processor}"),
            content: ir.as_bytes().to_owned(),
        };
        let answer = self.process().map_err(failed)?.ask(question, LIMIT);
        let (answer, process) = match answer.map_err(failed)? {
            Answer::Message(answer, process) => (answer, process),
            Answer::Ended(outcome) => {
                return Err(LlvmError::Ended {
                    end: outcome.end,
                    messages: outcome.messages.trim().to_owned(),
                });
            }
        };
        let result = match answer.words.as_str() {
            DONE => Ok(answer.content),
            FAILED => Err(LlvmError::Compile(
                String::from_utf8_lossy(&answer.content).into_owned(),
            )),
            other => return Err(LlvmError::Process(format!("it answers {other:?}"))),
        };
        self.idle().push(process);
        result
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Coprocess>> {
        // A thread that panicked with the lock has changed nothing.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an idle process, or a new one.
    fn process(&self) -> io::Result<Coprocess> {
        let idle = self.idle().pop();
        // One that was ended from outside must not cost a compilation.
        if let Some(process) = idle.filter(|it| !it.has_ended()) {
            return Ok(process);
        }
        let LlvmProcess {
            sandbox,
            program,
            arguments,
        } = &self.process;
        let mut command = child_process::command(sandbox.as_ref(), program, &[&self.library], None);
        command.args(arguments).arg(&self.library);
        Coprocess::start(command)
    }
}

/// Runs as an LLVM process: compiles each message of standard input, and answers on standard
/// output. The only argument is a libLLVM.
///
/// # Errors
///
/// The library cannot be loaded, or a message is not a parent's. The parent reads the error from
/// standard error.
pub fn serve_parent(arguments: &[OsString]) -> Result<(), String> {
    let [library] = arguments else {
        return Err("a library was expected".to_owned());
    };
    let failed = |error: io::Error| error.to_string();
    let llvm = Llvm::load(Path::new(library)).map_err(|error| error.to_string())?;
    let (mut input, mut answers) = (io::stdin().lock(), io::stdout().lock());
    while let Some(Message { words, content }) = Message::read(&mut input).map_err(failed)? {
        let (word, processor) = words.split_once(' ').unwrap_or_default();
        let known = OUTPUTS.iter().find(|it| it.0 == word);
        let &(_, output) = known.ok_or("a message is an output, a processor and IR")?;
        let ir = String::from_utf8(content).map_err(|error| error.to_string())?;
        let (words, content) = match llvm.compile(&ir, processor, output) {
            Ok(compiled) => (DONE, compiled),
            Err(LlvmError::Compile(reason)) => (FAILED, reason.into_bytes()),
            Err(error) => return Err(error.to_string()),
        };
        let answer = Message {
            words: words.to_owned(),
            content,
        };
        answer.write(&mut answers).map_err(failed)?;
    }
    Ok(())
}
