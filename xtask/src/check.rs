//! `cargo xtask check`: formatting, clippy, rustdoc and dependencies; a warning is an error.

use std::process::Command;

use anyhow::Result;

use crate::deny;
use crate::step::{self, Timings};
use crate::workspace;

/// Runs all checks and prints the time of each.
pub(crate) fn run() -> Result<()> {
    let mut timings = Timings::default();
    steps(&mut timings)?;
    println!("\n{timings}");
    Ok(())
}

/// Runs the checks; `test` begins with them too.
pub(crate) fn steps(timings: &mut Timings) -> Result<()> {
    // The fastest check first.
    timings.time("formatting", || {
        step::run(workspace::cargo().args(["fmt", "--check"]))
    })?;
    timings.time("clippy", || {
        let mut clippy = workspace::cargo();
        clippy.args([
            "clippy",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--",
            "-D",
            "warnings",
        ]);
        step::run(&mut clippy)
    })?;
    timings.time("rustdoc", || {
        // Libraries only: doc comments of binaries are clap's help, with brackets that are no
        // links. Links to private items serve readers of the source.
        let mut doc = workspace::cargo();
        // With clippy's features and driver, so that both share the checked crates.
        doc.args(["doc", "--workspace", "--all-features", "--no-deps", "--lib"]);
        doc.envs(clippy_variables().into_iter().flatten());
        doc.env(
            "RUSTDOCFLAGS",
            "-D warnings -A rustdoc::private_intra_doc_links",
        );
        step::run(&mut doc)
    })?;
    timings.time("dependencies", deny::run)
}

/// Returns the variables with which `cargo clippy -- -D warnings` calls cargo. They are not part
/// of its documented interface: if they change, a build repeats clippy's work and is still right.
fn clippy_variables() -> Option<[(&'static str, String); 2]> {
    let sysroot = step::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let driver = format!("{}/bin/clippy-driver", sysroot.trim());
    let separator = "__CLIPPY_HACKERY__";
    let arguments = format!("-D{separator}warnings{separator}");
    Some([
        ("RUSTC_WORKSPACE_WRAPPER", driver),
        ("CLIPPY_ARGS", arguments),
    ])
}
