//! What the tests that need LLVM share.
#![allow(
    unreachable_pub,
    dead_code,
    reason = "a module of each test, and not each uses all of it"
)]

pub mod try_out;

use testing::{Failed, Trial};
pub use testing::{Random, llvm};

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
