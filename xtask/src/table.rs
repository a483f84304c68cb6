//! `cargo xtask table` and `cargo xtask models` write pages of the documents. The first compares
//! IREE's own choices with tuned ones, and the second whole models with and without kernels.

use anyhow::Result;

use crate::setup;
use crate::step;
use crate::workspace;

/// Tunes each problem of `cli/tests/it/iree_table/problems.rs`, but repeats no earlier trial.
pub(crate) fn run() -> Result<()> {
    write("iree_table::written")
}

/// Times each module of `testing/modules` with and without kernels.
pub(crate) fn run_models() -> Result<()> {
    step::run(workspace::cargo().args(["build", "--release", "--package", "hip-library"]))?;
    write("models::written")
}

/// Runs the test that writes a page.
fn write(test: &str) -> Result<()> {
    setup::run(setup::SetupPurpose::Tests)?;
    let mut table = workspace::cargo();
    table.args(["test", "--release", "--package", "wavetune"]);
    table.args(["--test", "it", "--", "--ignored", "--exact", test]);
    step::run(table.arg("--nocapture"))
}
