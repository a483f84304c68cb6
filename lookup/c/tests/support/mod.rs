//! A table, and the libraries.

#[path = "../../../tests/written/mod.rs"]
mod written;

use std::path::{Path, PathBuf};

#[allow(unused_imports)]
pub(crate) use written::{TUNED, table};

/// The folder that both libraries are built in, which is that of the tests.
pub(crate) fn libraries() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().map(Path::to_path_buf).unwrap()
}
