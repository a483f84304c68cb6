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
    if builds_lint() {
        println!("\nclippy is part of each build here; rustdoc is left to `cargo xtask check`");
    } else {
        lints(timings)?;
    }
    timings.time("dependencies", deny::run)
}

/// Returns true if cargo calls clippy's driver as the workspace's compiler, as `.ci/run` has it.
///
/// Without that, clippy and rustdoc check the dependencies once more, a fifth of a cold run.
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
    })
}
