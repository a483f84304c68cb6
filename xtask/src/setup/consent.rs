//! The user's consent to install packages as root.

use std::io::{BufRead, IsTerminal, Write};

use anyhow::Result;

/// The argument that consents without a question.
pub(crate) const FLAG: &str = "--install";

/// The kind of the user's consent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Consent {
    /// By [`FLAG`], or because `CI` is set.
    Given,
    /// By an answer at the terminal.
    Question,
    /// None: nobody can answer.
    Refused,
}

impl Consent {
    /// Returns the consent for this process.
    pub(super) fn of_process() -> Consent {
        let is_told = std::env::args().any(|argument| argument == FLAG);
        let is_in_ci = std::env::var_os("CI").is_some();
        // A question must be seen and answered.
        let has_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        Consent::of(is_told || is_in_ci, has_terminal)
    }

    fn of(is_told: bool, has_terminal: bool) -> Consent {
        match (is_told, has_terminal) {
            (true, _) => Consent::Given,
            (false, true) => Consent::Question,
            (false, false) => Consent::Refused,
        }
    }

    /// Returns true if the user agrees to `command`, after a question if one is due.
    pub(super) fn covers(self, command: &str) -> Result<bool> {
        match self {
            Consent::Given => Ok(true),
            Consent::Question => ask(command, std::io::stdin().lock(), std::io::stdout().lock()),
            Consent::Refused => Ok(false),
        }
    }
}

/// Shows the command and reads the answer; only `y` and `yes` agree.
fn ask(command: &str, mut input: impl BufRead, mut output: impl Write) -> Result<bool> {
    write!(
        output,
        "This installs packages of the distribution and starts no service:\n\n    {command}\n\nRun it? [y/N] "
    )?;
    output.flush()?;
    let mut answer = String::new();
    input.read_line(&mut answer)?;
    Ok(matches!(
        answer.trim().to_ascii_lowercase().as_str(),
        "y" | "yes"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_consents_and_a_terminal_can_be_asked() {
        assert_eq!(Consent::of(true, false), Consent::Given);
        assert_eq!(Consent::of(true, true), Consent::Given);
        assert_eq!(Consent::of(false, true), Consent::Question);
        assert_eq!(Consent::of(false, false), Consent::Refused);
        assert!(!Consent::Refused.covers("apt-get install lld-22").unwrap());
    }

    #[track_caller]
    fn check(answer: &str, expected: bool) {
        let mut shown = Vec::new();
        let agrees = ask("apt-get install lld-22", answer.as_bytes(), &mut shown).unwrap();
        assert_eq!(agrees, expected, "{answer:?}");
        let shown = String::from_utf8(shown).unwrap();
        assert!(shown.contains("    apt-get install lld-22\n"), "{shown}");
    }

    #[test]
    fn only_a_yes_agrees() {
        check("y\n", true);
        check(" Yes \n", true);
        check("n\n", false);
        check("\n", false);
        // The end of the input.
        check("", false);
        check("yesterday\n", false);
    }
}
