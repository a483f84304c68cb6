//! `cargo xtask demo`: the main job, from a problem to a module that only compiles with our answer.

use anyhow::{Context, Result};

/// Trials of the first tuning, if the user does not say.
pub(crate) const BUDGET: u32 = 128;

/// Reads the value of `--budget`.
pub(crate) fn parse_budget(text: &str) -> Result<u32> {
    let trials = text.parse().ok().filter(|trials| *trials > 0);
    trials.with_context(|| format!("--budget {text}: not a number of trials from 1 on"))
}

/// Runs it.
pub(crate) fn run(_budget: u32) -> Result<()> {
    anyhow::bail!("later")
}
