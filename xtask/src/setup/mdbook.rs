//! mdBook, which only `cargo xtask book` needs: built from crates.io into the target directory.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;

use super::retry;
use crate::workspace;

/// The version that docs/book.toml is written for.
const VERSION: &str = "0.5.4";

/// Time limit for a slow machine; two processors need two minutes.
const LIMIT: Duration = Duration::from_secs(1800);

/// Installs this version of mdBook if it is missing. Returns the program's path.
///
/// # Errors
///
/// If cargo cannot fetch or build it.
pub(crate) fn install() -> Result<PathBuf> {
    let root = workspace::installed_tools()?;
    let program = root.join("bin/mdbook");
    // `cargo install` leaves no record of the version in a file name.
    let stamp = root.join("mdbook-version");
    if program.is_file() && fs::read_to_string(&stamp).is_ok_and(|it| it == VERSION) {
        return Ok(program);
    }
    let version = format!("--version={VERSION}");
    // Without the book's server and the file watcher, which are half of the crates.
    let words = [
        "env",
        "CARGO_PROFILE_DEV_DEBUG=false",
        &format!("CARGO_TARGET_DIR={}", root.join("build").display()),
        "cargo",
        "install",
        "mdbook",
        &version,
        "--locked",
        // Another version may be installed there.
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
