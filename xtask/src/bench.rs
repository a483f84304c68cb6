//! `cargo xtask bench`: the benchmarks of all crates.

use anyhow::Result;

use crate::setup;
use crate::step;
use crate::workspace;

/// Runs all benchmarks, or those with a word of `filter` in their name.
pub(crate) fn run(filter: &[&str]) -> Result<()> {
    setup::run(setup::SetupPurpose::Demo)?;
    let mut bench = workspace::cargo();
    bench
        .args(["bench", "--workspace", "--bench", "*", "--"])
        .args(filter);
    step::run(&mut bench)
}
