//! Programs from PyPI, in Python venvs in the target directory: IREE's compiler and runtime,
//! nextest.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use super::retry;
use crate::step;
use crate::tools::IREE_VERSION;
use crate::workspace;

const VENV_LIMIT: Duration = Duration::from_secs(120);
const PIP_LIMIT: Duration = Duration::from_secs(600);

/// Returns a Python that can make a venv and that the wheel supports. Debian's needs the package
/// python3-venv, which serves `/usr/bin/python3` independently of `PATH`.
pub(super) fn python() -> Option<PathBuf> {
    let question = "import ensurepip, venv, sys; sys.exit(sys.version_info < (3, 10))";
    let able = |python: &&str| step::succeeds(Command::new(*python).args(["-c", question]));
    ["python3", "/usr/bin/python3"]
        .into_iter()
        .find(able)
        .map(PathBuf::from)
}

/// Creates the venv of IREE afresh.
pub(super) fn create(python: &Path) -> Result<()> {
    let packages = ["compiler", "runtime"].map(|it| format!("iree-base-{it}=={IREE_VERSION}"));
    create_with(python, &workspace::iree_venv()?, &packages)
}

/// Creates a venv afresh, with only the wheels of `packages`: their dependencies serve Python
/// bindings, and only native programs are called here.
pub(super) fn create_with(python: &Path, venv: &Path, packages: &[String]) -> Result<()> {
    let venv = venv.display().to_string();
    let words = [
        &python.display().to_string(),
        "-m",
        "venv",
        // An interrupted installation may have left a venv.
        "--clear",
        &venv,
    ];
    retry::run(&words.map(String::from), VENV_LIMIT)?;
    let python = format!("{venv}/bin/python");
    let mut words = vec![
        &python,
        "-m",
        "pip",
        "install",
        "--no-input",
        "--disable-pip-version-check",
        "--quiet",
        "--timeout=60",
        "--only-binary=:all:",
        "--no-deps",
    ];
    words.extend(packages.iter().map(String::as_str));
    let words: Vec<String> = words.into_iter().map(String::from).collect();
    retry::run(&words, PIP_LIMIT)
}
