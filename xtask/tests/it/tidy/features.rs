//! Features of dependencies: programs, tests and single packages have the same, and so share one
//! build.

use std::collections::BTreeSet;
use std::process::Command;

use super::crates::MAY_KNOW;
use super::{none, root, texts};

/// Returns the packages of a build, each with its features.
fn built(selection: &[&str], edges: &str) -> BTreeSet<String> {
    let output = Command::new("cargo")
        .current_dir(root())
        .args(["tree", "--locked", "--prefix", "none"])
        .args(["--format", "{p} {f}", "--edges", edges])
        .args(selection)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let packages = String::from_utf8(output.stdout).unwrap();
    let packages = packages.lines().map(|line| line.trim_end_matches(" (*)"));
    packages.map(str::to_owned).collect()
}

/// Describes the packages and features of a build that the whole workspace's build lacks.
fn added(name: &str, package: &BTreeSet<String>, workspace: &BTreeSet<String>) -> Vec<String> {
    let other = package.difference(workspace);
    other
        .map(|it| format!("`-p {name}` builds {it} again; `cargo hakari generate` mends it"))
        .collect()
}

#[test]
fn tests_bring_no_features_to_what_programs_have() {
    let program = built(&["--workspace"], "normal,build");
    let tests = built(&["--workspace"], "normal,build,dev");
    assert!(program.len() > 100, "{program:?}");
    let other: Vec<_> = program.difference(&tests).collect();
    assert!(
        other.is_empty(),
        "built twice, for programs and for tests: {other:#?}"
    );
}

/// Checks every `nth` package alone.
fn check_alone(nth: usize) {
    let edges = "normal,build,dev";
    let workspace = built(&["--workspace"], edges);
    let mut findings = Vec::new();
    for (folder, _) in MAY_KNOW
        .iter()
        .filter(|(folder, _)| *folder != "gpu/emulator/fuzz")
        .step_by(nth)
    {
        let manifest = std::fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        let name = manifest
            .lines()
            .find_map(|line| line.strip_prefix("name = "));
        let name = name.unwrap().trim_matches('"');
        findings.extend(added(name, &built(&["--package", name], edges), &workspace));
    }
    none(findings);
}

/// A feature that some package adds is missing in nearly all others.
#[test]
fn some_packages_alone_build_nothing_again() {
    check_alone(5);
}

#[test]
#[ignore = "full: cargo once for each package"]
fn a_package_alone_builds_nothing_again() {
    check_alone(1);
}

/// Returns true if a check of the workspace would compile the dependencies of programs again, for
/// the host, on behalf of this package.
fn brings_programs_to_the_host(manifest: &str) -> bool {
    manifest.contains("proc-macro = true") && manifest.contains("\nworkspace-hack")
}

#[test]
fn macros_do_without_the_dependencies_of_programs() {
    let manifests = texts("Cargo.toml").into_iter();
    let wrong = manifests.filter(|(_, text)| brings_programs_to_the_host(text));
    none(
        wrong
            .map(|(file, _)| format!("{file}: a macro needs no workspace-hack"))
            .collect(),
    );
    let kind = "[lib]\nproc-macro = true\n";
    let dependency = "[dependencies]\nworkspace-hack.workspace = true\n";
    assert!(brings_programs_to_the_host(&[kind, dependency].concat()));
    assert!(!brings_programs_to_the_host(kind) && !brings_programs_to_the_host(dependency));
}

#[test]
fn a_planted_feature_is_noticed() {
    let of = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    let workspace: BTreeSet<String> = of(&["serde v1 alloc,std", "memchr v2 std"]);
    assert!(added("a", &of(&["memchr v2 std"]), &workspace).is_empty());
    assert_eq!(added("a", &of(&["serde v1 std"]), &workspace).len(), 1);
}
