//! cargo-nextest, built from source where none is in `PATH`.

use std::time::Duration;

use anyhow::Result;

use super::attempts;
use crate::tools::NEXTEST_VERSION;
use crate::workspace;

/// On a slow machine; see [`build`] for what it takes.
const LIMIT: Duration = Duration::from_secs(1200);

/// Builds it into the target directory.
///
/// Without optimisation: it only starts processes, and its build is part of the time of the first
/// `cargo xtask test`.
pub(super) fn build() -> Result<()> {
    let root = workspace::installed_tools()?;
    let version = format!("--version={NEXTEST_VERSION}");
    let words = [
        "env",
        "CARGO_PROFILE_DEV_DEBUG=false",
        &format!("CARGO_TARGET_DIR={}", root.join("build").display()),
        "cargo",
        "install",
        "cargo-nextest",
        &version,
        "--locked",
        "--debug",
        "--no-default-features",
        "--features=default-no-update",
        &format!("--root={}", root.display()),
    ];
    attempts::run(&words.map(String::from), LIMIT)?;
    std::fs::remove_dir_all(root.join("build"))?;
    Ok(())
}
