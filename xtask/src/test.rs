//! `cargo xtask test`: the checks, then every test.

use std::process::Command;

use anyhow::{Context, Result};

use crate::check;
use crate::setup;
use crate::step::{self, Timings};
use crate::tools;
use crate::workspace;

/// How much is tested.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// What is tested at every change.
    Quick,
    /// Also the tests that are ignored because they take long.
    Full,
}

/// Runs everything up to the first step that fails.
///
/// The doc tests come before nextest, so that nextest's closing lines close the output.
pub(crate) fn run(scope: Scope) -> Result<()> {
    let mut timings = Timings::default();
    timings.time("setup", || setup::run(setup::For::Tests))?;
    check::steps(&mut timings)?;
    timings.time("doc tests", || {
        step::run(check::cargo().args(["test", "--doc", "--workspace", "--quiet"]))
    })?;
    timings.time("tests", || step::run(&mut nextest(scope)?))?;
    println!("\n{timings}");
    Ok(())
}

/// The runner is called by its path, because the one that `setup` builds is not in `PATH`.
fn nextest(scope: Scope) -> Result<Command> {
    let program = tools::nextest().context("cargo-nextest has gone since setup saw it")?;
    let mut nextest = Command::new(program);
    nextest.current_dir(workspace::root());
    nextest.args(["nextest", "run", "--workspace", "--profile"]);
    match scope {
        Scope::Quick => nextest.arg("ci"),
        Scope::Full => nextest.args(["full", "--run-ignored", "all"]),
    };
    Ok(nextest)
}
