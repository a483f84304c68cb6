//! Where this workspace and its target directory are.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// The folder of the workspace's Cargo.toml.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask/ lies in the workspace")
}

/// The target directory that cargo built this program into, wherever the user has put it
/// (`CARGO_TARGET_DIR`, `build.target-dir`): the folder above `debug/`.
///
/// Taken from the program's own path, because asking `cargo metadata` costs more than everything
/// else that a `setup` with nothing to do does.
pub(crate) fn target_dir() -> Result<PathBuf> {
    let program = std::env::current_exe().context("cannot tell where xtask itself is")?;
    let directory = program.parent().and_then(Path::parent);
    Ok(directory
        .context("xtask is not in a cargo target directory")?
        .to_path_buf())
}

/// Where `setup` installs IREE; `codegen::tools` looks for this name too.
pub(crate) fn iree_venv() -> Result<PathBuf> {
    Ok(target_dir()?.join("iree-venv"))
}

/// The folder of the dashboard: its files, its tests, and what npm brings for them.
pub(crate) fn web() -> PathBuf {
    root().join("web")
}

/// The `--root` of `cargo install` for tools that `setup` builds.
pub(crate) fn installed_tools() -> Result<PathBuf> {
    Ok(target_dir()?.join("tools"))
}

/// Cargo in the workspace's folder.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root());
    cargo
}
