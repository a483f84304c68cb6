//! Dependencies between the crates: a manifest names only crates that the table allows.

use crate::tidy::{none, root, texts};

/// The allowed dependencies of each crate; ARCHITECTURE.md refers to this table. Its order is that
/// of the data, so a row names only rows above it.
pub(super) const MAY_KNOW: &[(&str, &[&str])] = &[
    ("xtask/workspace-hack", &[]),
    ("testing/attribute", &[]),
    ("testing", &["testing/attribute"]),
    ("configgen", &[]),
    ("codegen/object-cache", &[]),
    ("gpu/emulator", &[]),
    ("gpu/emulator/fuzz", &["gpu/emulator"]),
    ("xtask", &["testing"]),
    ("codegen/sandbox", &[]),
    ("testing/problems", &["configgen", "testing"]),
    (
        "codegen",
        &["configgen", "codegen/sandbox", "codegen/object-cache"],
    ),
    ("iree", &["configgen", "codegen/sandbox", "codegen"]),
    (
        "bench-harness",
        &["configgen", "codegen", "gpu/emulator", "codegen/sandbox"],
    ),
    (
        "gpu/hip-library",
        &["configgen", "gpu/emulator", "bench-harness"],
    ),
    ("migrations", &[]),
    ("store", &["configgen"]),
    ("testing/shared-server", &[]),
    ("testing/nats", &["testing/shared-server"]),
    ("testing/postgres", &["testing/shared-server"]),
    ("store/relational", &["configgen", "store"]),
    ("testing/store-contract", &["configgen", "store", "testing"]),
    (
        "store/sqlite",
        &["configgen", "migrations", "store", "store/relational"],
    ),
    (
        "store/postgres",
        &["configgen", "migrations", "store", "store/relational"],
    ),
    (
        "testing/sqlite",
        &["store", "testing/store-contract", "store/sqlite"],
    ),
    ("server/dispatch", &[]),
    ("testing/conformance", &[]),
    ("answers", &["configgen", "store"]),
    ("lookup/table", &[]),
    ("testing/tables", &["configgen", "lookup/table"]),
    ("prediction", &["configgen"]),
    (
        "lookup",
        &[
            "configgen",
            "store",
            "answers",
            "lookup/table",
            "prediction",
        ],
    ),
    ("lookup/c", &["answers", "lookup", "lookup/table"]),
    (
        "kernel-export",
        &[
            "configgen",
            "codegen",
            "gpu/emulator",
            "bench-harness",
            "store",
            "answers",
            "lookup",
        ],
    ),
    (
        "iree/export",
        &[
            "configgen",
            "codegen",
            "iree",
            "bench-harness",
            "store",
            "answers",
            "lookup",
            "kernel-export",
        ],
    ),
    (
        "model-profile",
        &[
            "configgen",
            "codegen/sandbox",
            "codegen/object-cache",
            "codegen",
            "iree",
            "bench-harness",
            "store",
            "answers",
            "lookup",
            "kernel-export",
            "iree/export",
        ],
    ),
    (
        "answers/explanation",
        &[
            "configgen",
            "codegen",
            "gpu/emulator",
            "bench-harness",
            "answers",
        ],
    ),
    ("search", &["configgen", "lookup"]),
    (
        "tuner",
        &[
            "configgen",
            "codegen",
            "iree",
            "bench-harness",
            "store",
            "answers",
            "lookup",
            "prediction",
            "search",
        ],
    ),
    (
        "server/fleet",
        &[
            "configgen",
            "codegen",
            "bench-harness",
            "store",
            "store/sqlite",
            "tuner",
            "server/dispatch",
        ],
    ),
    (
        "testing/agent",
        &[
            "configgen",
            "codegen",
            "bench-harness",
            "store",
            "tuner",
            "server/fleet",
        ],
    ),
    ("server/client", &["store", "answers"]),
    ("web", &[]),
    (
        "server/agent",
        &[
            "configgen",
            "codegen",
            "bench-harness",
            "tuner",
            "server/client",
            "server/fleet",
        ],
    ),
    (
        "server",
        &[
            "configgen",
            "codegen",
            "bench-harness",
            "store",
            "answers",
            "lookup",
            "answers/explanation",
            "kernel-export",
            "iree/export",
            "model-profile",
            "tuner",
            "server/dispatch",
            "server/fleet",
            "web",
        ],
    ),
    (
        "cli",
        &[
            "configgen",
            "codegen",
            "gpu/emulator",
            "codegen/sandbox",
            "bench-harness",
            "tuner",
            "store",
            "store/sqlite",
            "store/postgres",
            "answers",
            "lookup",
            "prediction",
            "lookup/table",
            "search",
            "kernel-export",
            "iree",
            "iree/export",
            "model-profile",
            "codegen/object-cache",
            "server/dispatch",
            "server/fleet",
            "server/client",
            "server/agent",
            "server",
            "web",
        ],
    ),
];

