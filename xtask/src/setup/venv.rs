//! IREE's compiler and runtime from PyPI, in a Python venv in the target directory.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use super::attempts;
use crate::step;
use crate::tools::IREE_VERSION;
use crate::workspace;

const VENV_LIMIT: Duration = Duration::from_secs(120);
const PIP_LIMIT: Duration = Duration::from_secs(600);

/// A Python that can make a venv and that the wheel is made for; Debian's cannot without the package
/// python3-venv, which serves `/usr/bin/python3` whatever `PATH` says.
pub(super) fn python() -> Option<PathBuf> {
    let question = "import ensurepip, venv, sys; sys.exit(sys.version_info < (3, 10))";
    let able = |python: &&str| step::succeeds(Command::new(*python).args(["-c", question]));
    ["python3", "/usr/bin/python3"]
        .into_iter()
        .find(able)
        .map(PathBuf::from)
}

/// Makes the venv anew and installs both into it.
pub(super) fn create(python: &Path) -> Result<()> {
    let venv = workspace::iree_venv()?.display().to_string();
    let words = [
        &python.display().to_string(),
        "-m",
        "venv",
        "--clear",
        &venv,
    ]
    .map(String::from);
    attempts::run(&words, VENV_LIMIT)?;
    let packages = ["compiler", "runtime"].map(|it| format!("iree-base-{it}=={IREE_VERSION}"));
    let [compiler, runtime] = &packages;
    // Without dependencies: they serve the Python bindings, and we call the native programs only.
    let words = [
        &format!("{venv}/bin/python"),
        "-m",
        "pip",
        "install",
        "--no-input",
        "--disable-pip-version-check",
        "--quiet",
        "--timeout=60",
        "--only-binary=:all:",
        "--no-deps",
        compiler,
        runtime,
    ];
    attempts::run(&words.map(String::from), PIP_LIMIT)
}
