//! Files that documents name exist.

use crate::tidy::{committed, none, texts};

/// A pattern of names, and a file that an export writes.
const NO_PATHS: &[&str] = &["lookup/tests/it/schemas/N.sql", "kernels/tuning-spec.mlir"];

/// Returns the paths of a document: words in backticks with a `/` at their end, or with a `/` and
/// the extension of a source or a text.
fn paths(document: &str) -> impl Iterator<Item = &str> {
    let spans = document
        .lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2));
    spans.filter(|span| {
        let is_word = span
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "./_-".contains(c));
        let ends = [
            "/", ".rs", ".md", ".toml", ".js", ".mlir", ".sql", ".json", ".h", ".py", ".txt",
        ];
        is_word
            && span.contains('/')
            && !span.starts_with(['/', '.'])
            && ends.iter().any(|it| span.ends_with(it))
    })
}

/// Returns whether a path is one of these files or a folder of one, from the root or from an
/// earlier named folder.
fn is_there(path: &str, files: &[String]) -> bool {
    files.iter().any(|file| {
        let at = match file.starts_with(path) {
            true => Some(0),
            false => file.find(&format!("/{path}")).map(|at| at + 1),
        };
        at.is_some_and(|at| path.ends_with('/') || file.len() == at + path.len())
    })
}

#[test]
fn documents_name_files_that_are_there() {
    let files = committed();
    let mut named = 0;
    let mut findings = Vec::new();
    for (document, text) in texts(".md") {
        for path in paths(&text) {
            named += 1;
            if !is_there(path, &files) && !NO_PATHS.contains(&path) {
                findings.push(format!("{document}: there is no {path}"));
            }
        }
    }
    assert!(named > 200, "only {named} are named");
    none(findings);
}

#[test]
fn paths_are_told_from_other_words() {
    let found: Vec<&str> =
        paths("`a/b.rs` and `a/b/`, `x / y`, `a.rs`, `GET /a/`, `b/c`, `../d/e.rs`").collect();
    assert_eq!(found, ["a/b.rs", "a/b/"]);
    let files = ["configgen/src/device/table.rs".to_owned()];
    for path in [
        "configgen/src/device/",
        "device/table.rs",
        "configgen/src/device/table.rs",
    ] {
        assert!(is_there(path, &files), "{path}");
    }
    for path in [
        "configgen/src/device.rs",
        "evice/table.rs",
        "src/table.rs",
        "device/table.r",
    ] {
        assert!(!is_there(path, &files), "{path}");
    }
}
