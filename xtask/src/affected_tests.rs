//! The tests that a branch affects, as a nextest filter: tests of changed packages, of their
//! dependents, and of sources that name a changed document.

use std::collections::BTreeSet;

use anyhow::{Context, Result};

use crate::git;
use crate::step;
use crate::workspace;

/// Files that affect every build or test.
const EVERYTHING: [&str; 7] = [
    "Cargo.toml",
    "Cargo.lock",
    ".cargo/",
    ".config/",
    ".ci/",
    "rust-toolchain.toml",
    ".sqlx/",
];
/// Folders that debug builds and tests read from disk, and the tests of them: their files are in no
/// executable.
const READ_FROM_DISK: [&str; 2] = ["web/app/", "web/tests/"];
const OF_DASHBOARD: &str = "package(=web) | (package(=wavetune) & test(/^(dashboard|types)::/)) | (package(=server) & test(/^http::pages::/))";
/// The tests of xtask that look at every file.
const OF_EVERY_FILE: &str =
    "(package(=xtask) & test(/^(tidy|mutants::list)::/) & not test(/^tidy::features::/))";
/// The tests of xtask that a manifest may break: also those of cargo's units.
const OF_MANIFESTS: &str = "package(=xtask)";
/// Branches that a change starts from, in order of preference.
const MAINS: [&str; 3] = ["origin/HEAD", "origin/main", "main"];

/// Returns the packages of the workspace that depend on others, without those.
///
/// # Errors
///
/// If cargo fails.
pub(crate) fn dependents(packages: &[String]) -> Result<Vec<String>> {
    let mut tree = workspace::cargo();
    tree.args(["tree", "--locked", "--workspace", "--prefix", "none"]);
    tree.args(["--format", "{p}", "--edges", "normal,build,dev"]);
    for package in packages {
        tree.args(["--invert", package]);
    }
    let lines = step::output(&mut tree).context("`cargo tree` fails")?;
    let names: BTreeSet<&str> = lines
        .lines()
        .filter_map(|it| it.split(' ').next())
        .collect();
    let is_other = |it: &&str| !packages.iter().any(|package| package == it);
    let names = names.into_iter().filter(is_other);
    Ok(names.map(str::to_owned).collect())
}

/// A package of the workspace.
struct Package {
    name: String,
    /// Its folder, with a trailing slash.
    folder: String,
}

/// The tests that a change affects.
#[derive(PartialEq, Debug)]
pub(crate) enum AffectedTests {
    /// Every test; the reason is a file or "nothing is changed".
    All(String),
    /// The tests that the filter selects.
    Some {
        /// A nextest filterset.
        filter: String,
        /// The changed packages.
        packages: Vec<String>,
    },
}

impl AffectedTests {
    /// Returns true if no source of a package has changed, but documents or data.
    pub(crate) fn has_no_sources(&self) -> bool {
        matches!(self, Self::Some { packages, .. } if packages.is_empty())
    }

    /// Returns the changed packages; none if every test is affected.
    pub(crate) fn packages(&self) -> &[String] {
        match self {
            Self::All(_) => &[],
            Self::Some { packages, .. } => packages,
        }
    }
}

/// Returns the tests affected since main: by commits since the merge base, and by files that are
/// not committed.
///
/// # Errors
///
/// If git fails.
pub(crate) fn affected_tests() -> Result<AffectedTests> {
    let Some(base) = merge_base() else {
        return Ok(AffectedTests::All(
            "no main branch to compare with".to_owned(),
        ));
    };
    let files = changed_files(&base)?;
    let packages = packages()?;
    Ok(select(&files, &packages, &naming_sources))
}

fn git(arguments: &[&str]) -> Result<String> {
    git::output(workspace::root(), arguments)
}

fn merge_base() -> Option<String> {
    let base = |main: &&str| git(&["merge-base", "HEAD", main]).ok();
    // A clone without a remote has only `main`.
    MAINS.iter().find_map(base)
}

fn changed_files(base: &str) -> Result<Vec<String>> {
    let tracked = git(&["diff", "--name-only", base])?;
    // New files count before they are added.
    let untracked = git(&["ls-files", "--others", "--exclude-standard"])?;
    let both = tracked.lines().chain(untracked.lines());
    Ok(both.map(str::to_owned).collect())
}

