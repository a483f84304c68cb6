//! The places of this workspace and its target directory.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::step;

/// Returns the folder of the workspace's Cargo.toml.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask/ lies in the workspace")
}

/// Returns the target directory of this program, wherever the user has put it
/// (`CARGO_TARGET_DIR`, `build.target-dir`): the folder above `debug/`.
///
/// The program's own path tells it. `cargo metadata` would take longer than a whole `setup`
/// with nothing to do.
pub(crate) fn target_dir() -> Result<PathBuf> {
    let program = std::env::current_exe().context("cannot tell where xtask itself is")?;
    let directory = program.parent().and_then(Path::parent);
    Ok(directory
        .context("xtask is not in a cargo target directory")?
        .to_path_buf())
}

/// Returns the folder of temporary files in the target directory, and makes it if necessary.
pub(crate) fn temporary() -> Result<PathBuf> {
    let folder = target_dir()?.join("tmp");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Returns the folder of a compiler's toolchain, or `None` if the compiler does not run.
pub(crate) fn sysroot(rustc: &str) -> Option<PathBuf> {
    let sysroot = step::output(Command::new(rustc).args(["--print", "sysroot"]))?;
    Some(sysroot.trim().into())
}

/// Returns the venv of IREE that `setup` creates; `codegen::tools` looks for this name too.
pub(crate) fn iree_venv() -> Result<PathBuf> {
    Ok(target_dir()?.join("iree-venv"))
}

/// Returns the folder of the dashboard: its files, its tests, and its npm packages.
pub(crate) fn web() -> PathBuf {
    root().join("web")
}

/// Returns the `--root` of `cargo install` for tools that `setup` builds.
pub(crate) fn installed_tools() -> Result<PathBuf> {
    Ok(target_dir()?.join("tools"))
}

/// Creates a cargo command in the workspace's folder.
pub(crate) fn cargo() -> Command {
    builder("cargo")
}

/// Creates a command that builds the workspace, in its folder and as from a user's shell.
///
/// It removes the variables that `cargo run` set for xtask's package, because ring's build script
/// depends on them. Otherwise ring and its dependents, half of the tree, would be rebuilt in each
/// task and again after it.
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
        // Cargo sets the same variables for the tests of a package as for its programs.
        for name in ["CARGO_MANIFEST_DIR", "CARGO_PKG_NAME"] {
            assert!(std::env::var_os(name).is_some() && removed(name), "{name}");
        }
        assert!(!removed("PATH"));
    }
}
