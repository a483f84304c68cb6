//! `cargo xtask test`: the checks, then the tests, and where their time went.

use std::process::Command;

use anyhow::{Context, Result};

use crate::changes::{self, Touched};
use crate::check;
use crate::runner;
use crate::setup;
use crate::step::{self, Timings};
use crate::times::{Budgets, Times};
use crate::tools;
use crate::workspace;

/// How much is tested.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The tests that the branch's changes touch; CI's part where nothing is changed.
    Changed,
    /// CI's part.
    All,
    /// Also the tests that are ignored because they take long.
    Full,
}

/// Runs everything up to the first step that fails.
///
/// The doc tests come before nextest, so that nextest's closing lines stand near the end.
pub(crate) fn run(scope: Scope) -> Result<()> {
    let mut timings = Timings::default();
    let purpose = match scope {
        Scope::Changed | Scope::All => setup::For::Tests,
        Scope::Full => setup::For::LongTests,
    };
    timings.time("setup", || setup::run(purpose))?;
    let touched = match scope {
        Scope::Changed if in_ci() => Touched::All("CI is set".to_owned()),
        Scope::Changed => changes::touched()?,
        Scope::All => Touched::All("asked for".to_owned()),
        Scope::Full => Touched::All("asked for, long ones too".to_owned()),
    };
    check::steps(&mut timings)?;
    if let Touched::All(_) = touched {
        timings.time("doc tests", || {
            step::run(workspace::cargo().args(["test", "--doc", "--workspace", "--quiet"]))
        })?;
    }
    timings.time("tests", || tests(scope, &touched))?;
    if scope == Scope::Full {
        timings.time("measurements", measurements)?;
        timings.time("traces", || step::run(&mut traces()))?;
        timings.time("miri", miri)?;
    }
    println!("\n{timings}");
    Ok(())
}

/// Runs the tests by nextest, and says where their time went.
fn tests(scope: Scope, touched: &Touched) -> Result<()> {
    let file = workspace::target_dir()?.join("test-times.tsv");
    if file.exists() {
        std::fs::remove_file(&file)?;
    }
    let mut nextest = nextest(scope)?;
    nextest.args(["--config", &runner::cargo_config(&file)?]);
    match touched {
        Touched::All(reason) => println!("all tests: {reason}"),
        Touched::Some { filter, packages } => {
            let packages = match packages.as_slice() {
                [] => "no package".to_owned(),
                packages => packages.join(", "),
            };
            println!(
                "changed: {packages}; left out: the tests of packages that do not depend on them, \
                 and doc tests (`cargo xtask test --all` runs them)"
            );
            // Without the list of what the filter skips.
            nextest.args(["--final-status-level", "slow", "-E", filter]);
        }
    }
    let result = step::run(&mut nextest);
    let times = Times::read(&file);
    if let Ok(times) = &times {
        println!("\n{}", times.tables());
    }
    // First: if the tests do not compile, there are no times, and the compiler's error counts.
    result?;
    let times = times?;
    // A budget is that of all tests of CI.
    match touched {
        Touched::All(_) if scope != Scope::Full => keep_budgets(&times),
        _ => Ok(()),
    }
}

/// Hosting services and `.ci/run` set the variable.
fn in_ci() -> bool {
    std::env::var_os("CI").is_some()
}

/// Compares a run with the committed budgets, and names the suites that are over them.
fn keep_budgets(times: &Times) -> Result<()> {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        return Budgets::bless(times);
    }
    // Why no failure: how much the multiples differ between machines is not measured yet.
    for suite in times.over(&Budgets::read()?) {
        println!("over its budget: {suite}");
    }
    Ok(())
}

/// Returns the command that runs the tests. `setup` may have installed a nextest outside of `PATH`.
fn nextest(scope: Scope) -> Result<Command> {
    let program = tools::nextest().context("cargo-nextest has gone since setup saw it")?;
    let mut nextest = workspace::builder(program);
    nextest.args(["nextest", "run", "--workspace", "--profile"]);
    match scope {
        Scope::Changed | Scope::All => nextest.arg("ci"),
        Scope::Full => nextest.args(["full", "--run-ignored", "all"]),
    };
    Ok(nextest)
}

/// How much a service and a fleet answer: figures with limits, of the program as users build it. The long tests are a debug
/// build, so their profile leaves these out.
fn measurements() -> Result<()> {
    for suite in ["load::", "fleet::recorded_results_are_replayed"] {
        let mut tests = workspace::cargo();
        tests.args(["test", "--release", "--package", "wavetune"]);
        tests.args(["--test", "it", "--", "--ignored", "--nocapture"]);
        // A measurement has the machine for itself.
        step::run(tests.args(["--test-threads", "1", suite]))?;
    }
    Ok(())
}

/// The tests of what is in a program only where it is asked for.
fn traces() -> Command {
    let mut tests = workspace::cargo();
    tests.args(["test", "--package", "wavetune", "--all-features"]);
    tests.args(["--test", "it", "--", "traces::"]);
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
