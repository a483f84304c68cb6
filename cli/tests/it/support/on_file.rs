//! Commands on a file.

use std::path::Path;
use std::process::{Command, Output};

use super::error_lines;

/// Runs `wavetune` on a file of this name with this text; `FILE` among the arguments stands for
/// its path.
pub(crate) fn run(directory: &Path, name: &str, text: &str, arguments: &[&str]) -> Output {
    let file = directory.join(name);
    std::fs::write(&file, text).unwrap();
    let path = |&argument: &&str| match argument {
        "FILE" => file.as_os_str().to_owned(),
        other => other.into(),
    };
    Command::new(env!("CARGO_BIN_EXE_wavetune"))
        .args(arguments.iter().map(path))
        .env("WAVETUNE_DB", directory.join("test.db"))
        .env("WAVETUNE_LIBLLVM", directory.join("absent.so"))
        .output()
        .unwrap()
}

/// Checks the exit code, and a part of the output; an error is one line.
#[track_caller]
pub(crate) fn check(name: &str, text: &str, arguments: &[&str], exit: i32, part: &str) {
    let directory = tempfile::tempdir().unwrap();
    let output = run(directory.path(), name, text, arguments);
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8(said).unwrap();
    assert_eq!(output.status.code(), Some(exit), "{said}");
    assert!(said.contains(part) && !said.contains("panicked"), "{said}");
    if exit == 2 {
        assert_eq!(error_lines(&said), 1, "{said}");
    }
}
