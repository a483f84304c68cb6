//! Which crate knows which: manifests name no crate that the table does not allow them.

use crate::{MAY_KNOW, none, texts};

/// The crates of this workspace that a manifest names as dependencies, and whether only for tests.
fn known_crates(manifest: &str) -> Vec<(&'static str, bool)> {
    let mut table = "";
    let mut known = Vec::new();
    for line in manifest.lines() {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            table = header.trim_end_matches(']');
        }
        if table.ends_with("dependencies") {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            // A package in a folder of another is named after both.
            let row = MAY_KNOW
                .iter()
                .find(|(row, _)| row.replace('/', "-") == name);
            known.extend(row.map(|(row, _)| (*row, table.ends_with("dev-dependencies"))));
        }
    }
    known
}

#[test]
fn known_crates_are_found_in_every_table() {
    let manifest = "[package]\nname = \"codegen\"\nstore = 1\n[dependencies]\nconfiggen.workspace = true\n\
                    serde.workspace = true\n[dev-dependencies]\nemulator = { path = \"../emulator\" }\n\
                    [lints]\nworkspace = true\ntuner = 1\n";
    assert_eq!(
        known_crates(manifest),
        [("configgen", false), ("emulator", true)]
    );
}

/// A crate's tests may also know whatever stands above it in the table.
#[test]
fn crates_know_only_what_comes_before_them() {
    let mut findings = Vec::new();
    for (file, manifest) in texts("/Cargo.toml") {
        let name = file.trim_end_matches("/Cargo.toml");
        let Some(row) = MAY_KNOW.iter().position(|(row, _)| *row == name) else {
            findings.push(format!("{name}: not in the table MAY_KNOW"));
            continue;
        };
        for (known, in_tests) in known_crates(&manifest) {
            let above = MAY_KNOW[..row].iter().any(|(earlier, _)| *earlier == known);
            let allowed = MAY_KNOW[row].1.contains(&known);
            if !(allowed || in_tests && above) {
                findings.push(format!("{name} must not know {known}"));
            }
        }
    }
    none(findings);
}

#[test]
fn the_table_of_crates_goes_one_way() {
    for (row, (name, known)) in MAY_KNOW.iter().enumerate() {
        for other in *known {
            let above = MAY_KNOW[..row].iter().any(|(earlier, _)| earlier == other);
            assert!(above, "{name} knows {other}, which does not stand above it");
        }
    }
}
