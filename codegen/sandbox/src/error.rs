//! Errors of the sandbox, with the remedy in each message.

use std::fs;

/// The kernel's settings in `/proc/sys` that can forbid user namespaces to all but root. Each has
/// the value that forbids them, and the setting that permits them.
const SETTINGS: [(&str, &str, &str); 3] = [
    (
        "user/max_user_namespaces",
        "0",
        "user.max_user_namespaces=10000",
    ),
    // A setting of Debian's kernels.
    (
        "kernel/unprivileged_userns_clone",
        "0",
        "kernel.unprivileged_userns_clone=1",
    ),
    // A setting of Ubuntu's kernels since 24.04, which permit programs with an AppArmor profile.
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "kernel.apparmor_restrict_unprivileged_userns=0",
    ),
];

/// An error of the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SandboxError {
    /// bubblewrap is not installed.
    #[error(
        "the sandbox needs bubblewrap, which is not in PATH; install it with `sudo apt-get install bubblewrap`"
    )]
    Missing,
    /// bubblewrap does not know an option.
    #[error("the sandbox needs bubblewrap 0.8 or newer: {said}")]
    TooOld {
        /// The message of bubblewrap.
        said: String,
    },
    /// A setting of the kernel forbids it.
    #[error(
        "the sandbox cannot start, because this user may not create namespaces: {said}; `sudo sysctl {setting}` \
         allows it"
    )]
    Forbidden {
        /// The message of bubblewrap.
        said: String,
        /// The setting that permits it.
        setting: &'static str,
    },
    /// A container or a systemd unit prevents it, or a cause that only bubblewrap's message
    /// names.
    #[error(
        "the sandbox cannot start, because bubblewrap fails: {said}; a container or systemd unit must allow user \
         namespaces and mounts, including /proc"
    )]
    Failed {
        /// The message of bubblewrap.
        said: String,
    },
}

impl SandboxError {
    /// Returns whether the cause is the installation, and not a restriction of this machine or
    /// container.
    pub fn is_of_installation(&self) -> bool {
        matches!(self, SandboxError::Missing | SandboxError::TooOld { .. })
    }

    /// Returns the error for a message of bubblewrap.
    pub(crate) fn of(said: &str) -> SandboxError {
        SandboxError::with(said, |setting| {
            fs::read_to_string(format!("/proc/sys/{setting}")).ok()
        })
    }

    fn with(said: &str, setting: impl Fn(&str) -> Option<String>) -> SandboxError {
        let said = said
            .lines()
            .next()
            .unwrap_or("it printed nothing")
            .to_owned();
        if said.contains("Unknown option") {
            return SandboxError::TooOld { said };
        }
        let forbids = |(name, value, _): &&(&str, &str, &str)| {
            setting(name).is_some_and(|found| found.trim() == *value)
        };
        // If the number of namespaces is exhausted, the message names the first setting.
        let [most, ..] = &SETTINGS;
        let exceeded = said.contains("max_*_namespaces").then_some(most);
        match SETTINGS.iter().find(forbids).or(exceeded) {
            Some(&(_, _, setting)) => SandboxError::Forbidden { said, setting },
            None => SandboxError::Failed { said },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(said: &str, setting: (&str, &str), expected: &str) {
        let value = |name: &str| (name == setting.0).then(|| format!("{}\n", setting.1));
        let refusal = SandboxError::with(said, value).to_string();
        assert!(refusal.contains(expected), "{refusal}");
        assert!(!refusal.contains('\n'), "{refusal}");
    }

    #[test]
    fn refusals_have_advice() {
        let forbidden = "bwrap: No permissions to create new namespace, likely because the kernel does not allow it.\nmore\n";
        let (max, clone) = (
            "user/max_user_namespaces",
            "kernel/unprivileged_userns_clone",
        );
        let restricted = "kernel/apparmor_restrict_unprivileged_userns";
        check(
            forbidden,
            (max, "0"),
            "`sudo sysctl user.max_user_namespaces=10000`",
        );
        check(
            forbidden,
            (clone, "0"),
            "`sudo sysctl kernel.unprivileged_userns_clone=1`",
        );
        check(
            "bwrap: setting up uid map: Permission denied",
            (restricted, "1"),
            "`sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`",
        );
        check(forbidden, (max, "96365"), "a container or systemd unit");
        check(
            forbidden,
            (restricted, "0"),
            "No permissions to create new namespace",
        );
        check(
            "bwrap: Unknown option --disable-userns",
            (max, "0"),
            "0.8 or newer",
        );
        check("", (max, "1"), "it printed nothing");
    }
}
