//! `cargo xtask check`: formatting, clippy, rustdoc and dependencies; a warning is an error.

use std::process::Command;

use anyhow::Result;

use crate::affected_tests;
use crate::deny;
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
    timings.time("formatting", || {
        step::run(workspace::cargo().args(["fmt", "--check"]))
    })?;
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

/// Returns cargo's options for some packages, or for all if there are none.
fn selection(packages: &[String]) -> Vec<&str> {
    match packages {
        [] => vec!["--workspace"],
        packages => packages.iter().flat_map(|it| ["--package", it]).collect(),
    }
}

/// Builds the documentation of libraries.
fn rustdoc(packages: &[String]) -> Result<()> {
    // Libraries only: doc comments of binaries are clap's help, with brackets that are no
    // links. Links to private items serve readers of the source.
    let mut doc = workspace::cargo();
    // With clippy's features and driver, so that both share the checked crates.
    doc.arg("doc").args(selection(packages));
    doc.args(["--all-features", "--no-deps", "--lib"]);
    doc.envs(clippy_variables().into_iter().flatten());
    doc.env(
        "RUSTDOCFLAGS",
        "-D warnings -A rustdoc::private_intra_doc_links",
    );
    step::run(&mut doc)
}

/// Returns the variables with which `cargo clippy -- -D warnings` calls cargo. They are not part
/// of its documented interface: if they change, a build repeats clippy's work and is still right.
pub(crate) fn clippy_variables() -> Option<[(&'static str, String); 2]> {
    let sysroot = step::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let driver = format!("{}/bin/clippy-driver", sysroot.trim());
    let separator = "__CLIPPY_HACKERY__";
    let arguments = format!("-D{separator}warnings{separator}");
    Some([
        ("RUSTC_WORKSPACE_WRAPPER", driver),
        ("CLIPPY_ARGS", arguments),
    ])
}
