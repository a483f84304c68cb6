//! The number of test executables: each is linked again after a change of any of its parts.

use std::process::Command;

use crate::tidy::{none, root, texts};

/// One for a package's unit tests, and one for its suites.
const MOST_OF_A_PACKAGE: usize = 2;
const MOST: usize = 52;

/// Returns the manifest and the number of test executables for each package of `cargo metadata`.
fn executables(metadata: &str) -> Vec<(String, usize)> {
    let packages = metadata.split("\"targets\":[").skip(1);
    let counted = packages.filter_map(|package| {
        let (targets, rest) = package.split_once("\"manifest_path\":\"")?;
        let (manifest, _) = rest.split_once('"')?;
        Some((
            manifest.to_owned(),
            targets.matches("\"test\":true").count(),
        ))
    });
    counted.collect()
}

/// Describes the packages with too many executables.
fn too_many(executables: &[(String, usize)]) -> Vec<String> {
    let many = executables.iter().filter(|it| it.1 > MOST_OF_A_PACKAGE);
    let mut findings: Vec<String> = many
        .map(|(manifest, count)| {
            format!("{manifest}: {count} test executables; a suite is a module of tests/it")
        })
        .collect();
    let all: usize = executables.iter().map(|it| it.1).sum();
    if all > MOST {
        findings.push(format!("{all} test executables, of at most {MOST}"));
    }
    findings
}

#[test]
fn test_executables_are_few() {
    let output = Command::new("cargo")
        .current_dir(root())
        .args(["metadata", "--no-deps", "--locked", "--format-version", "1"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let executables = executables(&String::from_utf8(output.stdout).unwrap());
    assert!(executables.len() > 20, "{executables:?}");
    none(too_many(&executables));
}

#[test]
fn an_executable_too_many_is_noticed() {
    let target = |kind: &str, test: bool| format!("{{\"kind\":[\"{kind}\"],\"test\":{test}}}");
    let package = |targets: &[String]| {
        let targets = targets.join(",");
        format!("{{\"targets\":[{targets}],\"manifest_path\":\"/a/Cargo.toml\"}}")
    };
    let two = [
        target("lib", true),
        target("test", true),
        target("bench", false),
    ];
    let found = executables(&package(&two));
    assert_eq!(found, [("/a/Cargo.toml".to_owned(), 2)]);
    assert!(too_many(&found).is_empty());
    let three = executables(&package(
        &[two.as_slice(), &[target("test", true)]].concat(),
    ));
    assert_eq!(too_many(&three).len(), 1, "{three:?}");
    let many = executables(&package(&two).repeat(MOST / 2 + 1));
    assert_eq!(too_many(&many).len(), 1);
}

/// Returns the paths of `#[path]` that lead out of a file's own folder.
fn paths_outwards(text: &str) -> impl Iterator<Item = &str> {
    let paths = text.lines().filter_map(|line| {
        let path = line.trim_start().strip_prefix("#[path = \"")?;
        path.split('"').next()
    });
    paths.filter(|path| path.contains("../"))
}

/// Checks that code shared by several executables is compiled once, as a library.
#[test]
fn no_test_has_the_source_of_another() {
    // A benchmark and a fuzzer may share a test's source: neither is built with the tests. A
    // program may share its build script's, whose tests run nowhere else.
    let is_test = |file: &str| !file.contains("/benches/") && !file.contains("/fuzz/");
    let is_build_script = |path: &&str| path.starts_with("../build/");
    // Both stores compile this text, each against its own database.
    let is_of_both_stores = |path: &&str| path.starts_with("../../relational/shared/");
    let mut findings = Vec::new();
    for (file, text) in texts(".rs").iter().filter(|(file, _)| is_test(file)) {
        let paths =
            paths_outwards(text).filter(|path| !is_build_script(path) && !is_of_both_stores(path));
        findings.extend(paths.map(|path| format!("{file}: {path}: make it a library")));
    }
    none(findings);
    let planted = "#[path = \"a/b.rs\"]\nmod b;\n#[path = \"../c.rs\"]\nmod c;\n";
    assert!(paths_outwards(planted).eq(["../c.rs"]));
}

/// Returns the reason if an attribute of a source registers no test. `main` is the source of the
/// executable, which has no compiler's harness.
fn lost(main: &str, source: &str) -> Option<&'static str> {
    let has = |attribute: &str| {
        let mut lines = source.lines().map(str::trim_start);
        lines.any(|line| line.starts_with(attribute))
    };
    if has("#[tokio::test") {
        return Some("#[tokio::test] is no test here; #[test] takes an async function");
    }
    let is_ours = main.contains("#[macro_use]\nextern crate testing;");
    (has("#[test]") && !is_ours).then_some("#[test] is no test here without `testing`")
}

/// Checks that no test is lost: the compiler removes functions with its own `#[test]` from an
/// executable without its harness.
#[test]
fn no_test_gets_lost() {
    let sources = texts(".rs");
    let mut findings = Vec::new();
    for (manifest, text) in texts("/Cargo.toml") {
        let tests = text.split("[[test]]").skip(1);
        let tests = tests.map(|it| it.split("\n[").next().unwrap_or_default());
        if !tests.into_iter().any(|it| it.contains("harness = false")) {
            continue;
        }
        let folder = manifest.replace("Cargo.toml", "tests/");
        let own = || sources.iter().filter(|(file, _)| file.starts_with(&folder));
        let main = own().find(|(file, _)| file.ends_with("tests/it/main.rs"));
        let main = main.map_or("", |(_, text)| text);
        findings.extend(
            own().filter_map(|(file, text)| {
                lost(main, text).map(|reason| format!("{file}: {reason}"))
            }),
        );
    }
    none(findings);
    let ours = "#[macro_use]\nextern crate testing;\n";
    assert_eq!(lost(ours, "#[test]\nfn a() {}"), None);
    assert!(lost("", "#[test]\nfn a() {}").is_some());
    assert!(lost(ours, "#[tokio::test]\nasync fn a() {}").is_some());
}
