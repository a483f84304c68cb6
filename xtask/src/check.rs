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

/// Runs the steps, with which `test` begins too.
pub(crate) fn steps(timings: &mut Timings) -> Result<()> {
    timings.time("formatting", || {
        step::run(workspace::cargo().args(["fmt", "--check"]))
    })?;
    if builds_lint() {
        println!("\nclippy is part of each build here; rustdoc is left to `cargo xtask check`");
    } else {
        lints(timings)?;
    }
    timings.time("dependencies", deny::run)
}

/// Returns true if cargo calls clippy's driver as the workspace's compiler, as `.ci/run` has it.
///
/// The checks of the dependencies that clippy and rustdoc need beside the build cost a fifth of a
/// cold run.
fn builds_lint() -> bool {
    std::env::var_os("RUSTC_WORKSPACE_WRAPPER").is_some_and(|it| it == "clippy-driver")
}

fn lints(timings: &mut Timings) -> Result<()> {
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
    })
}
