//! Confirmation before a command removes something.

use std::io::{self, BufRead, IsTerminal, Write};

use anyhow::bail;
use clap::Args;

/// The option that answers the question in advance.
#[derive(Args)]
pub(crate) struct Confirmation {
    /// Skip the confirmation prompt.
    ///
    /// If standard input is not a terminal, the command requires this option and otherwise changes
    /// nothing.
    #[arg(long)]
    yes: bool,
}

impl Confirmation {
    /// Asks the user. Returns whether to continue.
    pub(crate) fn ask(&self, what: &str) -> anyhow::Result<bool> {
        if self.yes {
            return Ok(true);
        }
        if !io::stdin().is_terminal() {
            bail!("cannot ask whether to {what}: standard input is not a terminal; --yes confirms");
        }
        // Standard output carries only the answer, so the question is on standard error.
        eprint!("{what}? [y/N] ");
        io::stderr().flush()?;
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer)?;
        Ok(is_yes(&answer))
    }
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

#[test]
fn only_yes_is_yes() {
    for answer in ["y\n", "Yes", " YES \n"] {
        assert!(is_yes(answer), "{answer:?}");
    }
    for answer in ["", "\n", "n\n", "yess", "y y"] {
        assert!(!is_yes(answer), "{answer:?}");
    }
}
