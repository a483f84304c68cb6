//! `cargo xtask bench`: the benchmarks of all crates.

use anyhow::Result;

use crate::check;
use crate::setup;
use crate::step;

/// Runs the benchmarks, or those whose name contains a word of `filter`.
pub(crate) fn run(filter: &[&str]) -> Result<()> {
    setup::run(setup::For::Demo)?;
    let mut bench = check::cargo();
    bench
        .args(["bench", "--workspace", "--bench", "*", "--"])
        .args(filter);
    step::run(&mut bench)
}
