//! Code that several suites share.

pub(crate) mod bed;
pub(crate) mod needing;
pub(crate) mod on_file;
pub(crate) mod running;
pub(crate) mod states;

/// Counts the lines of an error, without a problem's text, its caret and the help below them.
pub(crate) fn error_lines(said: &str) -> usize {
    let is_own = |line: &&str| !line.starts_with("  ") && !line.starts_with("help: ");
    said.trim_end().lines().filter(is_own).count()
}
