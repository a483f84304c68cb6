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
    let purpose = match scope {
        Scope::Quick => setup::For::Tests,
        Scope::Full => setup::For::LongTests,
    };
    timings.time("setup", || setup::run(purpose))?;
    check::steps(&mut timings)?;
    timings.time("doc tests", || {
        step::run(workspace::cargo().args(["test", "--doc", "--workspace", "--quiet"]))
    })?;
    timings.time("tests", || step::run(&mut nextest(scope)?))?;
    if scope == Scope::Full {
        timings.time("measurements", measurements)?;
        timings.time("traces", || step::run(&mut traces()))?;
        timings.time("miri", miri)?;
    }
    println!("\n{timings}");
    Ok(())
}

/// The runner is called by its path, because the one that `setup` builds is not in `PATH`.
fn nextest(scope: Scope) -> Result<Command> {
    let program = tools::nextest().context("cargo-nextest has gone since setup saw it")?;
    let mut nextest = workspace::builder(program);
    nextest.args(["nextest", "run", "--workspace", "--profile"]);
    match scope {
        Scope::Quick => nextest.arg("ci"),
        Scope::Full => nextest.args(["full", "--run-ignored", "all"]),
    };
    Ok(nextest)
}

/// How much a service and a fleet answer: figures with limits, of the program as users build it. The long tests are a debug
/// build, so their profile leaves these out.
fn measurements() -> Result<()> {
    for (test, filter) in [("load", None), ("fleet", Some("replayed"))] {
        let mut tests = workspace::cargo();
        tests.args(["test", "--release", "--package", "wavetune"]);
        tests.args(["--test", test, "--", "--ignored", "--nocapture"]);
        step::run(tests.args(filter))?;
    }
    Ok(())
}

/// The tests of what is in a program only where it is asked for.
fn traces() -> Command {
    let mut tests = workspace::cargo();
    tests.args(["test", "--package", "wavetune", "--all-features"]);
    tests.args(["--test", "traces"]);
    tests
}

/// The tests of shared memory under Miri, which a nightly toolchain may have: it looks whether the `unsafe` code keeps
/// its word.
fn miri() -> Result<()> {
    let cargo = || {
        let mut cargo = workspace::cargo();
        // Not the toolchain that cargo has told this process to use.
        cargo.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
        cargo.args(["+nightly", "miri"]);
        cargo
    };
    if !step::succeeds(cargo().arg("--version")) {
        println!(
            "skipped: no `miri` component in a nightly toolchain (`rustup +nightly component add miri rust-src`)"
        );
        return Ok(());
    }
    let mut tests = cargo();
    // Some look at the clock.
    tests.env("MIRIFLAGS", "-Zmiri-disable-isolation");
    tests
        .args(["test", "-p", "emulator", "--lib", "--"])
        .args(CORE);
    step::run(&mut tests)
}

/// Tests of the emulator that Miri runs in seconds; those of the executor take it many minutes.
const CORE: [&str; 2] = ["shared::", "memory::"];
