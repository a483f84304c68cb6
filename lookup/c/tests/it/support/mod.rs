//! A table, and the folder of the libraries.

use std::path::{Path, PathBuf};

pub(crate) use testing_tables::tuned_table::TUNED;

/// Returns the folder of both libraries, which is that of the tests.
pub(crate) fn libraries() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().map(Path::to_path_buf).unwrap()
}

/// Returns a table of the problems in [`TUNED`].
pub(crate) fn table() -> Vec<u8> {
    testing_tables::tuned_table::table(lookup::family)
}
