//! The book that `wavetune serve` shows: from a named folder, or from its installation.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::running::{Running, answer};

/// Writes a book of one page.
fn plant(folder: &Path, page: &str) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("index.html"), page).unwrap();
}

/// Returns the command of the program at this path, with its own database.
fn program(path: &Path, folder: &Path) -> Command {
    let mut command = Command::new(path);
    command.env("WAVETUNE_DB", folder.join("test.db"));
    command.stdin(Stdio::null());
    command
}

/// Checks a service's answer for the book. The command starts the service.
#[track_caller]
fn check(mut command: Command, arguments: &[&str], expected: [&str; 2]) {
    command.args(["serve", "--no-agent", "--listen", "127.0.0.1:0"]);
    command.args(arguments);
    let service = Running::start(command, "listening on").unwrap();
    let answer = answer(service.address(), "GET /docs/", "").unwrap();
    for part in expected {
        assert!(answer.contains(part), "{arguments:?}: {part}: {answer}");
    }
}

#[test]
fn a_service_shows_the_book_that_it_was_told() {
    let folder = tempfile::tempdir().unwrap();
    let installed = folder.path().join("usr");
    fs::create_dir_all(installed.join("bin")).unwrap();
    let path = installed.join("bin/wavetune");
    // A hard link, because a symbolic link would lead the program to its build folder.
    let built = env!("CARGO_BIN_EXE_wavetune");
    let linked = fs::hard_link(built, &path);
    linked
        .or_else(|_| fs::copy(built, &path).map(drop))
        .unwrap();
    let program = || program(&path, folder.path());
    check(
        program(),
        &[],
        ["HTTP/1.1 404 ", "wavetune serve --docs DIR"],
    );
    plant(
        &installed.join("share/doc/wavetune/book"),
        "the installed book",
    );
    check(program(), &[], ["HTTP/1.1 200 ", "the installed book"]);
    let named = folder.path().join("named");
    plant(&named, "the named book");
    let named = named.to_str().unwrap();
    check(
        program(),
        &["--docs", named],
        ["HTTP/1.1 200 ", "the named book"],
    );
}

#[test]
fn a_folder_without_a_book_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut serve = program(Path::new(env!("CARGO_BIN_EXE_wavetune")), folder.path());
    serve.args(["serve", "--no-agent", "--listen", "127.0.0.1:0", "--docs"]);
    let output = serve.arg(folder.path()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.starts_with("error: --docs: ") && said.contains("has no index.html"),
        "{said}"
    );
}
