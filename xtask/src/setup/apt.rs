//! Packages of Debian and Ubuntu, without questions.

use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};

use super::attempts;
use crate::step;
use crate::tools::LLVM_VERSIONS;

/// Waits for another apt's lock instead of failing, and does not hang on a dead mirror.
const OPTIONS: [&str; 6] = [
    "-o",
    "DPkg::Lock::Timeout=300",
    "-o",
    "Acquire::Retries=3",
    "-o",
    "Acquire::http::Timeout=60",
];
const UPDATE_LIMIT: Duration = Duration::from_secs(300);
const INSTALL_LIMIT: Duration = Duration::from_secs(900);

/// Installs `llvm` packages (names with `*` for the version, all of the newest version that the
/// distribution has) and `others`.
///
/// # Errors
/// If this user may not: with the line for somebody who may.
pub(super) fn install(llvm: &[&str], others: &[&str]) -> Result<()> {
    let Some(prefix) = privilege() else {
        let packages = packages(llvm, others, newest_llvm().unwrap_or(LLVM_VERSIONS[0]));
        bail!("{}", line_for_the_user(&packages));
    };
    // Old lists name packages that the mirror has no more. A repository of the user's that does not
    // answer is no reason to give up, so what counts is whether the installation works.
    if let Err(error) = attempts::run(&apt_get(prefix, &["update"]), UPDATE_LIMIT) {
        println!("{error:#}; trying with the lists that are there");
    }
    let version = newest_llvm();
    if version.is_none() && !llvm.is_empty() {
        bail!("this distribution has none of LLVM {LLVM_VERSIONS:?}; see https://apt.llvm.org");
    }
    let packages = packages(llvm, others, version.unwrap_or(LLVM_VERSIONS[0]));
    let mut words = vec!["install", "--yes", "--no-install-recommends"];
    words.extend(packages.iter().map(String::as_str));
    attempts::run(&apt_get(prefix, &words), INSTALL_LIMIT)
}

fn packages(llvm: &[&str], others: &[&str], version: u32) -> Vec<String> {
    let llvm = llvm
        .iter()
        .map(|name| name.replace('*', &version.to_string()));
    llvm.chain(others.iter().map(|name| (*name).to_string()))
        .collect()
}

fn line_for_the_user(packages: &[String]) -> String {
    let packages = packages.join(" ");
    if step::succeeds(Command::new("apt-get").arg("--version")) {
        format!(
            "only root may install what is missing; run this, then this task again:\n\n    \
             sudo apt-get update && sudo apt-get install --yes --no-install-recommends {packages}\n"
        )
    } else {
        format!(
            "no apt-get here; install what Debian and Ubuntu call {packages} (libLLVM and lld of LLVM \
             19 or newer), or say where they are with WAVETUNE_LIBLLVM and WAVETUNE_LLD"
        )
    }
}

/// What stands before a command that needs root: nothing for root, sudo where it asks for no
/// password; `None` where neither or no apt-get is there.
fn privilege() -> Option<&'static [&'static str]> {
    let apt = step::succeeds(Command::new("apt-get").arg("--version"));
    let root = || step::output(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0");
    let sudo = || step::succeeds(Command::new("sudo").args(["--non-interactive", "true"]));
    match apt {
        true if root() => Some(&[]),
        true if sudo() => Some(&["sudo", "--non-interactive"]),
        _ => None,
    }
}

fn apt_get(prefix: &[&str], words: &[&str]) -> Vec<String> {
    // `env` because sudo drops the environment; NEEDRESTART is Ubuntu's question about services.
    let environment = [
        "env",
        "DEBIAN_FRONTEND=noninteractive",
        "NEEDRESTART_MODE=l",
        "apt-get",
        "--quiet=2",
    ];
    let all = prefix
        .iter()
        .chain(&environment)
        .chain(&OPTIONS)
        .chain(words);
    all.map(|word| (*word).to_string()).collect()
}

/// The newest version of which apt can install both the library and the linker.
fn newest_llvm() -> Option<u32> {
    let has = |package: String| {
        let policy = step::output(Command::new("apt-cache").arg("policy").arg(package));
        policy.is_some_and(|text| has_candidate(&text))
    };
    let complete =
        |version: &u32| has(format!("libllvm{version}")) && has(format!("lld-{version}"));
    LLVM_VERSIONS.into_iter().find(complete)
}

/// True if `apt-cache policy` names a version to install: for an unknown package it prints nothing.
fn has_candidate(policy: &str) -> bool {
    let candidate = policy
        .lines()
        .find_map(|line| line.trim().strip_prefix("Candidate:"));
    candidate.is_some_and(|version| version.trim() != "(none)")
}

#[cfg(test)]
mod tests {
    use super::{has_candidate, packages};

    #[track_caller]
    fn check(policy: &str, expected: bool) {
        assert_eq!(has_candidate(policy), expected);
    }

    #[test]
    fn a_package_can_be_installed_if_apt_names_a_version() {
        check(
            "lld-22:\n  Installed: (none)\n  Candidate: 1:22.1.8-1~deb12u1\n",
            true,
        );
        check(
            "debootstrap:\n  Installed: (none)\n  Candidate: (none)\n  Version table:\n",
            false,
        );
        check("", false);
    }

    #[test]
    fn llvm_packages_get_the_version() {
        assert_eq!(
            packages(&["libllvm*", "libclang-rt-*-dev"], &["python3-venv"], 19),
            ["libllvm19", "libclang-rt-19-dev", "python3-venv"]
        );
    }
}
