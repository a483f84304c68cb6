//! Programs that run for a limited time.

use std::fs::File;
use std::io::{Read, Seek};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// Time after which a program counts as hung. It normally takes a second, more on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);
/// Most characters shown of a program's output.
const SHOWN: usize = 3000;

/// A program's status, and its texts on both outputs.
pub struct ProgramOutput {
    /// The exit code, or the signal.
    pub status: ExitStatus,
    /// The text on standard output.
    pub output: String,
    /// The text on standard error.
    pub errors: String,
}

impl ProgramOutput {
    /// Formats the whole as the reason of a test's failure.
    pub fn reason(&self) -> String {
        let shown = |text: &str| text.chars().take(SHOWN).collect::<String>();
        let (output, errors) = (shown(&self.output), shown(&self.errors));
        format!("{}\n{output}{errors}", self.status)
    }
}

/// Runs a program to its end, or to the time limit.
///
/// # Errors
///
/// If it cannot be started, or does not end.
pub fn end_of(command: &mut Command) -> Result<ProgramOutput, String> {
    match run(command) {
        Ok(Some(ended)) => Ok(ended),
        Ok(None) => Err(format!("{command:?} did not end")),
        Err(error) => Err(error.to_string()),
    }
}

fn run(command: &mut Command) -> std::io::Result<Option<ProgramOutput>> {
    // Files, because a full pipe would block a program that nobody reads from.
    let (mut output, mut errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command
        .stdout(output.try_clone()?)
        .stderr(errors.try_clone()?);
    let mut child = command.spawn()?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > LIMIT {
            child.kill()?;
            // Without it the process would stay a zombie.
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    Ok(Some(ProgramOutput {
        status,
        output: said(&mut output)?,
        errors: said(&mut errors)?,
    }))
}

fn said(file: &mut File) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
