//! Where this workspace and its target directory are.

use std::ffi::OsStr;
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
    builder("cargo")
}

/// A program that builds the workspace, in its folder, as a user's shell would start it.
///
/// It does not hear what `cargo run` told this process of xtask's package: ring's build script asks for that. Else ring and all
/// that stands on it, half of the tree, would be built again in each task that follows a command of the user's, and after it.
pub(crate) fn builder(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    let told = std::env::vars_os().map(|(name, _)| name);
    let of_package = told.filter(|name| {
        let name = name.as_encoded_bytes();
        name.starts_with(b"CARGO_PKG_") || name.starts_with(b"CARGO_MANIFEST_")
    });
    for name in of_package {
        command.env_remove(name);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builders_do_not_hear_of_this_package() {
        let cargo = cargo();
        let removed = |name| cargo.get_envs().any(|it| it == (OsStr::new(name), None));
        // Cargo tells the tests of a package what it tells its programs.
        for name in ["CARGO_MANIFEST_DIR", "CARGO_PKG_NAME"] {
            assert!(std::env::var_os(name).is_some() && removed(name), "{name}");
        }
        assert!(!removed("PATH"));
    }
}
