//! The programs of this workspace that tasks run, built as its tests build them.

use std::path::PathBuf;

use anyhow::Result;

use crate::step;
use crate::workspace;

/// Builds a program in the dev profile, which optimises what takes the time; where it then is.
///
/// For one package alone cargo would choose other features of what several packages have, and build all that stands on these a
/// second time: that of `wavetune` was three minutes after `cargo xtask test`.
pub(crate) fn build(name: &str) -> Result<PathBuf> {
    step::run(workspace::cargo().args(["build", "--workspace", "--bin", name]))?;
    Ok(workspace::target_dir()?.join("debug").join(name))
}
