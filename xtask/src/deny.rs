//! `cargo xtask deny`: whether the dependencies are such as deny.toml allows, by cargo-deny.
//!
//! What is known of vulnerabilities is in a database that has to be fetched, so that this is asked apart from the rest:
//! `cargo deny check advisories`.

use anyhow::Result;

use crate::step;
use crate::workspace;

/// What is looked at without a network.
const CHECKS: [&str; 3] = ["licenses", "bans", "sources"];

/// Looks, or says that cargo-deny is missing: it is no part of `setup`, as it takes minutes to build.
pub(crate) fn run() -> Result<()> {
    if !step::succeeds(workspace::cargo().args(["deny", "--version"])) {
        println!("skipped: cargo-deny is not installed (`cargo install --locked cargo-deny`)");
        return Ok(());
    }
    let mut deny = workspace::cargo();
    deny.args(["deny", "--locked", "check"]);
    step::run(deny.args(CHECKS))
}
