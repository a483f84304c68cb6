//! The packages of `web/package-lock.json`, for the tests of the dashboard.

use std::time::Duration;

use anyhow::Result;

use super::retry;
use crate::workspace;

const LIMIT: Duration = Duration::from_secs(300);

/// Installs the packages of the lock file afresh. `web/.npmrc` forbids install scripts, so none
/// downloads a browser.
pub(super) fn install() -> Result<()> {
    let web = workspace::web().display().to_string();
    let words = ["npm", "ci", "--prefix", &web, "--loglevel=error"];
    retry::run(&words.map(String::from), LIMIT)
}
