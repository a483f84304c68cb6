//! The end of a compilation without a kernel.

use std::time::Duration;

use super::IreeError;
use codegen::child_process::{ChildEnd, ChildOutcome};

/// The length of a message, in characters; an operation in the generic form can have thousands.
const MESSAGE_LENGTH: usize = 300;

/// Returns the compiler's message as an error, unless it succeeded.
pub(super) fn outcome(ended: ChildOutcome, limit: Duration) -> Result<(), IreeError> {
    let message = first_error(&ended.messages);
    of(ended.end, message, limit)
}

/// Returns the same for a user's module, with the line and column of the error.
pub(super) fn outcome_of_module(ended: ChildOutcome, limit: Duration) -> Result<(), IreeError> {
    let message = first_error(&ended.messages);
    let message = match place(&ended.messages) {
        Some((line, column)) => format!("line {line}, column {column}: {message}"),
        None => message,
    };
    of(ended.end, message, limit)
}

fn of(end: ChildEnd, message: String, limit: Duration) -> Result<(), IreeError> {
    match end {
        ChildEnd::Success => Ok(()),
        ChildEnd::TimedOut => Err(IreeError::TimedOut { limit }),
        ChildEnd::Signal(signal) => Err(IreeError::Crashed { signal, message }),
        ChildEnd::Failure => Err(IreeError::Rejected { message }),
    }
}

/// Returns the line and column of the first error.
fn place(messages: &str) -> Option<(u32, u32)> {
    let mut lines = messages.lines();
    let (place, _) = lines.find_map(|line| line.split_once(": error: "))?;
    // From the end, because a path may contain colons.
    let mut parts = place.rsplitn(3, ':');
    let (column, line) = (parts.next()?, parts.next()?);
    Some((line.parse().ok()?, column.parse().ok()?))
}

/// Returns the first error message: the text of `place: error: message` or `LLVM ERROR: message`,
/// or else the first line.
fn first_error(messages: &str) -> String {
    let lines = || messages.lines().map(str::trim);
    let error = lines().find_map(|line| line.split_once("error: "));
    let fatal = || lines().find_map(|line| line.split_once("LLVM ERROR: "));
    let message = error.or_else(fatal).map(|(_place, message)| message);
    let message = message.or_else(|| lines().find(|line| !line.is_empty()));
    cut(message.unwrap_or("no message"))
}

pub(super) fn cut(message: &str) -> String {
    let mut characters = message.chars();
    let mut text: String = characters.by_ref().take(MESSAGE_LENGTH).collect();
    if characters.next().is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_error(messages: &str, expected: &str) {
        assert_eq!(first_error(messages), expected);
    }

    #[test]
    fn the_first_meaningful_line_of_a_failure() {
        check_error(
            "dir/configured.mlir:8:6: error: 'func.func' op failed to distribute\n  func.func @main\n",
            "'func.func' op failed to distribute",
        );
        check_error(
            "<unknown>:0: warning: a\nmodule.mlir:3:1: error: first\nmodule.mlir:9:1: error: second\n",
            "first",
        );
        check_error(
            "LLVM ERROR: Do not know how to promote this operator!\nStack dump:\n",
            "Do not know how to promote this operator!",
        );
        check_error(
            "\n  iree-compile: Unknown argument\n",
            "iree-compile: Unknown argument",
        );
        check_error("", "no message");
        check_error(
            &format!("a: error: {}", "é".repeat(1000)),
            &format!("{}…", "é".repeat(MESSAGE_LENGTH)),
        );
    }

    #[track_caller]
    fn check_place(messages: &str, expected: Option<(u32, u32)>) {
        assert_eq!(place(messages), expected);
    }

    #[test]
    fn locations_of_errors_in_a_module() {
        let lines = "a:1:2: warning: no\n/tmp/x:y/model:17:5: error: bad\nz:3:4: error: worse\n";
        check_place(lines, Some((17, 5)));
        check_place("model:17: error: bad\n", None);
        check_place("LLVM ERROR: bad\n", None);
        check_place("", None);
    }

    #[track_caller]
    fn check_outcome(end: ChildEnd, expected: &str) {
        let ended = ChildOutcome {
            end,
            output: String::new(),
            messages: "m.mlir:1:1: error: bad tile\n".to_owned(),
        };
        let error = outcome(ended, Duration::from_millis(2500)).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn every_end_but_success_is_an_error_of_its_own() {
        check_outcome(ChildEnd::Failure, "iree-compile: bad tile");
        check_outcome(
            ChildEnd::Signal(6),
            "iree-compile crashed with signal 6: bad tile",
        );
        check_outcome(
            ChildEnd::TimedOut,
            "iree-compile was stopped at its time limit of 2.5 s",
        );
    }
}
