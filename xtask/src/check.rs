//! `cargo xtask check`: formatting, clippy, rustdoc and dependencies; a warning is an error.

use anyhow::Result;

use crate::affected_tests;
use crate::deny;
use crate::one_pass;
use crate::step::{self, Timings};
use crate::workspace;

/// Runs all checks and prints the time of each.
pub(crate) fn run() -> Result<()> {
    let mut timings = Timings::default();
    steps(&mut timings, &[])?;
    println!("\n{timings}");
    Ok(())
}

/// Runs the checks of some packages, or of all if there are none; `test` begins with them too.
pub(crate) fn steps(timings: &mut Timings, packages: &[String]) -> Result<()> {
    // The fastest check first.
    timings.time("formatting", || formatting(packages))?;
    timings.time("clippy", || {
        let mut clippy = workspace::cargo();
        clippy.arg("clippy").args(selection(packages));
        clippy.args(["--all-targets", "--all-features", "--", "-D", "warnings"]);
        step::run(&mut clippy)
    })?;
    let documented = affected_tests::with_library(packages)?;
    if packages.is_empty() || !documented.is_empty() {
        timings.time("rustdoc", || rustdoc(&documented))?;
    }
    timings.time("dependencies", deny::run)
}

/// Checks the formatting of some packages, or of all if there are none.
pub(crate) fn formatting(packages: &[String]) -> Result<()> {
    let mut fmt = workspace::cargo();
    fmt.args(["fmt", "--check"]);
    fmt.args(packages.iter().flat_map(|it| ["--package", it]));
    step::run(&mut fmt)
}

/// Returns cargo's options for some packages, or for all if there are none.
fn selection(packages: &[String]) -> Vec<&str> {
    match packages {
        [] => vec!["--workspace"],
        packages => packages.iter().flat_map(|it| ["--package", it]).collect(),
    }
}

/// Builds the documentation of libraries.
fn rustdoc(packages: &[String]) -> Result<()> {
    // Libraries only: doc comments of binaries are clap's help, with brackets that are no links.
    let mut doc = workspace::cargo();
    // With clippy's features and driver, so that both share the checked crates.
    doc.arg("doc").args(selection(packages));
    doc.args(["--all-features", "--no-deps", "--lib"]);
    doc.env("RUSTDOCFLAGS", one_pass::RUSTDOC_LINTS.join(" "));
    if let Some(sysroot) = workspace::sysroot("rustc") {
        doc.env("RUSTC_WORKSPACE_WRAPPER", sysroot.join("bin/clippy-driver"));
        doc.env("CLIPPY_ARGS", one_pass::CLIPPY_ARGUMENTS);
    }
    step::run(&mut doc)
}
