//! The tools of a release, from PyPI, in a venv in the target directory.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::venv;
use crate::workspace;

/// Zig has a linker and the headers of each glibc, and cargo-zigbuild makes cargo use them.
/// hatchling packs the wheel; the others are its dependencies.
const PACKAGES: [&str; 7] = [
    "cargo-zigbuild==0.24.1",
    "ziglang==0.17.1",
    "hatchling==1.33.0",
    "packaging==26.4",
    "pathspec==1.1.1",
    "pluggy==1.7.0",
    "trove-classifiers==2026.9.21.13",
];

/// The installed tools of a release.
pub(crate) struct ReleaseTools {
    venv: PathBuf,
}

impl ReleaseTools {
    /// Installs missing tools.
    pub(crate) fn install() -> Result<ReleaseTools> {
        let venv = workspace::target_dir()?.join("release-tools");
        let tools = ReleaseTools { venv };
        // Written after the installation, so an interrupted one is repeated.
        let stamp = tools.venv.join("installed");
        let wanted = PACKAGES.join("\n");
        if fs::read_to_string(&stamp).ok().as_ref() != Some(&wanted) {
            let python = venv::python().context("no python3 that can make a venv")?;
            venv::create_with(&python, &tools.venv, &PACKAGES.map(String::from))?;
            fs::write(&stamp, wanted)?;
        }
        Ok(tools)
    }

    /// Returns the path of a program in the venv.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.venv.join("bin").join(name)
    }

    /// Makes a command find the tools and keep its caches in the target directory.
    pub(crate) fn tell(&self, command: &mut Command) -> Result<()> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path);
        let folders = [self.venv.join("bin")].into_iter().chain(folders);
        command.env("PATH", std::env::join_paths(folders)?);
        let cache = self.venv.join("cache");
        command.env("CARGO_ZIGBUILD_CACHE_DIR", &cache);
        command.env("ZIG_GLOBAL_CACHE_DIR", cache.join("zig"));
        Ok(())
    }
}
