//! `cargo xtask bench`: the benchmarks of all crates.

use anyhow::Result;

use crate::setup;
use crate::step;
use crate::workspace;

/// Runs the benchmarks, or those whose name contains a word of `filter`.
pub(crate) fn run(filter: &[&str]) -> Result<()> {
    setup::run(setup::SetupPurpose::Demo)?;
    let mut bench = workspace::cargo();
    bench
        .args(["bench", "--workspace", "--bench", "*", "--"])
        .args(filter);
    step::run(&mut bench)
}
