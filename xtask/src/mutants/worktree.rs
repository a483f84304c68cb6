//! The git worktree for planted mutants: HEAD, in the target directory. Its own target directory
//! stays for the next run.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail};

use super::list::Mutant;
use super::verdict::{Verdict, failed_tests};
use crate::git;
use crate::tools;
use crate::workspace;

/// A checkout of HEAD without the user's changes.
pub(super) struct Worktree {
    folder: PathBuf,
    target: PathBuf,
    tree: String,
}

impl Worktree {
    /// Creates the worktree, or moves that of an earlier run to HEAD.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub(super) fn of_head() -> Result<Self> {
        let parent = workspace::target_dir()?.join("mutants");
        std::fs::create_dir_all(&parent)?;
        Self::new(workspace::root(), &parent)
    }

    fn new(repository: &Path, parent: &Path) -> Result<Self> {
        let (folder, target) = (parent.join("tree"), parent.join("target"));
        let head = git::output(repository, &["rev-parse", "HEAD"])?;
        if folder.join(".git").exists() {
            git::output(
                &folder,
                // `--force` removes a mutant that an interrupted run has left.
                &["checkout", "--quiet", "--force", "--detach", &head],
            )?;
        } else {
            let path = folder.to_string_lossy();
            let make = ["worktree", "add", "--quiet", "--force", "--detach"];
            git::output(repository, &[&make[..], &[&path, &head]].concat())?;
        }
        let tree = git::output(&folder, &["rev-parse", "HEAD^{tree}"])?;
        Ok(Self {
            folder,
            target,
            tree,
        })
    }

    pub(super) fn folder(&self) -> std::path::Display<'_> {
        self.folder.display()
    }

    /// Returns the hash of HEAD's tree.
    pub(super) fn tree(&self) -> &str {
        &self.tree
    }

    /// Returns the tests of these mutants that fail without a mutant.
    ///
    /// # Errors
    ///
    /// If the tree does not build.
    pub(super) fn failing_tests(&self, package: &str, mutants: &[&Mutant]) -> Result<Vec<String>> {
        let mut failing = Vec::new();
        // The long tests need another profile of nextest.
        for is_full in [false, true] {
            let tests = mutants.iter().filter(|mutant| mutant.is_full == is_full);
            let tests: Vec<String> = tests.map(|it| format!("test({})", it.test)).collect();
            if tests.is_empty() {
                continue;
            }
            let mut nextest = self.nextest(package, &tests.join(" | "), is_full)?;
            let (code, printed) = run(nextest.arg("--no-fail-fast"))?;
            if let Verdict::DoesNotBuild = Verdict::of(code, &printed)? {
                bail!("the tests of {package} do not build:\n{printed}");
            }
            failing.extend(failed_tests(&printed).map(str::to_owned));
        }
        Ok(failing)
    }

    /// Plants the mutant, runs its test, and removes the mutant again.
    pub(super) fn judge(&self, mutant: &Mutant) -> Result<Verdict> {
        let filter = format!("test({})", mutant.test);
        let mut nextest = self.nextest(&mutant.package, &filter, mutant.is_full)?;
        self.with(&mutant.patch, || {
            let (code, printed) = run(nextest.arg("--fail-fast"))?;
            Verdict::of(code, &printed)
        })
    }

    fn with(&self, patch: &Path, run: impl FnOnce() -> Result<Verdict>) -> Result<Verdict> {
        let patch = patch.to_string_lossy();
        if git::output(&self.folder, &["apply", &patch]).is_err() {
            return Ok(Verdict::DoesNotApply);
        }
        // The tree is restored even if the run fails: the next mutant needs it.
        let verdict = run();
        git::output(&self.folder, &["checkout", "--quiet", "--", "."])?;
        verdict
    }

    fn nextest(&self, package: &str, filter: &str, is_full: bool) -> Result<Command> {
        let program = tools::nextest().context("no cargo-nextest; `cargo xtask setup` gets it")?;
        let mut nextest = workspace::builder(program);
        nextest.current_dir(&self.folder);
        // In the user's target directory, each mutant would invalidate the user's build.
        nextest.env("CARGO_TARGET_DIR", &self.target);
        nextest.args(["nextest", "run", "--color", "never", "--package", package]);
        match is_full {
            true => nextest.args(["--profile", "full", "--run-ignored", "ignored-only"]),
            false => nextest.args(["--profile", "ci"]),
        };
        nextest.args(["-E", filter]);
        Ok(nextest)
    }
}

/// Runs nextest. Returns its exit code and its whole output.
fn run(nextest: &mut Command) -> Result<(Option<i32>, String)> {
    let Output {
        status,
        stdout,
        stderr,
    } = nextest.stdin(Stdio::null()).output()?;
    let printed = [stdout, stderr].concat();
    Ok((
        status.code(),
        String::from_utf8_lossy(&printed).into_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_is_planted_beside_the_users_tree_and_taken_away() {
        let parent = std::env::temp_dir().join(format!("xtask-mutants-{}", std::process::id()));
        let repository = parent.join("repository");
        std::fs::create_dir_all(&repository).unwrap();
        let file = |folder: &Path| folder.join("a.txt");
        let read = |folder: &Path| std::fs::read_to_string(file(folder)).unwrap();
        std::fs::write(file(&repository), "one\ntwo\n").unwrap();
        git::output(&repository, &["init", "--quiet"]).unwrap();
        git::output(&repository, &["add", "."]).unwrap();
        let author = ["-c", "user.name=n", "-c", "user.email=e"];
        let commit = ["commit", "--quiet", "--message", "m"];
        git::output(&repository, &[&author[..], &commit[..]].concat()).unwrap();
        std::fs::write(file(&repository), "changed\n").unwrap();

        let patch = parent.join("p.patch");
        let diff = "# A header.\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n";
        std::fs::write(&patch, diff).unwrap();
        for _ in ["made", "there"] {
            let worktree = Worktree::new(&repository, &parent).unwrap();
            assert_eq!(read(&worktree.folder), "one\ntwo\n");
            let noticed = Verdict::Noticed("t".to_owned());
            let verdict = worktree.with(&patch, || {
                assert_eq!(read(&worktree.folder), "one\nthree\n");
                Ok(noticed.clone())
            });
            assert_eq!(verdict.unwrap(), noticed);
            assert_eq!(read(&worktree.folder), "one\ntwo\n");
            // The remains of an interrupted run.
            std::fs::write(file(&worktree.folder), "one\nthree\n").unwrap();
        }
        let worktree = Worktree::new(&repository, &parent).unwrap();
        std::fs::write(&patch, diff.replace("two", "four")).unwrap();
        let verdict = worktree.with(&patch, || panic!("it is not planted"));
        assert_eq!(verdict.unwrap(), Verdict::DoesNotApply);
        assert_eq!(read(&repository), "changed\n");
        std::fs::remove_dir_all(&parent).unwrap();
    }
}
