//! `cargo xtask table`: writes a page of the documents that compares IREE's own choices with
//! tuned ones.

use anyhow::Result;

use crate::setup;
use crate::step;
use crate::workspace;

/// Tunes each problem of `cli/tests/it/iree_table/problems.rs`, but repeats no earlier trial.
pub(crate) fn run() -> Result<()> {
    setup::run(setup::SetupPurpose::Tests)?;
    let mut table = workspace::cargo();
    table.args(["test", "--release", "--package", "wavetune"]);
    table.args([
        "--test",
        "it",
        "--",
        "--ignored",
        "--exact",
        "iree_table::written",
    ]);
    step::run(table.arg("--nocapture"))
}
