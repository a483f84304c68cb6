//! git, as tasks call it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::step;

/// Runs git in a folder and returns its output, without blanks around it.
///
/// # Errors
/// If git refuses: with its own words.
pub(crate) fn output(folder: &Path, arguments: &[&str]) -> Result<String> {
    let mut git = Command::new("git");
    // A clone that another user owns is still the clone that a task is for.
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
