//! Output: the two formats, and the pieces of human-readable text that several subcommands print.

use std::io::{self, Write};

use answers::AnswerSchema;
use clap::ValueEnum;
use store::Unreadable;

use crate::database::without_password;

/// The reader of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// A person.
    Text,
    /// A program: JSON on standard output.
    Json,
}

/// Prints an answer as JSON on a line of its own.
pub(crate) fn print_json(answer: &impl AnswerSchema) -> anyhow::Result<()> {
    print(&(answers::line(answer) + "\n"))
}

/// Prints text as it is.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

/// Prints a summary of the rows that an answer leaves out to standard error.
pub(crate) fn tell_unreadable(unreadable: &Unreadable) {
    if !unreadable.is_none() {
        eprintln!("skipped: {unreadable}");
    }
}

/// Formats a kernel's largest error, a fraction of the allowed bound.
pub(crate) fn error_text(share: f64) -> String {
    match share {
        0.0 => "0".to_owned(),
        _ => format!("{share:.1e}"),
    }
}

/// Formats a number of table entries.
pub(crate) fn entries_text(entries: usize) -> String {
    match entries {
        1 => "1 entry".to_owned(),
        many => format!("{many} entries"),
    }
}

/// Returns the command line of this process, quoted for a shell, without a database password.
pub(crate) fn command_line() -> String {
    let words = std::env::args_os().map(|word| quoted(&without_password(&word.to_string_lossy())));
    words.collect::<Vec<_>>().join(" ")
}

/// Quotes a word if a shell would interpret some of its characters.
pub(crate) fn quoted(word: &str) -> String {
    // Characters outside this set get quotes even if some shells do not need them.
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+:,./@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        // Single quotes have no escape: the text is closed, a quote added, and the text reopened.
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Returns clap's usage error on two lines: the fault, then clap's tips and a pointer to `--help`.
pub(crate) fn fault_and_help(error: &str) -> String {
    // clap separates the error, its tips and the usage by empty lines.
    let mut paragraphs = error.split("\n\n");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let wrong = words(paragraphs.next().unwrap_or_default());
    let tips =
        paragraphs.map_while(|paragraph| words(paragraph).strip_prefix("tip: ").map(str::to_owned));
    let tips: Vec<String> = tips.collect();
    let tips = tips.iter().flat_map(|tip| tip.split(" tip: "));
    // A misspelt option is no value: what stands behind `--` is for iree-compile.
    let tips = tips.filter(|tip| !tip.starts_with("to pass '"));
    let tips: String = tips.map(|tip| format!("{tip}; ")).collect();
    format!("{wrong}\nhelp: {tips}see --help")
}

/// Returns an error and its causes on one line. Omits a cause that the text already contains.
pub(crate) fn chain(error: &anyhow::Error) -> String {
    let mut told = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // Some errors already contain the text of their source.
        if !told.contains(&cause) {
            told = format!("{told}: {cause}");
        }
    }
    told
}

/// Returns whether the reader of standard output has closed it (`wavetune … | head`).
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        #[track_caller]
        fn check(error: anyhow::Error, expected: &str) {
            assert_eq!(chain(&error), expected);
        }
        let full = || anyhow::anyhow!("disk is full");
        check(full(), "disk is full");
        check(full().context("x.db"), "x.db: disk is full");
        check(
            full()
                .context("x.db: disk is full")
                .context("x.db: disk is full"),
            "x.db: disk is full",
        );
        check(
            full().context("x.db: disk is full").context("no trial"),
            "no trial: x.db: disk is full",
        );
    }

    #[test]
    fn a_usage_error_is_one_line_with_its_tips() {
        #[track_caller]
        fn check(error: &str, expected: &str) {
            assert_eq!(fault_and_help(error), expected);
        }
        check(
            "error: no\n  such thing\n\nUsage: x",
            "error: no such thing\nhelp: see --help",
        );
        check(
            "error: what\n\n  tip: some similar\n  things exist\n  tip: more\n\nUsage: x\n\nFor more",
            "error: what\nhelp: some similar things exist; more; see --help",
        );
    }

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        #[track_caller]
        fn check(word: &str, expected: &str) {
            assert_eq!(quoted(word), expected);
        }
        check("--budget", "--budget");
        check("argmax:4x[8]xf32", "'argmax:4x[8]xf32'");
        check("", "''");
        check("~/x", "'~/x'");
        check("it's", r"'it'\''s'");
    }
}
