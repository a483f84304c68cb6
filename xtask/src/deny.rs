//! `cargo xtask deny`: checks by cargo-deny that deny.toml allows the dependencies.
//!
//! Vulnerabilities need a downloaded database, so they are checked separately: `cargo deny check
//! advisories`.

use anyhow::Result;

use crate::step;
use crate::workspace;

/// Checks that need no network.
const CHECKS: [&str; 3] = ["licenses", "bans", "sources"];

/// Runs cargo-deny, or says that it is missing. `setup` does not install it, since building it
/// takes minutes.
pub(crate) fn run() -> Result<()> {
    if !step::succeeds(workspace::cargo().args(["deny", "--version"])) {
        println!("skipped: cargo-deny is not installed (`cargo install --locked cargo-deny`)");
        return Ok(());
    }
    let mut deny = workspace::cargo();
    // Locked: the check is of the committed dependencies.
    deny.args(["deny", "--locked", "check"]);
    step::run(deny.args(CHECKS))
}