/// Returns those packages that have a library.
///
/// # Errors
///
/// If git fails.
pub(crate) fn with_library(names: &[String]) -> Result<Vec<String>> {
    let has_library = |it: &Package| {
        let library = workspace::root().join(&it.folder).join("src/lib.rs");
        names.contains(&it.name) && library.is_file()
    };
    let packages = packages()?.into_iter();
    Ok(packages.filter(has_library).map(|it| it.name).collect())
}

fn packages() -> Result<Vec<Package>> {
    let manifests = git(&["ls-files", "*/Cargo.toml"])?;
    let package = |manifest: &str| {
        let text = std::fs::read_to_string(workspace::root().join(manifest)).ok()?;
        // Without a TOML parser: a package's name is the first one in our manifests.
        let name = text.lines().find_map(|line| line.strip_prefix("name = "))?;
        Some(Package {
            name: name.trim_matches('"').to_owned(),
            folder: manifest.strip_suffix("Cargo.toml")?.to_owned(),
        })
    };
    Ok(manifests.lines().filter_map(package).collect())
}

/// Returns the Rust sources that name a file, such as a test that reads a document.
fn naming_sources(file: &str) -> Vec<String> {
    let found = git(&[
        "grep",
        "--files-with-matches",
        "--fixed-strings",
        file,
        "--",
        "*.rs",
    ]);
    found
        .unwrap_or_default()
        .lines()
        .map(str::to_owned)
        .collect()
}

fn owner<'a>(file: &str, packages: &'a [Package]) -> Option<&'a Package> {
    let owners = packages.iter().filter(|it| file.starts_with(&it.folder));
    // Packages are nested: server/fleet/ does not belong to server.
    owners.max_by_key(|package| package.folder.len())
}

fn select(
    files: &[String],
    packages: &[Package],
    naming: &dyn Fn(&str) -> Vec<String>,
) -> AffectedTests {
    if files.is_empty() {
        return AffectedTests::All("nothing is changed".to_owned());
    }
    let decides = |file: &&String| {
        let matches = |name: &&str| match name.ends_with('/') {
            true => file.starts_with(*name),
            false => file == name,
        };
        EVERYTHING.iter().any(matches)
    };
    if let Some(file) = files.iter().find(decides) {
        return AffectedTests::All(format!("{file} is changed"));
    }
    let mut changed = BTreeSet::new();
    let is_manifest = |file: &String| file.ends_with("/Cargo.toml");
    let of_tree = match files.iter().any(is_manifest) {
        true => OF_MANIFESTS,
        false => OF_EVERY_FILE,
    };
    let mut filters = BTreeSet::from([of_tree.to_owned()]);
    for file in files {
        if READ_FROM_DISK.iter().any(|it| file.starts_with(it)) {
            filters.insert(OF_DASHBOARD.to_owned());
            continue;
        }
        match owner(file, packages) {
            // A document in a package counts as one outside: only tests that name it read it.
            Some(package) if !file.ends_with(".md") => {
                filters.insert(format!("rdeps(={})", package.name));
                changed.insert(package.name.clone());
            }
            _ => {
                let sources = naming(file);
                filters.extend(sources.iter().filter_map(|it| tests_of(it, packages)));
            }
        }
    }
    AffectedTests::Some {
        filter: filters.into_iter().collect::<Vec<_>>().join(" | "),
        packages: changed.into_iter().collect(),
    }
}

