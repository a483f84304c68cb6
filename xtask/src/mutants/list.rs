//! The list of mutants: `xtask/mutants/AREA/NAME.patch`, a unified diff below a header.
//!
//! The header's lines begin with `# `:
//!
//! - a sentence that describes the mistake,
//! - `package: P`, the package of the tests,
//! - `test: T`, a part of the name of a test that notices the mistake,
//! - `full`, if T is one of the long tests.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::workspace;

/// One mutant of the list.
#[derive(Debug, PartialEq)]
pub(super) struct Mutant {
    /// `AREA/NAME`, the path of the patch.
    pub(super) name: String,
    pub(super) mistake: String,
    pub(super) package: String,
    pub(super) test: String,
    /// True if only `cargo xtask test --full` notices it.
    pub(super) is_full: bool,
    pub(super) patch: PathBuf,
}

impl Mutant {
    pub(super) fn area(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }

    fn parse(name: &str, patch: &Path, text: &str) -> Result<Self> {
        let mut header = text.lines().map_while(|line| line.strip_prefix("# "));
        let mistake = header.next().unwrap_or_default();
        ensure!(
            mistake.ends_with('.'),
            "{name}: no sentence says the mistake"
        );
        let (mut package, mut test, mut is_full) = (None, None, false);
        for line in header {
            match line.split_once(": ") {
                Some(("package", value)) => package = Some(value.to_owned()),
                Some(("test", value)) => test = Some(value.to_owned()),
                None if line == "full" => is_full = true,
                _ => bail!("{name}: the header has a line {line:?}"),
            }
        }
        Ok(Self {
            name: name.to_owned(),
            mistake: mistake.to_owned(),
            package: package.with_context(|| format!("{name}: no package"))?,
            test: test.with_context(|| format!("{name}: no test"))?,
            is_full,
            patch: patch.to_owned(),
        })
    }
}

fn folder() -> PathBuf {
    workspace::root().join("xtask/mutants")
}

/// Reads the mutants with this word in their name, sorted by name.
///
/// # Errors
///
/// If a header is incomplete, or no name has the word.
pub(super) fn read(word: &str) -> Result<Vec<Mutant>> {
    let mut mutants = Vec::new();
    for area in entries(&folder())? {
        for patch in entries(&area)? {
            let name = patch.strip_prefix(folder())?.with_extension("");
            let name = name.to_string_lossy();
            if name.contains(word) {
                let text = std::fs::read_to_string(&patch)?;
                mutants.push(Mutant::parse(&name, &patch, &text)?);
            }
        }
    }
    ensure!(!mutants.is_empty(), "no mutant has {word:?} in its name");
    Ok(mutants)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder);
    let entries = entries.with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    // `read_dir` has no order.
    paths.sort();
    Ok(paths)
}

/// Formats the number of mutants that only the long tests notice.
pub(super) fn full_ratio(mutants: &[Mutant]) -> String {
    let (full, all) = (
        mutants.iter().filter(|it| it.is_full).count(),
        mutants.len(),
    );
    format!("only --full notices {full} of {all}; the limit is one in six")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::git;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let said = match Mutant::parse("a/b", Path::new("p"), text) {
            Ok(it) => format!("{} {} {} {}", it.mistake, it.package, it.test, it.is_full),
            Err(error) => error.to_string(),
        };
        assert_eq!(said, expected);
    }

    #[test]
    fn a_header_has_the_mistake_and_its_test() {
        let (mistake, package, test) = ("# It is so.\n", "# package: p\n", "# test: t\n");
        let diff = "diff --git a/x b/x\n# test: no header\n";
        check(
            &[mistake, package, test, diff].concat(),
            "It is so. p t false",
        );
        check(
            &[mistake, test, package, "# full\n", diff].concat(),
            "It is so. p t true",
        );
        check(
            &[package, test].concat(),
            "a/b: no sentence says the mistake",
        );
        check(&[mistake, test, diff].concat(), "a/b: no package");
        check(&[mistake, package, diff].concat(), "a/b: no test");
        check(
            &[mistake, "# tests: t\n"].concat(),
            "a/b: the header has a line \"tests: t\"",
        );
    }

    #[test]
    fn every_patch_of_the_list_applies() {
        let mut findings = Vec::new();
        for mutant in read("").unwrap() {
            let patch = mutant.patch.to_str().unwrap();
            if git::output(workspace::root(), &["apply", "--check", patch]).is_err() {
                findings.push(mutant.name);
            }
        }
        assert!(findings.is_empty(), "these do not apply: {findings:#?}");
    }

    #[test]
    fn every_named_test_and_package_exists() {
        let git = |arguments: &[&str]| git::output(workspace::root(), arguments).unwrap();
        let mutants = read("").unwrap();
        let mut search = vec!["grep", "--untracked", "-ohwF"];
        search.extend(mutants.iter().flat_map(|it| ["-e", &it.test]));
        search.extend(["--", "*.rs"]);
        // A test of the dashboard has the name of its file.
        let (found, files) = (
            git(&search),
            git(&["ls-files", "cli/tests/*", "web/tests/*"]),
        );
        let files = files
            .lines()
            .filter_map(|file| Path::new(file).file_stem()?.to_str());
        let tests: HashSet<&str> = found.lines().chain(files).collect();
        let manifests = git(&["grep", "-h", "^name = ", "--", "*Cargo.toml"]);
        let packages: HashSet<&str> = manifests
            .lines()
            .filter_map(|line| line.split('"').nth(1))
            .collect();
        let mut findings = Vec::new();
        for Mutant {
            name,
            package,
            test,
            ..
        } in &mutants
        {
            if !tests.contains(test.as_str()) {
                findings.push(format!("{name}: there is no test {test}"));
            }
            if !packages.contains(package.as_str()) {
                findings.push(format!("{name}: there is no package {package}"));
            }
        }
        assert!(findings.is_empty(), "{findings:#?}");
    }

    #[test]
    fn the_long_tests_alone_notice_fewer_than_one_in_six() {
        let mutants = read("").unwrap();
        let full = mutants.iter().filter(|mutant| mutant.is_full).count();
        assert!(6 * full < mutants.len(), "{}", full_ratio(&mutants));
    }
}
