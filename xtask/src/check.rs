//! `cargo xtask check`: formatting, clippy, rustdoc and dependencies; a warning is an error.

use anyhow::Result;

use crate::deny;
use crate::step::{self, Timings};
use crate::workspace;

/// Runs all and says how long each took.
pub(crate) fn run() -> Result<()> {
    let mut timings = Timings::default();
    steps(&mut timings)?;
    println!("\n{timings}");
    Ok(())
}

/// The steps, which `test` begins with too.
pub(crate) fn steps(timings: &mut Timings) -> Result<()> {
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
        // Not the binaries: there doc comments are clap's help, in which brackets are no links. And
        // a link to a private item is one for those who read the source.
        let mut doc = workspace::cargo();
        // With clippy's features, so that dependencies are checked once for both.
        doc.args(["doc", "--workspace", "--all-features", "--no-deps", "--lib"]);
        doc.env(
            "RUSTDOCFLAGS",
            "-D warnings -A rustdoc::private_intra_doc_links",
        );
        step::run(&mut doc)
    })?;
    timings.time("dependencies", deny::run)
}
