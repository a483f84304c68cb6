//! What the tests that need LLVM share.
#![allow(
    unreachable_pub,
    dead_code,
    reason = "a module of each test, and not each uses all of it"
)]

use std::path::PathBuf;

use libtest_mimic::{Failed, Trial};

/// An LLVM 22 tool: in the distribution's place, or in PATH where its name carries the version.
pub fn llvm(tool: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let versioned = std::env::split_paths(&path).map(|folder| folder.join(format!("{tool}-22")));
    let usual = PathBuf::from("/usr/lib/llvm-22/bin").join(tool);
    std::iter::once(usual)
        .chain(versioned)
        .find(|candidate| candidate.is_file())
}

/// A generator of random numbers: the same numbers each time.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// A test that is shown as ignored where LLVM 22 is absent, and fails there in CI.
pub fn with_llvm(
    name: &str,
    tools: &[&str],
    test: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let absent: Vec<&str> = tools
        .iter()
        .copied()
        .filter(|tool| llvm(tool).is_none())
        .collect();
    if absent.is_empty() {
        return Trial::test(name, test);
    }
    let reason = format!("LLVM 22's {} not found", absent.join(", "));
    let in_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    let ignored = !in_ci;
    Trial::test(format!("{name} ({reason})"), move || Err(reason.into())).with_ignored_flag(ignored)
}
