//! The dashboard's files are small and checked, and the npm packages of its tests are pinned.

use crate::tidy::{committed, none, root, texts};

/// Most lines of a file. Unlike in Rust, there are no exceptions.
const MAX_LINES: usize = 400;

/// Third-party libraries as released, which are not ours to shorten.
const VENDORED: &str = "web/app/vendor/";

const CHECKED: &str = "// @ts-check\n";

/// Describes the faults of a file of the dashboard or of its tests.
fn findings(file: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let lines = text.lines().count();
    if lines > MAX_LINES {
        findings.push(format!("{file}: {lines} lines"));
    }
    if file.ends_with(".js") && !text.starts_with(CHECKED) {
        findings.push(format!("{file} does not begin with {}", CHECKED.trim()));
    }
    findings
}

#[test]
fn files_of_the_dashboard_hold_one_idea_and_are_type_checked() {
    let files = texts("").into_iter().filter(|(file, _)| {
        let is_ours = ["web/app/", "web/tests/", "web/types/"]
            .iter()
            .any(|folder| file.starts_with(folder));
        let is_code = [".js", ".css", ".html"]
            .iter()
            .any(|end| file.ends_with(end));
        is_ours && is_code && !file.starts_with(VENDORED)
    });
    let files: Vec<_> = files.collect();
    assert!(files.len() >= 3, "only {}", files.len());
    none(
        files
            .iter()
            .flat_map(|(file, text)| findings(file, text))
            .collect(),
    );
}

#[test]
fn planted_files_of_the_dashboard_are_found() {
    #[track_caller]
    fn check(file: &str, text: &str, expected: usize) {
        assert_eq!(findings(file, text).len(), expected, "{file}");
    }
    check("a.js", CHECKED, 0);
    check("a.css", "", 0);
    check("a.js", "", 1);
    check("a.js", &format!("\n{CHECKED}"), 1);
    check("a.js", &"\n".repeat(401), 2);
    check("a.html", &"\n".repeat(400), 0);
    check("a.html", &"\n".repeat(401), 1);
}

#[test]
fn pictures_of_the_dashboard_are_listed_and_small() {
    // The limit in that file.
    const MOST_BYTES: u64 = 100_000;
    let list = std::fs::read_to_string(root().join("web/tests/screens.js")).unwrap();
    let mut findings = Vec::new();
    for file in committed() {
        let Some(picture) = file.strip_prefix("docs/screenshots/") else {
            continue;
        };
        let name = picture.trim_end_matches(".webp");
        if !list.contains(&format!("name: \"{name}\"")) {
            findings.push(format!("{file} is not in web/tests/screens.js"));
        }
        let bytes = std::fs::metadata(root().join(&file)).unwrap().len();
        if bytes > MOST_BYTES {
            findings.push(format!("{file}: {bytes} bytes"));
        }
    }
    none(findings);
}

/// Returns the versions of a package's dependencies from its JSON, with a line each.
fn versions(json: &str) -> Vec<(&str, &str)> {
    let from = json.split_once("ependencies\": {").map_or("", |it| it.1);
    let lines = from
        .lines()
        .skip(1)
        .map_while(|line| line.trim().strip_prefix('"'));
    lines
        .filter_map(|line| {
            line.trim_end_matches(',')
                .strip_suffix('"')?
                .split_once("\": \"")
        })
        .collect()
}

#[test]
fn packages_of_npm_are_pinned_and_name_no_registry() {
    let files = texts("");
    let text = |path: &str| {
        let file = files.iter().find(|(file, _)| file == path);
        &file.unwrap_or_else(|| panic!("no {path}")).1
    };
    let package = text("web/package.json");
    let wanted = versions(package);
    assert!(wanted.len() >= 3, "{package}");
    for (name, version) in &wanted {
        let is_exact = version.chars().all(|c| c.is_ascii_digit() || c == '.');
        assert!(is_exact, "{name} {version} is a range");
    }
    let lock = text("web/package-lock.json");
    assert_eq!(versions(lock), wanted, "the lock file is of other packages");
    assert!(!lock.contains("://"), "the lock file names a host");
    assert!(
        !package.contains("\"dependencies\""),
        "a browser gets no package"
    );
    let npmrc = text("web/.npmrc");
    for line in [
        "omit-lockfile-registry-resolved=true",
        "ignore-scripts=true",
    ] {
        assert!(npmrc.lines().any(|one| one == line), "{line}");
    }
}
