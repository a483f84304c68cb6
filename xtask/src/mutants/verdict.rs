//! Verdicts of mutants, and the cache of earlier runs' verdicts.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::list::Mutant;
use crate::files;
use crate::git;
use crate::workspace;

/// The verdict of a planted mutant.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Verdict {
    /// This test failed.
    Noticed(String),
    /// The tests passed.
    Missed,
    /// The patch does not fit the tree.
    DoesNotApply,
    /// The compiler refuses the mutant.
    DoesNotBuild,
    /// No test has the name.
    NoTest,
    /// The test fails without the mutant too.
    FailsAnyway,
}

impl Verdict {
    /// Interprets nextest's exit code and output.
    pub(super) fn of(code: Option<i32>, printed: &str) -> Result<Self> {
        // Exit codes:
        // https://docs.rs/nextest-metadata/latest/nextest_metadata/enum.NextestExitCode.html
        match code {
            Some(0) => Ok(Self::Missed),
            Some(4) => Ok(Self::NoTest),
            Some(100) => {
                let failed = failed_tests(printed).next();
                Ok(Self::Noticed(failed.unwrap_or_default().to_owned()))
            }
            Some(101) => Ok(Self::DoesNotBuild),
            code => anyhow::bail!("nextest ended with {code:?}:\n{printed}"),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        if let Some(test) = text.strip_prefix("noticed by ") {
            return Some(Self::Noticed(test.to_owned()));
        }
        let others = [
            Self::Missed,
            Self::DoesNotApply,
            Self::DoesNotBuild,
            Self::NoTest,
            Self::FailsAnyway,
        ];
        others.into_iter().find(|it| it.to_string() == text)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Noticed(test) => write!(f, "noticed by {test}"),
            Self::Missed => f.write_str("MISSED"),
            Self::DoesNotApply => f.write_str("DOES NOT APPLY"),
            Self::DoesNotBuild => f.write_str("DOES NOT BUILD"),
            Self::NoTest => f.write_str("NO SUCH TEST"),
            Self::FailsAnyway => f.write_str("ITS TEST FAILS WITHOUT IT"),
        }
    }
}

/// Returns the failed tests of nextest's output, as `EXECUTABLE TEST`.
pub(super) fn failed_tests(printed: &str) -> impl Iterator<Item = &str> {
    // Such as `        FAIL [   0.004s] ( 1/10) store token::tests::a_token`; a signal or a time
    // limit has another first word.
    printed.lines().filter_map(|line| {
        let (word, rest) = line.trim_start().split_once(" [")?;
        let (_, test) = rest.split_once("s] ")?;
        let is_failure = word.starts_with("SIG") || ["FAIL", "TIMEOUT", "ABORT"].contains(&word);
        let test = match test.strip_prefix('(') {
            Some(numbered) => numbered.split_once(") ")?.1,
            None => test,
        };
        is_failure.then_some(test.trim())
    })
}

/// The verdicts of one tree, stored in a file of the target directory.
pub(super) struct VerdictCache {
    tree: String,
    file: PathBuf,
    verdicts: HashMap<String, Verdict>,
}

impl VerdictCache {
    /// Reads the verdicts of this tree.
    pub(super) fn read(tree: &str) -> Result<Self> {
        let file = workspace::target_dir()?.join("mutants/verdicts.tsv");
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        Ok(Self {
            verdicts: kept(&text, tree).collect(),
            tree: tree.to_owned(),
            file,
        })
    }

    pub(super) fn get(&self, mutant: &Mutant) -> Option<&Verdict> {
        self.verdicts.get(&key(mutant)?)
    }

    pub(super) fn keep(&mut self, mutant: &Mutant, verdict: Verdict) -> Result<()> {
        let key = key(mutant).context("git cannot hash the patch")?;
        files::append(&self.file, &format!("{}\t{key}\t{verdict}", self.tree))?;
        self.verdicts.insert(key, verdict);
        Ok(())
    }
}

/// Parses the verdicts of a tree: lines of the tree, the mutant's key and the verdict.
fn kept(text: &str, tree: &str) -> impl Iterator<Item = (String, Verdict)> {
    text.lines().filter_map(move |line| {
        let (of, rest) = line.split_once('\t')?;
        let (key, verdict) = rest.split_once('\t')?;
        (of == tree).then_some((key.to_owned(), Verdict::parse(verdict)?))
    })
}

/// Returns the key of a patch, from its content: an edited patch is another mutant.
fn key(mutant: &Mutant) -> Option<String> {
    let patch = mutant.patch.to_str()?;
    let hash = git::output(workspace::root(), &["hash-object", "--", patch]);
    Some(format!("{} {}", mutant.name, hash.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "    Starting 3 tests across 1 binary\n        \
        PASS [   0.003s] (1/3) store page::tests::a\n        \
        FAIL [   0.004s] (2/3) store token::tests::b\n     \
        SIGABRT [   1.204s] (3/3) store-sqlite::store c d\n     \
        TIMEOUT [ 180.004s] store e\n     Summary [   0.010s] 3 tests run: 1 passed\n";

    #[test]
    fn failed_tests_are_found_in_what_nextest_prints() {
        let found: Vec<&str> = failed_tests(PRINTED).collect();
        assert_eq!(
            found,
            [
                "store token::tests::b",
                "store-sqlite::store c d",
                "store e"
            ]
        );
    }

    #[test]
    fn the_exit_code_decides_and_the_first_failure_is_named() {
        #[track_caller]
        fn check(code: i32, expected: &str) {
            let verdict = Verdict::of(Some(code), PRINTED).unwrap();
            assert_eq!(verdict.to_string(), expected);
            assert_eq!(Verdict::parse(expected), Some(verdict));
        }
        check(0, "MISSED");
        check(4, "NO SUCH TEST");
        check(100, "noticed by store token::tests::b");
        check(101, "DOES NOT BUILD");
        assert!(Verdict::of(Some(96), "").is_err());
        assert!(Verdict::of(None, "").is_err());
    }

    #[test]
    fn verdicts_are_kept_for_their_tree_alone() {
        let text = "one\ta/b 12\tMISSED\ntwo\ta/b 12\tnoticed by c d\none\ta/e 34\tunknown\none";
        let of = |tree| kept(text, tree).collect::<Vec<_>>();
        assert_eq!(of("one"), [("a/b 12".to_owned(), Verdict::Missed)]);
        let noticed = Verdict::Noticed("c d".to_owned());
        assert_eq!(of("two"), [("a/b 12".to_owned(), noticed)]);
        assert_eq!(of("three"), []);
    }
}
