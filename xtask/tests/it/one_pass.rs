//! The wrapper of CI's builds fails for a finding of clippy or rustdoc.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Builds a package of one source with xtask as the wrapper, and compares the error.
#[track_caller]
fn check(folder: &Path, kind: &str, source: &str, expected: Option<&str>) {
    let sources = folder.join("src");
    fs::create_dir_all(&sources).unwrap();
    fs::write(
        folder.join("Cargo.toml"),
        "[package]\nname = \"small\"\nedition = \"2024\"\n[workspace]\n",
    )
    .unwrap();
    fs::write(sources.join(kind), source).unwrap();
    // The wrapper writes beside its folder, as in a target directory.
    let wrapper = folder.join("target/tmp/workspace-wrapper");
    fs::create_dir_all(wrapper.parent().unwrap()).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_xtask"), &wrapper).unwrap();
    let built = Command::new(env!("CARGO"))
        .args(["build", "--offline"])
        .current_dir(folder)
        .env("RUSTC_WORKSPACE_WRAPPER", &wrapper)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&built.stderr);
    assert_eq!(
        built.status.success(),
        expected.is_none(),
        "{source}: {errors}"
    );
    assert!(
        errors.contains(expected.unwrap_or_default()),
        "{source}: {errors}"
    );
}

#[test]
fn lints_are_errors() {
    let folder = std::env::temp_dir().join(format!("xtask-one-pass-{}", std::process::id()));
    let check =
        |name: &str, kind, source, expected| check(&folder.join(name), kind, source, expected);
    check("right", "lib.rs", "//! A [`bool`].\n", None);
    let compared = "//! A function.\n/// Inverts.\npub fn f(x: bool) -> bool { x == false }\n";
    check(
        "clippy",
        "lib.rs",
        compared,
        Some("clippy::bool-comparison"),
    );
    check("rustc", "lib.rs", "fn unused() {}\n", Some("dead-code"));
    check(
        "rustdoc",
        "lib.rs",
        "//! A [`Missing`] link.\n",
        Some("broken-intra-doc-links"),
    );
    // clap prints these comments.
    check(
        "program",
        "main.rs",
        "//! A [`Missing`] option.\nfn main() {}\n",
        None,
    );
    fs::remove_dir_all(&folder).unwrap();
}
