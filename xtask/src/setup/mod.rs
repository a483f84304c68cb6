//! `cargo xtask setup`: finds the tools and installs missing ones, as far as it has the right.
//!
//! - With root, or sudo without a password, and with the user's consent ([`consent`]), it
//!   installs packages of Debian and Ubuntu ([`apt`]).
//! - Without conditions, it writes into the target directory ([`venv`], [`nextest`]) and into
//!   `web/node_modules` ([`npm`]).
//! - For the rest, it prints a command to copy.
//!
//! If nothing is missing, it starts no process.

mod apt;
pub(crate) mod consent;
pub(crate) mod mdbook;
mod nextest;
mod npm;
pub(crate) mod release;
mod retry;
mod venv;

use std::fs::File;

pub(crate) use apt::newest_llvm;

use anyhow::{Context, Result, bail};

use consent::Consent;

use crate::tools::{self, Need, Origin, TOOLS, Tool};
use crate::workspace;

/// The purpose that decides which tools are needed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SetupPurpose {
    /// Running wavetune.
    Demo,
    /// Checking the queries of the stores.
    Queries,
    /// Running the tests as well.
    Tests,
    /// Running the long tests as well.
    LongTests,
}

impl SetupPurpose {
    fn missing(self) -> Vec<&'static Tool> {
        let wanted = |tool: &&Tool| match self {
            SetupPurpose::Demo => tool.need == Need::Product,
            SetupPurpose::Queries => tool.name == tools::POSTGRES,
            SetupPurpose::Tests => tool.need <= Need::Tests,
            SetupPurpose::LongTests => true,
        };
        TOOLS
            .iter()
            .filter(wanted)
            .filter(|tool| tool.find().is_none())
            .collect()
    }
}

/// Installs missing tools.
///
/// # Errors
///
/// If only the user can install a tool: with the command for that.
pub(crate) fn run(purpose: SetupPurpose) -> Result<()> {
    if purpose.missing().is_empty() {
        return Ok(());
    }
    // Two tasks would write into the same venv. The second one waits and finds it complete.
    let lock = File::create(workspace::target_dir()?.join("setup.lock"))?;
    lock.lock()
        .context("cannot lock setup.lock in the target directory")?;
    // Searched again: another task may have installed them while this one waited.
    let missing = purpose.missing();
    println!("missing: {}", names(&missing));
    refuse_what_is_given(&missing)?;

    let lacks = |origin: Origin| missing.iter().any(|tool| tool.origin == origin);
    let python = venv::python();
    let mut packages: Vec<&str> = missing
        .iter()
        .filter_map(|tool| llvm_package(tool))
        .collect();
    // Several tools come from one package.
    packages.dedup();
    let mut others: Vec<&str> = missing.iter().filter_map(|tool| package(tool)).collect();
    if lacks(Origin::Venv) && python.is_none() {
        others.push("python3-venv");
    }
    if !packages.is_empty() || !others.is_empty() {
        apt::install(&packages, &others, Consent::of_process())?;
    }
    if lacks(Origin::Venv) {
        let python = python.or_else(venv::python);
        venv::create(
            &python.context("python3-venv is installed, but python3 cannot make a venv")?,
        )?;
    }
    if lacks(Origin::Npm) {
        npm::install()?;
    }
    if lacks(Origin::WheelOrBuild) {
        nextest::install(venv::python().as_deref())?;
    }
    let still = purpose.missing();
    if !still.is_empty() {
        bail!(
            "installed, but still not found: {}; see `cargo xtask doctor`",
            names(&still)
        );
    }
    Ok(())
}

fn names(tools: &[&Tool]) -> String {
    tools
        .iter()
        .map(|tool| tool.name)
        .collect::<Vec<_>>()
        .join(", ")
}

fn llvm_package(tool: &Tool) -> Option<&'static str> {
    match tool.origin {
        Origin::LlvmPackage(package) => Some(package),
        _ => None,
    }
}

fn package(tool: &Tool) -> Option<&'static str> {
    match tool.origin {
        Origin::Package(package) => Some(package),
        _ => None,
    }
}

/// Refuses a variable that names a missing file, and a machine without a C compiler or git. Setup
/// can mend neither: its own installation would not be used, or is not its choice.
fn refuse_what_is_given(missing: &[&Tool]) -> Result<()> {
    for variable in [
        "WAVETUNE_LIBLLVM",
        "WAVETUNE_LLD",
        "WAVETUNE_IREE_COMPILE",
        "CHROMIUM",
    ] {
        if let Some(path) = std::env::var_os(variable).filter(|path| !path.is_empty())
            && !std::path::Path::new(&path).is_file()
        {
            bail!("{variable} names {}, which is not a file", path.display());
        }
    }
    if let Some(tool) = missing.iter().find(|tool| tool.origin == Origin::Given) {
        bail!(
            "`{}` is not in PATH; on Debian and Ubuntu: sudo apt-get install git gcc",
            tool.name
        );
    }
    Ok(())
}
