//! git, as tasks call it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::step;

/// Runs git in a folder. Returns its trimmed output.
///
/// # Errors
///
/// If git fails: with its own message.
pub(crate) fn output(folder: &Path, arguments: &[&str]) -> Result<String> {
    let mut git = Command::new("git");
    // Git refuses another user's clone unless it is listed as safe, as in a container.
    git.current_dir(folder).args(["-c", "safe.directory=*"]);
    let output = git.args(arguments).output().context("cannot start git")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "`{}` fails: {errors}",
        step::text(&git)
    );
    let printed = String::from_utf8_lossy(&output.stdout);
    Ok(printed.trim().to_owned())
}
