//! mdBook, which `cargo xtask book` alone needs: built from crates.io into the target directory.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;

use super::retry;
use crate::workspace;

/// The version that docs/book.toml is written for.
const VERSION: &str = "0.5.4";

/// For a slow machine: two processors build it in two minutes.
const LIMIT: Duration = Duration::from_secs(1800);

/// Installs mdBook if this version is not there, and returns the program.
///
/// # Errors
/// If cargo cannot fetch or build it.
pub(crate) fn install() -> Result<PathBuf> {
    let root = workspace::installed_tools()?;
    let program = root.join("bin/mdbook");
    // `cargo install` writes the stamp of no version into a file's name.
    let stamp = root.join("mdbook-version");
    if program.is_file() && fs::read_to_string(&stamp).is_ok_and(|it| it == VERSION) {
        return Ok(program);
    }
    let version = format!("--version={VERSION}");
    // Neither the server of the book nor the watcher of its files: half of the crates.
    let words = [
        "env",
        "CARGO_PROFILE_DEV_DEBUG=false",
        &format!("CARGO_TARGET_DIR={}", root.join("build").display()),
        "cargo",
        "install",
        "mdbook",
        &version,
        "--locked",
        "--force",
        "--debug",
        "--no-default-features",
        "--features=search",
        &format!("--root={}", root.display()),
    ];
    retry::run(&words.map(String::from), LIMIT)?;
    fs::remove_dir_all(root.join("build"))?;
    fs::write(stamp, VERSION)?;
    Ok(program)
}
