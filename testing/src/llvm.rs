//! The programs of LLVM.

use std::path::PathBuf;

/// Finds a tool of LLVM 22: in the distribution's folder, or in `PATH` under a name with its
/// version.
pub fn llvm(tool: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let versioned = std::env::split_paths(&path).map(|folder| folder.join(format!("{tool}-22")));
    let usual = PathBuf::from("/usr/lib/llvm-22/bin").join(tool);
    std::iter::once(usual)
        .chain(versioned)
        .find(|candidate| candidate.is_file())
}
