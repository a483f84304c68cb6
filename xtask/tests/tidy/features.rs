//! What the program is built of is what its tests are built of, or one of the two would be built after the other.

use std::collections::BTreeSet;
use std::process::Command;

use super::root;

/// The packages of a build of the workspace, each with its features.
fn built(edges: &str) -> BTreeSet<String> {
    let output = Command::new("cargo")
        .current_dir(root())
        .args(["tree", "--workspace", "--locked", "--prefix", "none"])
        .args(["--format", "{p} {f}", "--edges", edges])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let packages = String::from_utf8(output.stdout).unwrap();
    let packages = packages.lines().map(|line| line.trim_end_matches(" (*)"));
    packages.map(str::to_owned).collect()
}

#[test]
fn tests_bring_no_features_to_what_programs_have() {
    let (program, tests) = (built("normal,build"), built("normal,build,dev"));
    assert!(program.len() > 100, "{program:?}");
    let other: Vec<_> = program.difference(&tests).collect();
    assert!(
        other.is_empty(),
        "built twice, for programs and for tests: {other:#?}"
    );
}
