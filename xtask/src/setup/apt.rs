//! Packages of Debian and Ubuntu: installed with the user's consent, without starting a service.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};

use super::consent::{self, Consent};
use super::retry;
use crate::step;
use crate::tools::LLVM_VERSIONS;
use crate::workspace;

/// apt waits for another apt's lock, and does not hang on a dead mirror.
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

/// Units that packages of [`crate::tools::TOOLS`] enable. PostgreSQL's starts nothing without a
/// cluster.
const SERVICES: &str = "nats-server.service";

/// Installs `llvm` packages and `others`. A `*` in an LLVM package's name stands for the newest
/// version of the distribution.
///
/// # Errors
///
/// If this user has no right or did not consent: with the command for another user.
pub(super) fn install(llvm: &[&str], others: &[&str], consent: Consent) -> Result<()> {
    let expected = packages(llvm, others, newest_llvm().unwrap_or(LLVM_VERSIONS[0]));
    let Some(prefix) = privilege() else {
        bail!("{}", line_for_the_user(&expected));
    };
    let shown = [prefix, &["apt-get", "install"]].concat().join(" ");
    if !consent.covers(&format!("{shown} {}", expected.join(" ")))? {
        bail!(
            "{}\nOr pass `{}` to this task, which installs them and starts no service.",
            line_for_the_user(&expected),
            consent::FLAG
        );
    }
    // Old lists name packages that the mirror no longer has. A failing update is no reason to
    // give up, since one of the user's repositories may be down: the installation decides.
    if let Err(error) = retry::run(&apt_get(prefix, &["update"]), UPDATE_LIMIT) {
        println!("{error:#}; trying with the lists that are there");
    }
    // Asked again, because the update may have brought a newer version.
    let version = newest_llvm();
    if version.is_none() && !llvm.is_empty() {
        bail!("this distribution has none of LLVM {LLVM_VERSIONS:?}; see https://apt.llvm.org");
    }
    let packages = packages(llvm, others, version.unwrap_or(LLVM_VERSIONS[0]));
    let mut words = vec!["install", "--yes", "--no-install-recommends"];
    words.extend(packages.iter().map(String::as_str));
    let script = without_services().display().to_string();
    let prefix = [prefix, &["sh", &script, "", SERVICES]].concat();
    retry::run(&apt_get(&prefix, &words), INSTALL_LIMIT)
}

/// Returns the path of the script that keeps services from starting.
fn without_services() -> PathBuf {
    workspace::root().join("xtask/src/setup/without_services.sh")
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
            "packages are missing; run this, then this task again:\n\n    \
             sudo apt-get update && sudo apt-get install --yes --no-install-recommends {packages}\n"
        )
    } else {
        format!(
            "no apt-get here; install what Debian and Ubuntu call {packages} (libLLVM and lld of LLVM \
             19 or newer), or say where they are with WAVETUNE_LIBLLVM and WAVETUNE_LLD"
        )
    }
}

/// Returns the prefix of a command that needs root: nothing for root, or sudo if it needs no
/// password. Returns `None` without both, or without apt-get.
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
    // `env`, because sudo drops the environment. NEEDRESTART is Ubuntu's question about services.
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

/// Returns the newest version with both an installable library and an installable linker.
pub(crate) fn newest_llvm() -> Option<u32> {
    let has = |package: String| {
        let policy = step::output(Command::new("apt-cache").arg("policy").arg(package));
        policy.is_some_and(|text| has_candidate(&text))
    };
    let complete =
        |version: &u32| has(format!("libllvm{version}")) && has(format!("lld-{version}"));
    LLVM_VERSIONS.into_iter().find(complete)
}

/// Returns true if `apt-cache policy` names a version to install; for an unknown package it
/// prints nothing.
fn has_candidate(policy: &str) -> bool {
    let candidate = policy
        .lines()
        .find_map(|line| line.trim().strip_prefix("Candidate:"));
    candidate.is_some_and(|version| version.trim() != "(none)")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::process::Command;

    use super::{has_candidate, packages, without_services};

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

    /// Returns what `command` saw of a system's folder, and if it succeeded, under the script.
    fn run_without_services(root: &Path, command: &str) -> (String, bool) {
        let mut script = Command::new("sh");
        script.arg(without_services()).arg(root);
        script.args(["absent.service", "sh", "-c", command]);
        let output = script.current_dir(root).output().unwrap();
        let seen = [output.stdout, output.stderr].concat();
        (String::from_utf8(seen).unwrap(), output.status.success())
    }

    /// Returns every path below a folder.
    fn tree(root: &Path) -> String {
        let mut find = Command::new("find");
        let output = find.arg(".").current_dir(root).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines.join("\n")
    }

    /// A folder as a system's root, removed at the end.
    struct Root(std::path::PathBuf);

    impl Root {
        fn new(name: &str) -> Root {
            let folder = format!("wavetune-setup-{name}-{}", std::process::id());
            let folder = std::env::temp_dir().join(folder);
            fs::create_dir_all(folder.join("etc")).unwrap();
            fs::create_dir_all(folder.join("usr/sbin")).unwrap();
            Root(folder)
        }
    }

    impl Drop for Root {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const SEEN: &str = "usr/sbin/policy-rc.d; echo $?; cat etc/postgresql-common/createcluster.d/*";

    #[test]
    fn packages_start_no_service_and_the_system_is_as_before() {
        let root = Root::new("clean");
        let before = tree(&root.0);
        let (seen, succeeded) = run_without_services(&root.0, SEEN);
        assert_eq!(seen, "101\ncreate_main_cluster = false\n");
        assert!(succeeded);
        assert_eq!(tree(&root.0), before);
        // After a failure, and after the signal of `timeout`.
        for command in ["false", "kill -TERM $PPID"] {
            let (_, succeeded) = run_without_services(&root.0, command);
            assert!(!succeeded, "{command}");
            assert_eq!(tree(&root.0), before, "{command}");
        }
    }

    #[test]
    fn a_policy_of_the_administrator_comes_back() {
        let root = Root::new("policy");
        let policy = root.0.join("usr/sbin/policy-rc.d");
        fs::write(&policy, "#!/bin/sh\nexit 104\n").unwrap();
        fs::set_permissions(&policy, fs::Permissions::from_mode(0o711)).unwrap();
        let clusters = root.0.join("etc/postgresql-common/createcluster.d");
        fs::create_dir_all(&clusters).unwrap();
        fs::write(clusters.join("own.conf"), "").unwrap();
        let before = tree(&root.0);
        let (seen, _) = run_without_services(&root.0, SEEN);
        assert_eq!(seen, "101\ncreate_main_cluster = false\n");
        assert_eq!(tree(&root.0), before);
        let text = fs::read_to_string(&policy).unwrap();
        assert_eq!(text, "#!/bin/sh\nexit 104\n");
        let mode = policy.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o711);
    }
}
