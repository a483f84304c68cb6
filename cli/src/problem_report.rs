//! Errors of a problem's text, with the text and a caret below the fault.

use configgen::{Problem, ProblemError};

/// The form of a problem, for a fault without a suggestion of its own.
const FORM: &str =
    "a problem is OPERATION:DIMENSIONSxTYPE[:OPTION], such as 'argmax:4x[32000]xf32'";

/// Words before the name of a similar operation in the parser's message.
const MEANT: &str = "did you mean \"";

/// Returns the lines of an error: the message `told`, the text, a caret, and help. Returns `None`
/// if the error has no text of a problem, or the caret would stand behind its shown part.
pub(crate) fn lines(error: &anyhow::Error, told: &str) -> Option<String> {
    let fault = error
        .chain()
        .find_map(|it| it.downcast_ref::<ProblemError>())?;
    let ProblemError {
        text,
        position,
        message,
    } = fault;
    // A control character would move the caret.
    if *position > text.chars().count() || text.chars().any(char::is_control) {
        return None;
    }
    let meant = message
        .strip_prefix(MEANT)
        .and_then(|it| it.split_once("\"? "));
    let (shown, help) = match meant {
        Some((name, rest)) => {
            let help = match text.split_once(':') {
                Some((_, rest)) => corrected(name, rest),
                None => format!("did you mean \"{name}\"?"),
            };
            (rest, help)
        }
        None => (message.as_str(), FORM.to_owned()),
    };
    // The text is below, so the message needs no second copy.
    let told = told
        .replacen(&format!("problem {text:?}, "), "", 1)
        .replacen(message.as_str(), shown, 1);
    let caret = " ".repeat(*position);
    Some(format!("error: {told}\n  {text}\n  {caret}^\nhelp: {help}"))
}

/// Moves a suggestion at the end of an error to a line of its own.
pub(crate) fn with_help(told: &str) -> String {
    let meant = "did you mean ";
    match told.rsplit_once(&format!("; {meant}")) {
        Some((fault, name)) if name.ends_with('?') => {
            format!("error: {fault}\nhelp: {meant}{name}")
        }
        _ => format!("error: {told}"),
    }
}

/// Returns the suggestion of a name, with the whole problem if that is one.
fn corrected(name: &str, rest: &str) -> String {
    let whole = format!("{name}:{rest}");
    match whole.parse::<Problem>() {
        Ok(_) => format!("did you mean '{whole}'?"),
        Err(_) => format!("did you mean \"{name}\"?"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::chain;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let error = anyhow::Error::from(text.parse::<Problem>().unwrap_err());
        let error = error.context("shapes.txt, line 2");
        assert_eq!(lines(&error, &chain(&error)).as_deref(), Some(expected));
    }

    #[test]
    fn a_caret_stands_below_the_fault() {
        check(
            "argmax:4x[32000xf32",
            "error: shapes.txt, line 2: character 16: a reduced dimension ends with \"]\"
  argmax:4x[32000xf32
                 ^
help: a problem is OPERATION:DIMENSIONSxTYPE[:OPTION], such as 'argmax:4x[32000]xf32'",
        );
    }

    #[test]
    fn a_misspelt_operation_has_a_suggestion() {
        for (text, meant) in [
            ("argmx:4x[8]xf32", "'argmax:4x[8]xf32'"),
            ("softmx:4x[8]xf32", "'softmax:4x[8]xf32'"),
        ] {
            let error = anyhow::Error::from(text.parse::<Problem>().unwrap_err());
            let lines = lines(&error, &chain(&error)).unwrap();
            let end = format!("\n  {text}\n  ^\nhelp: did you mean {meant}?");
            assert!(lines.ends_with(&end), "{lines}");
            assert_eq!(lines.matches("did you mean").count(), 1, "{lines}");
        }
    }

    #[test]
    fn a_suggestion_has_a_line_of_its_own() {
        #[track_caller]
        fn check(told: &str, expected: &str) {
            assert_eq!(with_help(told), expected);
        }
        check(
            "unknown device \"a\"; did you mean b?",
            "error: unknown device \"a\"\nhelp: did you mean b?",
        );
        check("disk is full", "error: disk is full");
        check("x; did you mean it", "error: x; did you mean it");
    }

    #[test]
    fn a_fault_behind_the_shown_part_has_no_caret() {
        let text = format!("argmax:{}[8]xf33", "1x".repeat(40));
        let error = anyhow::Error::from(text.parse::<Problem>().unwrap_err());
        let found = lines(&error, &chain(&error));
        let shown = found.is_none_or(|lines| lines.contains('^'));
        assert!(shown);
        assert_eq!(
            lines(&anyhow::anyhow!("disk is full"), "disk is full"),
            None
        );
    }
}
