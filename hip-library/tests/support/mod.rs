//! Where the library under test is.

use std::path::PathBuf;

/// The library: cargo builds it for the tests, beside them.
pub(crate) fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows itself");
    let library = test.with_file_name("libwavetune_hip.so");
    assert!(library.is_file(), "{} is not there", library.display());
    library
}