/// Returns a filter for the tests in a source file.
fn tests_of(source: &str, packages: &[Package]) -> Option<String> {
    let package = owner(source, packages)?;
    let path = source.strip_prefix(&package.folder)?;
    let path = path.strip_suffix(".rs")?;
    let tests = if let Some(path) = path.strip_prefix("src/") {
        match path.strip_suffix("/mod").unwrap_or(path) {
            "main" | "lib" => String::new(),
            module => format!(" & test(/^{}::/)", module.replace('/', "::")),
        }
    } else {
        let path = path.strip_prefix("tests/")?;
        let (binary, module) = path.split_once('/').unwrap_or((path, "main"));
        let suite = module.split('/').next().unwrap_or_default();
        match (binary, suite) {
            // The names of trials have no module below the suite's, and begin with their kind in
            // brackets.
            ("it", suite) if suite != "main" => {
                format!(r" & binary(=it) & test(/(^|\] ){suite}::/)")
            }
            _ => format!(" & binary(={binary})"),
        }
    };
    Some(format!("(package(={}){tests})", package.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Vec<Package> {
        let package = |(name, folder): (&str, &str)| Package {
            name: name.to_owned(),
            folder: folder.to_owned(),
        };
        let all = [
            ("server", "server/"),
            ("server-fleet", "server/fleet/"),
            ("wavetune", "cli/"),
            ("web", "web/"),
        ];
        all.into_iter().map(package).collect()
    }

    #[track_caller]
    fn check(files: &[&str], expected: &str) {
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        let naming = |file: &str| match file {
            "docs/deploy.md" => [
                "cli/src/shipping/kubernetes.rs",
                "cli/tests/it/tuning/team.rs",
            ]
            .map(str::to_owned)
            .to_vec(),
            _ => Vec::new(),
        };
        let said = match select(&files, &three(), &naming) {
            AffectedTests::All(reason) => format!("all: {reason}"),
            AffectedTests::Some { filter, .. } => filter,
        };
        assert_eq!(said, expected);
    }

    #[test]
    fn changed_packages_and_their_dependents_are_tested() {
        check(&[], "all: nothing is changed");
        check(
            &["cli/src/main.rs", "Cargo.lock"],
            "all: Cargo.lock is changed",
        );
        check(
            &["cli/src/main.rs"],
            &format!("{OF_EVERY_FILE} | rdeps(=wavetune)"),
        );
        check(
            &["server/fleet/src/lib.rs", "server/src/lib.rs"],
            &format!("{OF_EVERY_FILE} | rdeps(=server) | rdeps(=server-fleet)"),
        );
        check(&["server/Cargo.toml"], "package(=xtask) | rdeps(=server)");
        check(
            &["web/app/main.js", "web/tests/front.js"],
            &format!("{OF_EVERY_FILE} | {OF_DASHBOARD}"),
        );
    }

    #[test]
    fn a_changed_document_has_the_tests_that_name_it() {
        check(
            &["docs/deploy.md"],
            &format!(
                r"(package(=wavetune) & binary(=it) & test(/(^|\] )tuning::/)) | (package(=wavetune) & test(/^shipping::kubernetes::/)) | {OF_EVERY_FILE}"
            ),
        );
        check(&["docs/other.md"], OF_EVERY_FILE);
    }

    #[test]
    fn a_source_has_the_tests_of_its_module() {
        let of = |source| tests_of(source, &three());
        assert_eq!(of("cli/src/main.rs").unwrap(), "(package(=wavetune))");
        assert_eq!(
            of("cli/src/a/mod.rs").unwrap(),
            "(package(=wavetune) & test(/^a::/))"
        );
        assert_eq!(
            of("cli/tests/carriers/bed.rs").unwrap(),
            "(package(=wavetune) & binary(=carriers))"
        );
        assert_eq!(
            of("cli/tests/it/load.rs").unwrap(),
            r"(package(=wavetune) & binary(=it) & test(/(^|\] )load::/))"
        );
        assert_eq!(
            of("cli/tests/it/main.rs").unwrap(),
            "(package(=wavetune) & binary(=it))"
        );
        assert_eq!(of("other/src/lib.rs"), None);
    }

    #[test]
    fn dependents_are_those_of_cargo() {
        let of = |package: &str| dependents(&[package.to_owned()]).unwrap();
        assert!(of("wavetune").is_empty());
        let of_codegen = of("codegen");
        for package in ["bench-harness", "tuner", "wavetune"] {
            assert!(of_codegen.iter().any(|it| it == package), "{package}");
        }
        assert!(!of_codegen.iter().any(|it| it == "configgen"));
    }

    #[test]
    fn programs_have_no_library() {
        let names = ["xtask", "codegen", "wavetune"].map(str::to_owned);
        assert_eq!(with_library(&names).unwrap(), ["codegen"]);
    }

    #[test]
    fn every_package_of_this_workspace_is_found() {
        let packages = packages().unwrap();
        let owner = |file| owner(file, &packages).map(|package| package.name.as_str());
        assert_eq!(owner("server/fleet/src/lib.rs"), Some("server-fleet"));
        assert_eq!(owner("server/src/lib.rs"), Some("server"));
        assert_eq!(owner("xtask/src/main.rs"), Some("xtask"));
        assert_eq!(owner("README.md"), None);
    }
}
