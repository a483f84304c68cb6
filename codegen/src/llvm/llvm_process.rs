//! LLVM in processes of its own, and in a sandbox if there is one.
//!
//! A crash of LLVM then costs one compilation, not the caller's process. Each process runs the
//! caller's own program, which then calls [`serve_parent`]. It loads libLLVM once, and compiles
//! until it crashes or the parent ends.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use codegen_sandbox::Sandbox;

use super::{Llvm, LlvmError, LlvmOutput};
use crate::child_process::{self, Answer, ChildOutcome, Coprocess, Message};

/// The time limit of one compilation. A batch takes 0.3 s, or several times that on a busy
/// machine.
const LIMIT: Duration = Duration::from_secs(60);

/// The first question. The content is the path of a libLLVM.
const LOAD: &str = "load";

/// The words that ask for an output, before the processor. The content is the IR.
const OUTPUTS: [(&str, LlvmOutput); 2] = [
    ("object", LlvmOutput::Object),
    ("assembly", LlvmOutput::Assembly),
];

/// The words of the answers. Their content is the output, or the reason of the failure.
const DONE: &str = "done";
const FAILED: &str = "failed";

/// The command line of an LLVM process, and its sandbox. The program must call [`serve_parent`].
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
    /// [`LlvmError::Process`] if no process can load libLLVM, or if it answers something else.
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
        let (answer, process) = match self.process()?.ask(question, LIMIT).map_err(failed)? {
            Answer::Message(answer, process) => (answer, process),
            Answer::Ended(outcome) => return Err(ended(outcome)),
        };
        let result = result(answer)?.map_err(LlvmError::Compile);
        self.idle().push(process);
        result
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Coprocess>> {
        // A thread that panicked with the lock has changed nothing.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an idle process, or a new one that has loaded libLLVM.
    fn process(&self) -> Result<Coprocess, LlvmError> {
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
        command.args(arguments);
        let question = Message {
            words: LOAD.to_owned(),
            content: self.library.as_os_str().as_bytes().to_owned(),
        };
        let answer = Coprocess::start(command).and_then(|it| it.ask(question, LIMIT));
        // No kernel is to blame before the first one.
        match answer.map_err(|error| LlvmError::Process(error.to_string()))? {
            Answer::Message(answer, process) => match result(answer)? {
                Ok(_) => Ok(process),
                Err(reason) => Err(LlvmError::Process(reason)),
            },
            Answer::Ended(outcome) => Err(LlvmError::Process(ended(outcome).to_string())),
        }
    }
}

/// Reads an answer: a result, or the reason of a failure.
///
/// # Errors
///
/// [`LlvmError::Process`] if it is neither.
fn result(answer: Message) -> Result<Result<Vec<u8>, String>, LlvmError> {
    match answer.words.as_str() {
        DONE => Ok(Ok(answer.content)),
        FAILED => Ok(Err(String::from_utf8_lossy(&answer.content).into_owned())),
        other => Err(LlvmError::Process(format!("it answers {other:?}"))),
    }
}

fn ended(outcome: ChildOutcome) -> LlvmError {
    LlvmError::Ended {
        end: outcome.end,
        messages: outcome.messages.trim().to_owned(),
    }
}

/// Runs as an LLVM process: loads the libLLVM of the first message, compiles each further one, and
/// answers on standard output.
///
/// # Errors
///
/// A message is not a parent's. The parent reads the error from standard error.
pub fn serve_parent() -> Result<(), String> {
    let failed = |error: io::Error| error.to_string();
    let (mut input, mut answers) = (io::stdin().lock(), io::stdout().lock());
    let Some(Message { words, content }) = Message::read(&mut input).map_err(failed)? else {
        return Ok(());
    };
    if words != LOAD {
        return Err("the first message is no libLLVM".to_owned());
    }
    let llvm = match Llvm::load(Path::new(OsStr::from_bytes(&content))) {
        Ok(llvm) => llvm,
        Err(error) => return answer(&mut answers, Err(error.to_string())).map_err(failed),
    };
    answer(&mut answers, Ok(Vec::new())).map_err(failed)?;
    while let Some(Message { words, content }) = Message::read(&mut input).map_err(failed)? {
        let (word, processor) = words.split_once(' ').unwrap_or_default();
        let known = OUTPUTS.iter().find(|it| it.0 == word);
        let &(_, output) = known.ok_or("a message is an output, a processor and IR")?;
        let ir = String::from_utf8(content).map_err(|error| error.to_string())?;
        let compiled = llvm.compile(&ir, processor, output);
        let compiled = compiled.map_err(|error| match error {
            LlvmError::Compile(reason) => reason,
            other => other.to_string(),
        });
        answer(&mut answers, compiled).map_err(failed)?;
    }
    Ok(())
}

/// Writes an answer: a result, or the reason of a failure.
fn answer(to: &mut impl Write, result: Result<Vec<u8>, String>) -> io::Result<()> {
    let (words, content) = match result {
        Ok(content) => (DONE, content),
        Err(reason) => (FAILED, reason.into_bytes()),
    };
    let answer = Message {
        words: words.to_owned(),
        content,
    };
    answer.write(to)
}
