//! `cargo xtask check`: formatting, clippy and rustdoc; a warning is an error.

use std::process::Command;

use anyhow::Result;

use crate::step::{self, Timings};
use crate::workspace;

/// Runs the three and says how long each took.
pub(crate) fn run() -> Result<()> {
    let mut timings = Timings::default();
    steps(&mut timings)?;
    println!("\n{timings}");
    Ok(())
}

/// The three steps, which `test` begins with too.
pub(crate) fn steps(timings: &mut Timings) -> Result<()> {
    timings.time("formatting", || step::run(cargo().args(["fmt", "--check"])))?;
    timings.time("clippy", || {
        let mut clippy = cargo();
        clippy.args([
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]);
        step::run(&mut clippy)
    })?;
    timings.time("rustdoc", || {
        // Not the binaries: there doc comments are clap's help, in which brackets are no links. And
        // a link to a private item is one for those who read the source.
        let mut doc = cargo();
        doc.args(["doc", "--workspace", "--no-deps", "--lib"]);
        doc.env(
            "RUSTDOCFLAGS",
            "-D warnings -A rustdoc::private_intra_doc_links",
        );
        step::run(&mut doc)
    })
}

/// Cargo in the workspace's folder.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(workspace::root());
    cargo
}
