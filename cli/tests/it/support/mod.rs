//! Code that several suites share.

pub(crate) mod bed;
pub(crate) mod needing;
pub(crate) mod on_file;
pub(crate) mod running;
pub(crate) mod states;

/// Returns the number of trials of a tune that are correct, or only timed.
pub(crate) fn faultless(answer: &serde_json::Value) -> u64 {
    let count = |status: &str| answer["trials"][status].as_u64().unwrap_or_default();
    count("right") + count("timed")
}

/// Counts the lines of an error, without a problem's text, its caret and the help below them.
pub(crate) fn error_lines(said: &str) -> usize {
    let is_own = |line: &&str| !line.starts_with("  ") && !line.starts_with("help: ");
    said.trim_end().lines().filter(is_own).count()
}
