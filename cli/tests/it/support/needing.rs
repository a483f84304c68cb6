//! Tests that need a tool of the machine: without it they are ignored, with the reason as their
//! kind.

use std::env;

use codegen_sandbox::Sandbox;
use testing::{Failed, Trial};

/// A missing tool.
#[derive(Debug, Clone)]
pub(crate) struct Lack {
    reason: String,
    /// True if the tool should have been installed: in CI the tests then fail.
    is_forgotten: bool,
}

impl Lack {
    /// Creates the lack of a tool that is not installed.
    pub(crate) fn of_tool(missing: impl ToString) -> Lack {
        Lack {
            reason: missing.to_string(),
            is_forgotten: true,
        }
    }

    /// Marks a test that lacks the tool.
    pub(crate) fn mark(&self, trial: Trial) -> Trial {
        let fails = self.is_forgotten && env::var_os("CI").is_some();
        trial.with_kind(&self.reason).with_ignored_flag(!fails)
    }

    /// Returns the lack of a sandbox, which a container may forbid.
    pub(crate) fn of_sandbox() -> Option<Lack> {
        let refusal = Sandbox::find().err()?;
        Some(Lack {
            reason: refusal.to_string(),
            is_forgotten: refusal.is_of_installation(),
        })
    }
}

/// Creates a test with its lack, if there is one.
pub(crate) fn needing(
    (name, test): (&str, fn() -> Result<(), Failed>),
    lack: Option<&Lack>,
) -> Trial {
    let trial = Trial::test(name, test);
    match lack {
        Some(lack) => lack.mark(trial),
        None => trial,
    }
}