/// Returns the name of the package in a folder. One in the folder of another is named after both.
fn package(folder: &str) -> String {
    match folder {
        // hakari's name for it.
        "xtask/workspace-hack" => "workspace-hack".to_owned(),
        // `gpu/` holds packages and is none.
        _ => folder.trim_start_matches("gpu/").replace('/', "-"),
    }
}

/// Returns the workspace's crates that a manifest names as dependencies, and whether only for
/// tests.
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
            let row = MAY_KNOW.iter().find(|(row, _)| package(row) == name);
            known.extend(row.map(|(row, _)| (*row, table.ends_with("dev-dependencies"))));
        }
    }
    known
}

#[test]
fn known_crates_are_found_in_every_table() {
    let manifest = "[package]\nname = \"codegen\"\nstore = 1\n[dependencies]\nconfiggen.workspace = true\n\
                    serde.workspace = true\n[dev-dependencies]\nemulator = { path = \"../gpu/emulator\" }\n\
                    [lints]\nworkspace = true\ntuner = 1\n";
    assert_eq!(
        known_crates(manifest),
        [("configgen", false), ("gpu/emulator", true)]
    );
}

/// Returns true for a library of `testing/` that knows no crate below the row. Shared test code
/// of a crate and of later ones stands below that crate.
fn is_support(name: &str, row: usize) -> bool {
    let rows = || MAY_KNOW.iter().map(|(name, _)| *name);
    let known = MAY_KNOW.iter().find(|(other, _)| *other == name);
    name.starts_with("testing/")
        && known.is_some_and(|(_, known)| {
            let is_late = |it: &&str| rows().position(|other| other == *it) > Some(row);
            !known.iter().any(is_late)
        })
}

#[test]
fn support_of_tests_brings_no_later_crate() {
    let row = |name| MAY_KNOW.iter().position(|(row, _)| *row == name).unwrap();
    assert!(is_support("testing/agent", row("server/fleet")));
    assert!(!is_support("testing/agent", row("tuner")));
    assert!(!is_support("server/fleet", row("server/fleet")));
}

/// Checks the dependencies. A crate's tests may also know each crate above it in the table.
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
            // It contains no code, and every package takes its features from it.
            let allowed = known == "xtask/workspace-hack" || MAY_KNOW[row].1.contains(&known);
            let above = above || is_support(known, row);
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

/// Returns true if a source has an example that rustdoc runs: a fence without a language, or with
/// one of rustdoc's own words.
fn has_doc_test(source: &str) -> bool {
    let comments = source.lines().map(str::trim_start);
    let comments = comments.filter_map(|line| {
        line.strip_prefix("/// ")
            .or_else(|| line.strip_prefix("//! "))
    });
    let fences = comments.filter_map(|line| line.trim_start().strip_prefix("```"));
    // Opening and closing fences alternate.
    fences.step_by(2).any(|words| {
        let word = words.split(',').next().unwrap_or_default();
        ["", "rust", "no_run", "should_panic", "compile_fail"].contains(&word)
    })
}

#[test]
fn examples_that_rustdoc_runs_are_found() {
    assert!(has_doc_test("/// ```\n/// f();\n/// ```\n"));
    assert!(has_doc_test("//! ```text\n//! x\n//! ```\n//! ```no_run\n"));
    assert!(!has_doc_test("/// ```text\n/// x\n/// ```\n// ```\n"));
}

/// Checks that rustdoc tests only libraries with examples, because each costs it seconds.
#[test]
fn a_library_is_tested_by_rustdoc_only_if_it_has_an_example() {
    let sources = texts(".rs");
    let mut findings = Vec::new();
    for (name, _) in MAY_KNOW {
        if *name == "gpu/emulator/fuzz" || !root().join(name).join("src/lib.rs").is_file() {
            continue;
        }
        let manifest = std::fs::read_to_string(root().join(name).join("Cargo.toml")).unwrap();
        let folder = format!("{name}/src/");
        let mut own = sources.iter().filter(|(file, _)| file.starts_with(&folder));
        let has_any = own.any(|(_, text)| has_doc_test(text));
        if has_any == manifest.contains("doctest = false") {
            findings.push(format!("{name}: has an example: {has_any}; see `doctest`"));
        }
    }
    none(findings);
}
