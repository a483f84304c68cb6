//! The shell of the demo: a folder for its commands, and the programs behind their names.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail};

use crate::step::{self, StepFailure};
use crate::tools;

/// Lines shown of a failing command: iree-compile prints the whole module after its error.
const SHOWN_LINES: usize = 3;

/// Runs `wavetune` and `iree-compile` in a folder that is removed at the end.
pub(super) struct Shell {
    folder: PathBuf,
    wavetune: PathBuf,
    iree_compile: PathBuf,
}

impl Shell {
    /// Creates a folder in `target`, for commands of this wavetune and of the iree-compile that
    /// it finds.
    pub(super) fn new(target: &Path, wavetune: PathBuf) -> Result<Shell> {
        let folder = target.join(format!("demo-{}", std::process::id()));
        // Fails for an existing folder, which could be another demo's.
        std::fs::create_dir(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(Shell {
            folder,
            wavetune,
            iree_compile: tools::iree_compile().context("iree-compile has gone since setup")?,
        })
    }

    /// Returns the folder of the commands.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Prints a command and prepares it; its first word is `wavetune` or `iree-compile`.
    pub(super) fn command(&self, words: &[&str]) -> Result<Command> {
        let program = match words[0] {
            "wavetune" => &self.wavetune,
            "iree-compile" => &self.iree_compile,
            other => bail!("the demo does not run {other}"),
        };
        println!("$ {}", text(words));
        let mut command = Command::new(program);
        command
            .args(&words[1..])
            .current_dir(&self.folder)
            .stdin(Stdio::null());
        Ok(command)
    }

    /// Runs a command that must succeed. It prints to this terminal.
    pub(super) fn run(&self, words: &[&str]) -> Result<()> {
        let status = self.command(words)?.status()?;
        if status.success() {
            Ok(())
        } else {
            failed(words, &status.to_string())
        }
    }

    /// Runs a command that must succeed. Returns its standard output.
    pub(super) fn prints(&self, words: &[&str]) -> Result<String> {
        let Output {
            status,
            stdout,
            stderr,
        } = self.command(words)?.output()?;
        if !status.success() {
            eprint!("{}", String::from_utf8_lossy(&stderr));
            return failed(words, &status.to_string());
        }
        Ok(String::from_utf8_lossy(&stdout).into_owned())
    }

    /// Runs a command that must fail. Prints the first lines of its errors and returns all.
    pub(super) fn fails(&self, words: &[&str]) -> Result<String> {
        let Output { status, stderr, .. } = self.command(words)?.output()?;
        let said = String::from_utf8_lossy(&stderr).into_owned();
        for line in said.lines().take(SHOWN_LINES) {
            println!("{line}");
        }
        println!("… ({status})");
        if status.success() {
            failed(words, "it succeeded, which it should not")
        } else {
            Ok(said)
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.folder) {
            eprintln!("xtask: cannot remove {}: {error}", self.folder.display());
        }
    }
}

fn text(words: &[&str]) -> String {
    let mut shown = Command::new(words[0]);
    shown.args(&words[1..]);
    step::text(&shown)
}

fn failed<T>(words: &[&str], outcome: &str) -> Result<T> {
    Err(StepFailure(format!("demo: `{}`: {outcome}", text(words))).into())
}
