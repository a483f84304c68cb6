//! A step: one command of a task, printed before it runs, always with empty input.

use std::fmt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// A step that ran and failed, as opposed to a task that could not be tried.
#[derive(Debug)]
pub(crate) struct StepFailure(pub(crate) String);

impl fmt::Display for StepFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StepFailure {}

/// Runs a command with this terminal as its output.
///
/// # Errors
///
/// [`StepFailure`] if it ends with anything but 0; another error if it cannot be started.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let text = text(command);
    println!("$ {text}");
    let status = command
        // A command that asks a question must fail instead of waiting.
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start `{text}`"))?;
    if status.success() {
        Ok(())
    } else {
        Err(StepFailure(format!("`{text}`: {status}")).into())
    }
}

/// Returns a command's standard output, or `None` if it does not start or does not succeed.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns true if a command starts and succeeds. Drops its output.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    output(command).is_some()
}

/// Formats a command as a user would type it: quoted for a shell, without the environment.
pub(crate) fn text(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| quoted(&word.to_string_lossy()))
        .collect::<Vec<_>>()
        .join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+:,./@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The steps of a task and their durations, for the summary at its end.
#[derive(Default)]
pub(crate) struct Timings(Vec<(&'static str, Duration)>);

impl Timings {
    /// Runs one step under a heading, and records its duration.
    pub(crate) fn time<T>(
        &mut self,
        name: &'static str,
        step: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        println!("\n== {name}");
        let start = Instant::now();
        let result = step();
        self.0.push((name, start.elapsed()));
        result
    }
}

impl fmt::Display for Timings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, duration) in &self.0 {
            writeln!(f, "{:>8.1} s  {name}", duration.as_secs_f64())?;
        }
        let total: Duration = self.0.iter().map(|(_, duration)| *duration).sum();
        write!(f, "{:>8.1} s  in all", total.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[track_caller]
    fn check(word: &str, expected: &str) {
        assert_eq!(quoted(word), expected);
    }

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        check("lookup", "lookup");
        check("--db", "--db");
        check("iree-base-compiler==3.13.0", "iree-base-compiler==3.13.0");
        check("argmax:4x[32000]xf32", "'argmax:4x[32000]xf32'");
        check("", "''");
        check("a b", "'a b'");
        check("it's", r"'it'\''s'");
    }
}
