//! `cargo xtask table`: what IREE does unasked, and what tuning makes of it, as a page of the documents.

use anyhow::Result;

use crate::setup;
use crate::step;
use crate::workspace;

/// Tunes each problem of `cli/tests/it/iree_table/problems.rs`; what was tried before is not tried again.
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
