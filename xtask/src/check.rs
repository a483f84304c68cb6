//! `cargo xtask check`: formatting, clippy, rustdoc and dependencies; a warning is an error.

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
        // With clippy's features, so that both share the checked dependencies.
        doc.args(["doc", "--workspace", "--all-features", "--no-deps", "--lib"]);
        doc.env(
            "RUSTDOCFLAGS",
            "-D warnings -A rustdoc::private_intra_doc_links",
        );
        step::run(&mut doc)
    })?;
    timings.time("dependencies", deny::run)
}
