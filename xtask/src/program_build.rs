//! Builds this workspace's programs for tasks, with the same features as the tests.

use std::path::PathBuf;

use anyhow::Result;

use crate::one_pass;
use crate::step;
use crate::workspace;

/// Builds a program in the dev profile, which optimises the costly parts. Returns its path.
///
/// For one package alone, cargo would choose other features of shared dependencies and compile
/// them and their dependents again. For `wavetune` that took three minutes after `cargo xtask
/// test`.
pub(crate) fn build(name: &str) -> Result<PathBuf> {
    let mut build = workspace::cargo();
    build.args(["build", "--workspace", "--bin", name]);
    one_pass::apply(&mut build)?;
    step::run(&mut build)?;
    Ok(workspace::target_dir()?.join("debug").join(name))
}
