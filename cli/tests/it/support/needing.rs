//! Tests that need something of the machine: without it they are ignored, with the reason as their kind.

use std::env;

use ::sandbox::Sandbox;
use testing::{Failed, Trial};

/// What is not there.
#[derive(Debug, Clone)]
pub(crate) struct Lack {
    reason: String,
    /// Whether somebody who makes a machine for these tests has forgotten it: in CI they fail then.
    is_forgotten: bool,
}

impl Lack {
    /// A tool that is not installed.
    pub(crate) fn of_tool(missing: impl ToString) -> Lack {
        Lack {
            reason: missing.to_string(),
            is_forgotten: true,
        }
    }

    /// The test that has it not.
    pub(crate) fn mark(&self, trial: Trial) -> Trial {
        let fails = self.is_forgotten && env::var_os("CI").is_some();
        trial.with_kind(&self.reason).with_ignored_flag(!fails)
    }

    /// A sandbox; a container may not let it be made.
    pub(crate) fn of_sandbox() -> Option<Lack> {
        let refusal = Sandbox::find().err()?;
        Some(Lack {
            reason: refusal.to_string(),
            is_forgotten: refusal.is_of_installation(),
        })
    }
}

/// A test with what it has not.
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
