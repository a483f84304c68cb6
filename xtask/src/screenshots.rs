//! `cargo xtask screenshots`: takes the documents' screenshots of the dashboard, with the studies
//! of its tests.

use anyhow::Result;

use crate::setup;
use crate::step;
use crate::workspace;

/// Takes all screenshots that `web/tests/screens.js` lists.
pub(crate) fn run() -> Result<()> {
    setup::run(setup::SetupPurpose::Tests)?;
    let mut pictures = workspace::cargo();
    pictures.args(["test", "--package", "wavetune", "--test", "it"]);
    pictures.args(["--", "--ignored", "dashboard::screenshots", "--nocapture"]);
    let folder = workspace::root().join("docs/screenshots");
    step::run(pictures.env("WAVETUNE_SCREENSHOTS", folder))
}
