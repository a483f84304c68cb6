//! Where clang is, for the tests that compile HIP C++; those of other crates have this file, too.

use std::path::PathBuf;

/// clang of LLVM 22, in the distribution's place or in PATH under a name with its version.
pub(crate) fn clang() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let versioned = std::env::split_paths(&path).map(|folder| folder.join("clang-22"));
    std::iter::once(PathBuf::from("/usr/lib/llvm-22/bin/clang"))
        .chain(versioned)
        .find(|candidate| candidate.is_file())
}
